// The shared memory of a block that packs chains above a leaf of entropy.
#pragma once

#include "gpu/entropy/encode_entropy.hpp"

namespace floe::gpu {

/// What the tree of a segment has become.
struct EntropyOutcome {
  enum Kind : std::uint8_t { coded, constant, constant_differences, raw_leaf, raw_before, raw_words };
  Kind kind = coded;
  std::uint32_t head_bytes = 0;  ///< Before the front of the section, or before raw words.
  std::uint32_t bytes = 0;       ///< Of all of the segment.
};

inline constexpr std::uint32_t max_entropy_head_bytes = 64;

/// What a block of so many warps has in shared memory. The head and the front of a section lie where rings
/// were, when no warp needs them any more.
template <unsigned warps>
struct alignas(16) PackEntropyMemory {
  EntropyEncodeRoom<warps> room;
  EncodeTarget target;
  LeafChain chain;
  EntropyOutcome outcome;
  std::uint64_t offset;
  std::uint32_t ticket;
  bool has_range;  ///< Of the segment, for its facts.

  static_assert(warps * 4 * staged_extra_words >= max_entropy_head_bytes + max_section_front_bytes);
  FLOE_DEVICE std::uint8_t* head() { return reinterpret_cast<std::uint8_t*>(room.rings[0]); }
  FLOE_DEVICE std::uint8_t* front() { return head() + max_entropy_head_bytes; }
};

}  // namespace floe::gpu
