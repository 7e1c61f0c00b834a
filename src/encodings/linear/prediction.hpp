// Predictions by weighted sums of words before, and the words as factors of their products.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "encodings/linear/weights.hpp"
#include "simd/linear/kernels.hpp"

namespace floe::trees {

/// Words are predicted in pieces of so many.
inline constexpr std::size_t linear_piece = 1024;

/// Sums of products times 2 to this have what they predict in their highest bits.
template <core::Word W>
inline constexpr unsigned sum_shift = sizeof(W) == 8 ? 0 : 64 - weight_bits - 8 * sizeof(W);

/// The number in the highest bits of a sum, as a factor of products: those of all bits of words of 64 bits
/// would not fit.
template <core::Word W, bool is_signed>
constexpr std::int64_t factor_of_sum(std::uint64_t sum) noexcept {
  constexpr unsigned shift = 64 - 8 * sizeof(W) + (sizeof(W) == 8 ? weight_bits : 0);
  return is_signed ? static_cast<std::int64_t>(sum) >> shift : static_cast<std::int64_t>(sum >> shift);
}

template <core::Word W>
constexpr W word_of_sum(std::uint64_t sum) noexcept {
  return static_cast<W>(sum >> (64 - 8 * sizeof(W)));
}

/// A word as such a sum.
template <core::Word W>
constexpr std::uint64_t sum_of_word(W word) noexcept {
  return std::uint64_t{word} << (64 - 8 * sizeof(W));
}

/// What a sum of products predicts, in the highest bits of the result.
template <core::Word W>
constexpr std::uint64_t rounded_sum(std::int64_t sum) noexcept {
  constexpr std::uint64_t half = sizeof(W) == 8 ? 0 : std::uint64_t{1} << (weight_bits - 1);
  return (static_cast<std::uint64_t>(sum) + half) << sum_shift<W>;
}

/// Adds up products of the factors of such words.
template <core::Word W, bool is_signed>
LinearKernels::SumUp sum_up_of() {
  const LinearKernels& kernels = linear_kernels();
  return sizeof(W) < 4 || (sizeof(W) == 4 && is_signed) ? kernels.sum_up_narrow : kernels.sum_up;
}

/// A distance as rows before, and words before in that row, or behind if they are negative.
struct RowDistance {
  std::uint32_t rows;
  std::int32_t words;
};

constexpr RowDistance in_rows(std::uint32_t distance, std::uint32_t row) noexcept {
  const std::uint32_t rows = (distance + (row - 1) / 2) / row;
  return {rows, static_cast<std::int32_t>(std::int64_t{distance} - std::int64_t{rows} * row)};
}

/// The words of a row, if it has ends: those of narrow words, which are decoded side by side, unless they are
/// short. 1 if a distance leads from a row into the one before.
constexpr std::uint32_t row_with_ends(std::uint32_t row, std::size_t word_bytes) noexcept {
  return word_bytes <= 2 && row >= 32 ? row : 1;
}

/// Rows with words on either side: left of a row stands the first word of the row before, right of it its
/// last word, so often that no distance leads beyond.
struct PaddedRows {
  std::size_t words = ~std::size_t{0};  ///< Of a row. All of them where there are no rows.
  std::size_t left = 0, right = 0;

  [[nodiscard]] std::size_t padded() const { return left + words + right; }
};

/// Which words before predict a word, and with which weights.
struct Prediction {
  std::size_t count = 0;
  std::uint32_t row = 1;  ///< Words of a row that has ends; 1 if there are none.
  Distances distances = near_distances();
  Weights weights{};

  [[nodiscard]] PaddedRows rows() const {
    PaddedRows rows;
    if (row == 1) return rows;
    rows.words = row;
    for (std::size_t j = 0; j < count; ++j) {
      const std::int64_t words = in_rows(distances[j], row).words;
      rows.left = std::max(rows.left, static_cast<std::size_t>(std::max<std::int64_t>(words, 0)));
      rows.right = std::max(rows.right, static_cast<std::size_t>(std::max<std::int64_t>(-words, 0)));
    }
    return rows;
  }
};

/// A prediction of so many words in memory, where rows have words on either side.
struct PaddedPrediction {
  PaddedPrediction(const Prediction& of, std::uint64_t words)
      : count(of.count), rows(of.rows()), distances(of.distances), weights(of.weights) {
    // Words before the first one are all the same: how far before it does not matter.
    const std::uint64_t limit = of.row == 1 ? words : (words / of.row + 2) * rows.padded();
    for (std::size_t j = 0; j < count; ++j) {
      std::int64_t distance = of.distances[j];
      if (of.row > 1) {
        const RowDistance at = in_rows(of.distances[j], of.row);
        distance = static_cast<std::int64_t>(at.rows * rows.padded()) + at.words;
      }
      distances[j] = static_cast<std::uint32_t>(std::min(limit + 1, static_cast<std::uint64_t>(distance)));
    }
  }
  /// Words at the nearest distances are read whether they have weights or not.
  [[nodiscard]] std::size_t farthest() const {
    return std::max<std::size_t>(distances[count - 1], max_weights);
  }

