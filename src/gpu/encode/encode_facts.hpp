// What the facts of a segment say of its words, by blocks that go through these anyway.
#pragma once

#include "gpu/encode/encode_memory.hpp"
#include "gpu/entropy/quick_range.hpp"

namespace floe::gpu {

/// Whether the current stream is a segment of which somebody asks for the range.
FLOE_DEVICE bool wants_range(const EncodeMemory& memory) {
  return memory.at_node == 0 && memory.frame_count == 0 && memory.now.target.facts != nullptr;
}

/// Keeps the range of the segment's words. Called by all threads; with barriers.
template <core::Word W, class Block>
FLOE_DEVICE void keep_range(Block& block, const QuickRange<W>& found) {
  EncodeMemory& memory = block.memory();
  container::ValueRange range;
  const bool is_known = found.of_block(block, memory.bases[0], range);
  if (block.rank() == 0) {
    StreamFacts& facts = *memory.now.target.facts;
    facts.range_kind = static_cast<std::uint32_t>(range.kind);
    facts.range_min = range.min;
    facts.range_max = range.max;
    memory.now.has_range = is_known;
  }
  block.sync();
}

}  // namespace floe::gpu
