// The layout of an entropy-coded leaf: sections, blocks, lanes and units, for every backend.
#pragma once

#include "simd/entropy/code.hpp"

namespace floe::trees {

inline constexpr unsigned section_bits = 16;
inline constexpr std::uint64_t section_words = std::uint64_t{1} << section_bits;
/// Leaves of so many words are laid out for vectors and warps: 32 lanes, everything at multiples of 16 bytes.
inline constexpr std::uint64_t min_aligned_words = 4096;
inline constexpr unsigned min_block_bits = 8, max_block_bits = 16;
inline constexpr unsigned min_block_bits_of_all_lanes = 10;
inline constexpr unsigned directory_entry_bytes = 4;

FLOE_HD constexpr std::uint64_t entropy_unit(std::uint64_t leaf_words) noexcept {
  return leaf_words >= min_aligned_words ? 16 : 1;
}
/// Of the directory of a section, and of the sums of blocks, which aligned leaves have.
FLOE_HD constexpr std::uint64_t directory_bytes(std::uint64_t blocks, std::uint64_t unit,
                                                std::size_t word_bytes) noexcept {
  return blocks * (directory_entry_bytes + (unit > 1 ? word_bytes : 0));
}
/// Encoders' choice for leaves that need not have all lanes: states are not worth it for few words.
FLOE_HD constexpr unsigned entropy_lane_bits(std::uint64_t leaf_words) noexcept {
  return leaf_words >= min_aligned_words ? max_entropy_lane_bits
         : leaf_words >= 1024            ? 2
         : leaf_words >= 256             ? 1
                                         : 0;
}
FLOE_HD constexpr std::uint64_t section_count(std::uint64_t leaf_words) noexcept {
  return core::divide_up(leaf_words, section_words);
}

/// The first bytes of a section, before its table.
struct SectionHeader {
  EntropyModel model;
  unsigned lane_bits = 0, frequency_bits = long_frequency_bits, block_bits = min_block_bits;
  bool has_tables = false;  ///< Several, from which runs of words choose.

  [[nodiscard]] FLOE_HD constexpr std::uint8_t control() const noexcept {
    return static_cast<std::uint8_t>(model.mantissa_bits | static_cast<unsigned>(model.mode) << 3 |
                                     lane_bits << 5);
  }
  [[nodiscard]] FLOE_HD constexpr std::uint8_t raw() const noexcept {
    return static_cast<std::uint8_t>(model.raw_bits | (frequency_bits == short_frequency_bits ? 64U : 0U) |
                                     (has_tables ? 128U : 0U));
  }
  FLOE_HD constexpr void set(std::uint8_t control, std::uint8_t raw, std::uint8_t size) noexcept {
    model.mantissa_bits = control & 7U;
    model.mode = static_cast<EntropyMode>(control >> 3 & 3U);
    lane_bits = control >> 5;
    model.raw_bits = raw & 63U;
    frequency_bits = (raw & 64U) != 0 ? short_frequency_bits : long_frequency_bits;
    block_bits = size;
    has_tables = (raw & 128U) != 0;
  }
  /// Whether the three bytes and the base are on the page of the format.
  [[nodiscard]] FLOE_HD constexpr bool is_valid(std::uint64_t unit, bool may_have_tables) const noexcept {
    return (!has_tables || (may_have_tables && unit > 1)) &&
           static_cast<unsigned>(model.mode) < entropy_mode_count && lane_bits <= max_entropy_lane_bits &&
           (unit == 1 || lane_bits == max_entropy_lane_bits) && block_bits <= max_block_bits &&
           block_bits >=
               (lane_bits == max_entropy_lane_bits ? min_block_bits_of_all_lanes : min_block_bits) &&
           (model.mode != EntropyMode::rotated || model.base == 0);
  }
};

}  // namespace floe::trees