  std::size_t count;
  PaddedRows rows;
  Distances distances;
  Weights weights;
};

/// The factors of some words, behind those of the words before them; before the first one they are 0.
class Factors {
 public:
  /// Predictions go so far back. So many factors are written before they are passed.
  Factors(std::size_t farthest, std::size_t ahead)
      : farthest_(farthest),
        ahead_(ahead),
        all_(bytes(farthest, ahead) / sizeof(std::int64_t)),
        at_(farthest) {}
  static std::uint64_t bytes(std::uint64_t farthest, std::uint64_t ahead) {
    return (farthest + std::max(4 * ahead, farthest)) * sizeof(std::int64_t);
  }
  std::int64_t* begin() { return all_.data() + at_; }
  void pass(std::size_t count) {
    at_ += count;
    if (at_ + ahead_ <= all_.size()) return;
    std::memmove(all_.data(), begin() - farthest_, farthest_ * sizeof(std::int64_t));
    at_ = farthest_;
  }
  void fill(std::size_t count, std::int64_t factor) {
    std::fill_n(begin(), count, factor);
    pass(count);
  }

 private:
  std::size_t farthest_, ahead_;
  std::vector<std::int64_t> all_;
  std::size_t at_;
};

/// Weights of near words, whose products wait for the words before, and those of others. The first near one
/// is that of the word right before, if only 0.
class SplitPrediction {
 public:
  /// Weights of near words are multiplied by 2 to `shift`.
  SplitPrediction(const PaddedPrediction& of, unsigned shift) {
    near_distances_.fill(1);
    for (std::size_t j = 0; j < of.count; ++j) {
      const std::uint32_t distance = of.distances[j];
      if (distance < near_distance) {
        if (distance > 1 && near_count_ == 0) near_count_ = 1;
        near_distances_[near_count_] = distance;
        near_weights_[near_count_++] = static_cast<std::uint64_t>(of.weights[j]) << shift;
      } else {
        if (far_count_ == 0) block_ = std::min<std::size_t>(distance, linear_piece);
        far_distances_[far_count_] = distance;
        far_weights_[far_count_++] = of.weights[j];
      }
    }
  }
  /// So many words wait for each other only where they are near.
  [[nodiscard]] std::size_t block() const { return block_; }

  /// The sums of far words for those whose factors begin there.
  void sum_up_far(LinearKernels::SumUp sum_up, const std::int64_t* factors, std::size_t count,
                  std::int64_t* sums) const {
    sum_up(factors, count, far_weights_.data(), far_distances_.data(), far_count_, sums);
  }
  /// Makes words of errors, and factors of words, given the sums of far ones.
  template <core::Word W, bool is_signed>
  void add_to(W* words, std::size_t count, const std::int64_t* far_sums, std::int64_t* factors) const {
    with_constant_count(near_count_, [&](auto near_count) {
      if (near_distances_[near_count_ - (near_count_ > 0)] <= near_count_)
        add<W, is_signed, near_count>(words, count, far_sums, factors, [](std::size_t j) { return j + 1; });
      else
        add<W, is_signed, near_count>(words, count, far_sums, factors,
                                      [&](std::size_t j) { return std::size_t{near_distances_[j]}; });
    });
  }

 private:
  /// Words that are no nearer than this are summed up for many words at once, others for one at a time.
  static constexpr std::uint32_t near_distance = 17;
  static constexpr std::size_t max_near = near_distance - 1;

  template <core::Word W, bool is_signed, std::size_t near_count, class DistanceOf>
  void add(W* words, std::size_t count, const std::int64_t* far_sums, std::int64_t* factors,
           const DistanceOf& distance_of) const {
    const auto weights = near_weights_;
    std::int64_t last = factors[-1];
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t sum = rounded_sum<W>(far_sums[i]) + sum_of_word<W>(words[i]);
      // The last word comes last: the others need not wait for it.
      for (std::size_t j = near_count - 1; j > 0; --j)
        sum += weights[j] * static_cast<std::uint64_t>(*(factors + i - distance_of(j)));
      sum += weights[0] * static_cast<std::uint64_t>(last);
      words[i] = word_of_sum<W>(sum);
      factors[i] = last = factor_of_sum<W, is_signed>(sum);
    }
  }

  /// Calls `work` with the smallest of a few constants that is no less than `count`: weights behind those are
  /// 0.
  template <class Work>
  static void with_constant_count(std::size_t count, const Work& work) {
    if (count <= 2) return work(std::integral_constant<std::size_t, 2>());
    if (count <= 4) return work(std::integral_constant<std::size_t, 4>());
    if (count <= 6) return work(std::integral_constant<std::size_t, 6>());
    if (count <= 8) return work(std::integral_constant<std::size_t, 8>());
    if (count <= 12) return work(std::integral_constant<std::size_t, 12>());
    return work(std::integral_constant<std::size_t, max_near>());
  }

  std::size_t near_count_ = 0, far_count_ = 0, block_ = linear_piece;
  std::array<std::uint32_t, max_near> near_distances_;
  std::array<std::uint64_t, max_near> near_weights_{};
  Distances far_distances_;
  Weights far_weights_;
};

}  // namespace floe::trees
