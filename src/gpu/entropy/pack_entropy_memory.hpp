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

/// A segment that is encoded, or waits for its place.
struct PackedSegment {
  EncodeTarget target;
  EncodeStream words;  ///< What the chain begins with: the words of the target, or integers of decimals.
  LeafChain chain;
  bool is_decimal = false;
  std::uint8_t digits = 0;  ///< Of decimals.
  EntropyOutcome outcome;
  std::uint32_t ticket = 0;
  std::uint32_t front_bytes = 0;  ///< Of the section, before its blocks.
  bool has_range = false;         ///< For its facts.
};

/// Bytes of scratch that a segment keeps until it has its place: its head, the front of its section, and the
/// slots of its blocks; behind them there are the integers of decimals.
FLOE_HD constexpr std::uint64_t kept_entropy_bytes(std::uint64_t words, unsigned word_bytes) {
  return (max_entropy_head_bytes + max_section_front_bytes + entropy_slots_bytes(words, word_bytes) + 15) /
         16 * 16;
}

/// Segments of wide words get their place before the next one is encoded: they are bound by the memory, and
/// what they keep is still in the cache. Others wait for it meanwhile.
FLOE_HD constexpr bool is_placed_at_once(unsigned word_bytes) { return word_bytes == 8; }

/// The scratch of a block: what two segments keep, or one of wide words; and the symbols of one, which are no
/// more than an eighth of that.
struct PackEntropyScratch {
  std::uint8_t *kept[2], *symbols;

  /// `word_bytes`: of the leaf. `has_integers`: segments keep integers of decimals, too.
  static FLOE_HD constexpr std::uint64_t bytes(std::uint64_t words, unsigned word_bytes,
                                               bool has_integers = false) {
    const std::uint64_t kept =
        (kept_entropy_bytes(words, word_bytes) + (has_integers ? words * word_bytes + 16 : 0)) *
        (is_placed_at_once(word_bytes) ? 1 : 2);
    return (kept + 127) / 128 * 16 * 9;
  }
  FLOE_DEVICE PackEntropyScratch(std::uint8_t* scratch, std::uint64_t bytes) {
    const std::uint64_t eighth = bytes / 9 / 16 * 16;
    kept[0] = scratch;
    kept[1] = scratch + 4 * eighth;
    symbols = scratch + 8 * eighth;
  }
};

/// What a block of so many warps has in shared memory. The head and the front of a section lie where rings
/// were, when no warp needs them any more.
template <unsigned warps>
struct alignas(16) PackEntropyMemory {
  EntropyEncodeRoom<warps> room;
  PackedSegment now, before;
  CodedBlocks coded_before;
  std::uint64_t offset;
  std::uint32_t ticket;

  static_assert(warps * 4 * staged_extra_words >= max_entropy_head_bytes + max_section_front_bytes);
  FLOE_DEVICE std::uint8_t* head() { return reinterpret_cast<std::uint8_t*>(room.rings[0]); }
  FLOE_DEVICE std::uint8_t* front() { return head() + max_entropy_head_bytes; }
};

}  // namespace floe::gpu
