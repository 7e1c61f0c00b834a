// What the steps of a chain do to a word, but for sums.
#pragma once

#include "gpu/decode/decode_memory.hpp"
#include "gpu/warp/memory_access.hpp"

namespace floe::gpu {

/// A step that is no sum.
template <core::Word W>
FLOE_DEVICE W apply_step(const ChainStep& step, W word) {
  if (step.kind == ChainStep::int_mult)
    return static_cast<W>(static_cast<W>(word * static_cast<W>(step.number[1])) +
                          static_cast<W>(step.number[0]));
  return static_cast<W>(
      word ^ static_cast<W>(static_cast<W>(W{0} - static_cast<W>(word >> (core::word_bits<W> - 1))) >> 1));
}

template <core::Word W>
FLOE_DEVICE Pack<W> apply_step(const ChainStep& step, Pack<W> pack) {
  Pack<W> out;
  FLOE_UNROLL
  for (unsigned k = 0; k < Pack<W>::words; ++k) out.put(k, apply_step(step, pack.word(k)));
  return out;
}

/// The same for several packs.
template <core::Word W, unsigned count>
FLOE_DEVICE void apply_step_to(const ChainStep& step, Pack<W> (&packs)[count]) {
  if (step.kind == ChainStep::nothing) return;
  FLOE_UNROLL
  for (unsigned i = 0; i < count; ++i) packs[i] = apply_step(step, packs[i]);
}

}  // namespace floe::gpu
