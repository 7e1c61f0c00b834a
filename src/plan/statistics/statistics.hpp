// What is known of the words of a column: one pass, integers only, and two halves make a whole.
#pragma once

#include <array>
#include <cstdint>

#include "encodings/stream.hpp"

namespace floe::trees {

/// How many words have 0, 1, 2 ... 64 bits.
using BitLengths = std::array<std::uint64_t, 65>;

/// Floats are compared as their bits: -NaN, -Inf ... -0.0, 0.0 ... Inf, NaN.
struct Statistics {
  DType type = DType::u8;
  std::uint64_t count = 0;
  std::uint64_t least = 0, most = 0;        ///< Words.
  std::uint64_t first = 0, last = 0;        ///< Words.
  std::uint64_t runs = 0;                   ///< Of equal words.
  std::uint64_t ascents = 0, descents = 0;  ///< Words that are larger, smaller than the one before.
  std::uint64_t bits_in_all = ~std::uint64_t{0}, bits_in_any = 0;  ///< AND and OR of all words.
  /// Of the first 1024 words of every 8192. Bit lengths of the words less the smallest of their 1024; of the
  /// zig-zag of their differences, as numbers in order; and of their XOR with the word before.
  std::uint64_t sampled = 0;
  BitLengths offsets{}, differences{}, changed_bits{};
  std::uint64_t nans = 0, infinities = 0, negative_zeros = 0, subnormals = 0;  ///< Among the sampled floats.

  [[nodiscard]] bool is_ascending() const { return descents == 0; }
  [[nodiscard]] bool is_descending() const { return ascents == 0; }
  /// Mean length of a run, in 1/256; 0 for no words.
  [[nodiscard]] std::uint64_t mean_run() const { return runs == 0 ? 0 : 256 * count / runs; }
  friend bool operator==(const Statistics&, const Statistics&) = default;
};

/// Everything about a stream. At memory speed; thread-safe.
Statistics collect_statistics(const ColumnView& stream);

/// The statistics of two streams of one type, one after the other. Associative, and exact if the first has a
/// multiple of 8192 words.
Statistics merge(const Statistics& before, const Statistics& after);

}  // namespace floe::trees
