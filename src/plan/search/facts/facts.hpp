// What a few hundred words of a stream show about the rest.
#pragma once

#include <array>
#include <cstdint>

#include "encodings/encoding.hpp"

namespace floe::trees {

/// Facts are about no more words.
inline constexpr std::uint64_t max_sampled_words = 512;
inline constexpr std::size_t max_stride_tried = 8;
/// A word is frequent if such a part of all is equal to it.
inline constexpr std::uint64_t frequent_part = 16;

/// Of `sampled` neighbouring words from the middle of a stream. Floats count as integers in the same order.
struct StreamFacts {
  std::uint64_t sampled = 0;
  std::uint64_t runs = 0;
  std::uint64_t frequent = 0;     ///< How often the most frequent word occurs, unless that is seldom.
  std::uint64_t distinct = 0;     ///< Roughly, never too many.
  std::uint64_t offset_bits = 0;  ///< Bits of all words less the smallest.
  std::array<std::uint64_t, max_stride_tried + 1>
      difference_bits{};  ///< [k]: of the words less those k before, zig-zag.
  std::uint64_t second_difference_bits = 0;
  std::uint64_t split_gain_bits = 0;  ///< What two ranges of words save against one.
  std::uint64_t divisor = 1;          ///< What divides all words less the smallest.
};
StreamFacts find_facts(const ColumnView& stream);
/// Only what costs little: neither strides above `max_stride`, which is at least 2 (left at 0), nor the most
/// frequent word, divisor and split.
StreamFacts find_coarse_facts(const ColumnView& stream, std::size_t max_stride = 2);

}  // namespace floe::trees
