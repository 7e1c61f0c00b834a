// The shared memory of a block that packs chains above a leaf of entropy.
#pragma once

#include "gpu/entropy/encode_entropy.hpp"
#include "gpu/entropy/stored_deltas.hpp"

namespace floe::gpu {

/// What the tree of a segment has become.
struct EntropyOutcome {
  enum Kind : std::uint8_t {
    coded,
    constant,
    constant_stored,  ///< Below the deltas that are stored, or below a grid or a divide.
    constant_differences,
    raw_leaf,
    raw_before,
    raw_sortable,  ///< Without the deltas that are stored.
    raw_words,
    none  ///< Another kernel encodes the segment.
  };
  Kind kind = coded;
  std::uint32_t header_bytes = 0;  ///< Before the front of the section, or before raw words.
  std::uint32_t bytes = 0;         ///< Of all of the segment.
};

/// With the words in the header of a delta that is stored.
inline constexpr std::uint32_t max_entropy_header_bytes = 768;

/// Where parts of a header end: its nodes; the header of decimals or a grid; that of a delta that is stored.
struct HeaderParts {
  std::uint32_t nodes = 0, map = 0, stored = 0;
};

/// Warps at most of a block that packs.
inline constexpr unsigned max_packing_warps = 4;

/// A grid, and the bits below, in as many parts as the block has warps. Each begins at the multiple of 16
/// bytes in which its first bit lies, which the parts before may have, too: they lie 16 bytes apart. Behind
/// them lie gaps and words of exceptions.
struct StoredGrid {
  std::uint16_t exponent = 0, parts = 0;
  bool is_constant = false;  ///< All bytes of the bits below.
  bool takes_exceptions = false, packs_gaps = false;
  EncodingId gaps_node{}, words_node{};  ///< What they become; without exceptions they are raw.
  std::uint32_t bytes = 0, exceptions = 0;
  std::uint32_t starts[max_packing_warps + 1] = {};  ///< In bits.
  std::uint32_t gaps_at = 0, gaps_bytes = 0, words_at = 0, words_bytes = 0;

  [[nodiscard]] FLOE_DEVICE std::uint32_t first_byte(unsigned part) const { return starts[part] / 128 * 16; }
  [[nodiscard]] FLOE_DEVICE std::uint32_t position_of(unsigned part) const {
    return first_byte(part) + 16 * part;
  }
  [[nodiscard]] FLOE_DEVICE std::uint32_t end_of_parts() const { return (bytes + 16 * parts + 31) / 16 * 16; }
  [[nodiscard]] FLOE_DEVICE std::uint8_t byte(const std::uint8_t* low, std::uint32_t i) const {
    unsigned part = 0;
    while (part + 1u < parts && first_byte(part + 1) <= i) ++part;
    return low[position_of(part) + i - first_byte(part)];
  }
  /// Of the bits below, and of all, as they stand in the stream.
  [[nodiscard]] FLOE_DEVICE std::uint32_t low_bytes() const { return is_constant ? 1 : bytes; }
  [[nodiscard]] FLOE_DEVICE std::uint32_t stored_bytes() const {
    return low_bytes() + gaps_bytes + words_bytes;
  }
};
/// Exceptions of a grid that a block takes, and room for what becomes of them.
FLOE_HD constexpr std::uint32_t max_grid_exceptions(std::uint32_t words) { return words / 16; }
FLOE_HD constexpr std::uint64_t grid_exceptions_bytes(std::uint64_t words) { return words / 16 * 18 + 256; }
static_assert(static_cast<unsigned>(EncodingId::raw) == 0);

/// What is left of words that are divided: the same of all of them, or vectors.
struct StoredRemainders {
  EncodingId node = EncodingId::constant;
  std::uint32_t bytes = 0;    ///< As they stand at the end of the stream.
  std::uint32_t payload = 0;  ///< Of vectors.
};

/// A segment that is encoded, or waits for its position.
struct PackedSegment {
  EncodeTarget target;
  EncodeStream words;  ///< What the chain begins with: the words of the target, or words that were stored.
  LeafChain chain;
  bool is_decimal = false;
  bool is_sortable = false;  ///< Above deltas that are stored.
  bool is_grid = false;
  bool is_constant = false;  ///< Found before words were stored.
  std::uint8_t stored = 0;   ///< Deltas that are stored.
  DeltaSteps deltas;
  EncodeStream undone;  ///< What the deltas that are stored begin with.
  StoredGrid grid;
  StoredRemainders remainders;
  std::uint32_t stored_header_bytes = 0;
  std::uint8_t digits = 0;  ///< Of decimals.
  EntropyOutcome outcome;
  std::uint32_t ticket = 0;
  std::uint32_t front_bytes = 0;  ///< Of the section, before its blocks.
  bool has_range = false;         ///< For its facts.

