// The shared memory of a block that encodes a leaf of entropy, and the sizes of what it needs besides.
#pragma once

#include "encodings/entropy/section_choice.hpp"
#include "gpu/encode/encode_memory.hpp"
#include "gpu/warp/atomics.hpp"

namespace floe::gpu {

/// Blocks of a section at most: encoders choose 2^12 words or more.
inline constexpr unsigned max_entropy_blocks = 16;
/// Bytes of a section before its directory.
inline constexpr std::uint32_t max_section_header_bytes = 1024;
/// Of a section before its blocks: header, table, directory and sums.
inline constexpr std::uint32_t max_section_front_bytes =
    16 + trees::entropy_symbols * 2 + 16 * (4 + 8) + 3 * 16;

/// A warp's ring of extra bits: a piece of 512 bytes that is not complete, and behind it what a group of all
/// lanes adds, 128 bits of each at most. When a model is chosen, how often symbols occur with one of them.
inline constexpr std::uint32_t extra_piece_bytes = 16 * warp_lanes;
inline constexpr std::uint32_t staged_extra_words = trees::entropy_symbols;
static_assert(4 * staged_extra_words == 2 * extra_piece_bytes);

/// Of a symbol, for encoders.
struct alignas(8) EntropyCodeEntry {
  std::uint32_t code;     ///< First << 16 | frequency.
  std::uint32_t inverse;  ///< 2^32 / frequency, rounded down.
};

/// Lanes that share a counter of each symbol.
inline constexpr unsigned counted_lanes = warp_lanes / 2;

/// The blocks of a section that were coded.
struct CodedBlocks {
  std::uint32_t words = 0, block_bits = 0, lane_bits = 0;
  std::uint32_t end = 0;  ///< Of the section.
  std::uint32_t extras[max_entropy_blocks], numbers[max_entropy_blocks], starts[max_entropy_blocks];

  [[nodiscard]] FLOE_DEVICE std::uint32_t block_words() const { return 1u << block_bits; }
  [[nodiscard]] FLOE_DEVICE std::uint32_t count() const {
    return (words + block_words() - 1) / block_words();
  }
  [[nodiscard]] FLOE_DEVICE std::uint32_t first_word(std::uint32_t i) const { return i * block_words(); }
  [[nodiscard]] FLOE_DEVICE std::uint32_t words_of(std::uint32_t i) const {
    return words - first_word(i) < block_words() ? words - first_word(i) : block_words();
  }
  [[nodiscard]] FLOE_DEVICE std::uint32_t front_bytes(std::uint32_t i) const {
    return (4u << lane_bits) + 4 * extras[i];
  }
};

struct alignas(16) EntropyEncodeMemory {
  trees::SectionHeader header;
  std::uint64_t base;
  std::uint32_t counts[trees::entropy_symbols];
  std::uint32_t frequencies[2][trees::entropy_symbols];  ///< Long ones, short ones.
  std::uint64_t code_cost[2];
  EntropyCodeEntry codes[trees::entropy_symbols];
  std::uint32_t most_frequent, first_symbol, last_symbol;
  std::uint32_t table[trees::entropy_symbols / 2], table_bits;  ///< As they stand in the section.
  CodedBlocks coded;
  std::uint64_t sums[max_entropy_blocks];
  std::uint64_t totals[2 * max_encode_warps];
  std::uint64_t tried_cost[trees::max_mantissa_bits + 1];
  std::uint32_t tried_kinds[trees::max_mantissa_bits + 1];
  union {
    std::uint32_t histogram[trees::entropy_symbols][counted_lanes];
    alignas(16) std::uint8_t sample[trees::max_sample_words * sizeof(std::uint64_t)];
  };
};

/// With the rings of some warps.
template <unsigned warps>
struct alignas(16) EntropyEncodeRoom {
  EntropyEncodeMemory memory;
  std::uint32_t rings[warps][staged_extra_words];
};
static_assert(sizeof(EntropyEncodeRoom<max_encode_warps>) <= sizeof(EncodeMemory::tiles));

/// Of a block's states and extra bits, and its numbers, before they have their position.
FLOE_HD constexpr std::uint32_t entropy_slot_bytes(std::uint32_t words, unsigned word_bytes) {
  return (4 * warp_lanes + words * word_bytes + 2 * (words + 8 * warp_lanes) + 31) / 16 * 16;
}
/// What a payload may take.
FLOE_HD constexpr std::uint64_t entropy_payload_bound(std::uint64_t words, unsigned word_bytes) {
  return words * (word_bytes + 2) + (words / 4096 + 1) * 800 +
         (trees::section_count(words) + 1) * (max_section_header_bytes + 16);
}
/// Scratch of a section: its symbols, and slots of its blocks.
FLOE_HD constexpr std::uint64_t entropy_slots_bytes(std::uint64_t words, unsigned word_bytes) {
  const std::uint64_t in_section = words < trees::section_words ? words : trees::section_words;
  return (in_section * (word_bytes + 2) + max_entropy_blocks * 1024 + 2048) / 16 * 16;
}
FLOE_HD constexpr std::uint64_t entropy_symbols_bytes(std::uint64_t words) {
  return ((words < trees::section_words ? words : trees::section_words) + 15) / 16 * 16;
}
FLOE_HD constexpr std::uint64_t entropy_section_scratch_bytes(std::uint64_t words, unsigned word_bytes) {
  return entropy_symbols_bytes(words) + entropy_slots_bytes(words, word_bytes) + 2048;
}
/// Scratch that a leaf needs: its payload, or what stands before the blocks of its only section, and that of
/// a section.
FLOE_HD constexpr std::uint64_t entropy_scratch_bytes(std::uint64_t words, unsigned word_bytes) {
  return (words > trees::section_words ? entropy_payload_bound(words, word_bytes) : max_section_front_bytes) +
         entropy_section_scratch_bytes(words, word_bytes);
}

}  // namespace floe::gpu
