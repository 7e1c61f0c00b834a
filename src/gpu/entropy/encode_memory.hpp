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

/// A warp's ring of extra bits: those of a group of all lanes, 128 bits of each, behind up to 31 bits of the
/// group before.
inline constexpr std::uint32_t staged_extra_words = 8 * warp_lanes;

struct alignas(16) EntropyEncodeMemory {
  trees::SectionHeader header;
  std::uint64_t base;
  std::uint32_t counts[trees::entropy_symbols];
  std::uint32_t frequencies[2][trees::entropy_symbols];  ///< Long ones, short ones.
  std::uint64_t code_cost[2];
  std::uint32_t inverse[trees::entropy_symbols], codes[trees::entropy_symbols];  ///< first << 16 | frequency.
  std::uint32_t most_frequent, first_symbol, last_symbol;
  std::uint32_t table[trees::entropy_symbols / 2], table_bits;  ///< As they stand in the section.
  std::uint32_t extras[max_entropy_blocks], numbers[max_entropy_blocks], starts[max_entropy_blocks];
  std::uint64_t sums[max_entropy_blocks];
  std::uint32_t directory_at, end;  ///< In the section.
  std::uint64_t totals[max_encode_warps];
  /// One of each symbol for each lane, so that lanes have banks of their own.
  std::uint32_t histogram[trees::entropy_symbols][warp_lanes];
  union {
    alignas(16) std::uint8_t sample[trees::max_sample_words * sizeof(std::uint64_t)];
    std::uint32_t staged[max_encode_warps][staged_extra_words];
  };
};
static_assert(sizeof(EntropyEncodeMemory) <= sizeof(EncodeMemory::tiles));

/// Of a block's states and extra bits, and its numbers, before they have their place.
FLOE_HD constexpr std::uint32_t entropy_slot_bytes(std::uint32_t words, unsigned word_bytes) {
  return (4 * warp_lanes + words * word_bytes + 2 * (words + 8 * warp_lanes) + 31) / 16 * 16;
}
/// What a payload may take.
FLOE_HD constexpr std::uint64_t entropy_payload_bound(std::uint64_t words, unsigned word_bytes) {
  return words * (word_bytes + 2) + (words / 4096 + 1) * 800 +
         (trees::section_count(words) + 1) * (max_section_header_bytes + 16);
}
/// Scratch that a leaf needs: its payload, symbols of a section, and slots of its blocks.
FLOE_HD constexpr std::uint64_t entropy_scratch_bytes(std::uint64_t words, unsigned word_bytes) {
  const std::uint64_t in_section = words < trees::section_words ? words : trees::section_words;
  return entropy_payload_bound(words, word_bytes) + in_section + in_section * (word_bytes + 2) +
         max_entropy_blocks * 1024 + 4096;
}

}  // namespace floe::gpu