  [[nodiscard]] FLOE_DEVICE bool is_stored() const { return stored > 0 || is_grid; }
  /// Words in the header of the last delta that is stored.
  [[nodiscard]] FLOE_DEVICE std::uint32_t stored_heads() const {
    return stored > 0 ? deltas.step[stored - 1].heads() : 0;
  }
};

/// Bytes of scratch that a segment keeps until it has its position: its header, the front of its section, and
/// the slots of its blocks; behind them there are words that are stored.
FLOE_HD constexpr std::uint64_t kept_entropy_bytes(std::uint64_t words, unsigned word_bytes) {
  return (max_entropy_header_bytes + max_section_front_bytes + entropy_slots_bytes(words, word_bytes) + 15) /
         16 * 16;
}

/// Of words that are stored: integers of decimals; multiples, and the bits below them; differences.
FLOE_HD constexpr std::uint64_t stored_words_bytes(std::uint64_t words, unsigned word_bytes) {
  return (words * word_bytes + 16 * max_packing_warps + 31) / 16 * 16;
}
/// Of remainders of words that are divided.
FLOE_HD constexpr std::uint64_t stored_remainders_bytes(std::uint64_t words, unsigned word_bytes) {
  return (slots_bytes(words, word_bytes) + 15) / 16 * 16;
}
/// What all that is stored of a segment takes.
FLOE_HD constexpr std::uint64_t all_stored_bytes(std::uint64_t words, unsigned word_bytes, bool is_decimal,
                                                 bool is_grid, unsigned stored_deltas) {
  const unsigned streams = (is_decimal ? 1 : 0) + (is_grid ? 2 : 0) + (stored_deltas > 0 ? 1 : 0);
  return streams * stored_words_bytes(words, word_bytes) +
         (is_grid ? grid_exceptions_bytes(words) / 16 * 16 : 0);
}

/// Segments of wide words get their position before the next one is encoded: they are bound by the memory,
/// and what they keep is still in the cache. Others wait for it meanwhile.
FLOE_HD constexpr bool is_placed_at_once(unsigned word_bytes) { return word_bytes == 8; }

/// The scratch of a block: what two segments keep, or one of wide words; and the symbols of one, which are no
/// more than an eighth of that.
struct PackEntropyScratch {
  std::uint8_t *kept[2], *symbols;

  /// `word_bytes`: of the leaf. `stored_bytes`: of words that are stored.
  static FLOE_HD constexpr std::uint64_t bytes(std::uint64_t words, unsigned word_bytes,
                                               std::uint64_t stored_bytes = 0) {
    const std::uint64_t kept =
        (kept_entropy_bytes(words, word_bytes) + stored_bytes) * (is_placed_at_once(word_bytes) ? 1 : 2);
    return (kept + 127) / 128 * 16 * 9;
  }
  FLOE_DEVICE PackEntropyScratch(std::uint8_t* scratch, std::uint64_t bytes) {
    const std::uint64_t eighth = bytes / 9 / 16 * 16;
    kept[0] = scratch;
    kept[1] = scratch + 4 * eighth;
    symbols = scratch + 8 * eighth;
  }
};

/// What a block of so many warps has in shared memory. The header and the front of a section lie where rings
/// were, when no warp needs them any more.
template <unsigned warps>
struct alignas(16) PackEntropyMemory {
  static_assert(warps <= max_packing_warps);
  EntropyEncodeRoom<warps> room;
  PackedSegment now, before;
  CodedBlocks coded_before;
  DeltaTaps taps;
  HeaderParts parts;
  std::uint64_t offset;
  std::uint32_t ticket;

  static_assert(warps * 4 * staged_extra_words >= max_entropy_header_bytes + max_section_front_bytes);
  FLOE_DEVICE std::uint8_t* header() { return reinterpret_cast<std::uint8_t*>(room.rings[0]); }
  FLOE_DEVICE std::uint8_t* front() { return header() + max_entropy_header_bytes; }
};

}  // namespace floe::gpu
