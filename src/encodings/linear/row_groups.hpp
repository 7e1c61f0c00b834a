// Rows of narrow words that are decoded side by side, several at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "encodings/linear/prediction.hpp"
#include "encodings/source.hpp"

namespace floe::trees {

/// Each row of a group is a few words behind the one before it, so that the words beside a word in that row
/// are known, too. Words in rows before the group are summed up first; those of the group itself are
/// neighbours.
class RowGroups {
 public:
  static constexpr std::size_t rows = RowsSideBySide::count, max_word_bytes = 2;

  /// For so many words. Nothing if rows are too short, too long or too few, or words wait for others too far
  /// from them.
  static std::optional<RowGroups> find(const Prediction& prediction, const PaddedPrediction& padded,
                                       std::uint64_t words, unsigned word_bits, bool are_signed) {
    if (linear_kernels().decode_rows == nullptr || prediction.row == 1 || prediction.row > max_row_words ||
        words / prediction.row < rows)
      return {};
    RowGroups groups(prediction, padded, word_bits, are_signed);
    const bool is_possible =
        groups.max_steps_before_ <= max_steps_before && groups.side_by_side_.skew * rows < prediction.row;
    return is_possible ? std::optional(std::move(groups)) : std::nullopt;
  }
  [[nodiscard]] std::uint64_t bytes() const {
    return numbers() * sizeof(std::int32_t) + rows * group_.words * side_by_side_.word_bits / 8;
  }

  /// Makes words of the errors of a group. Its factors stand at `factors`, those of the rows before in front.
  /// `above` is the first word of the row before. Returns that of the last row.
  template <core::Word W, bool is_signed>
  std::int64_t decode(W* words, std::int64_t* factors, std::int64_t above) {
    numbers_.resize(numbers());
    RowsSideBySide& group = side_by_side_;
    group.steps = numbers_.data() + lead_ * rows;
    group.rows = group.steps + group.step_count() * rows + group.margin();
    group.same_row = same_row_;
    group.rows_before = rows_before_;
    for (std::size_t i = 1; i <= group_.left; ++i)
      *(group.steps - i * rows) = static_cast<std::int32_t>(above);
    for (std::size_t row = 0; row < rows; ++row)
      begin_sums<W, is_signed>(words + row * group_.words, factors + row * group_.padded() + group_.left,
                               outside_[row], group.rows + row * group.distance);
    linear_kernels().decode_rows(group);
    for (std::size_t row = 0; row < rows; ++row)
      std::transform(group.rows + row * group.distance, group.rows + row * group.distance + group_.words,
                     words + row * group_.words, [](std::int32_t word) { return static_cast<W>(word); });
    for (std::size_t row = 0; row < rows; ++row) {
      const W* const of_row = words + row * group_.words;
      const auto factor = [](W word) { return factor_of_sum<W, is_signed>(sum_of_word<W>(word)); };
      if (row + rows_in_reach_ >= rows) {
        std::int64_t* to = std::fill_n(factors + row * group_.padded(), group_.left, above);
        to = std::transform(of_row, of_row + group_.words, to, factor);
        std::fill_n(to, group_.right, to[-1]);
      }
      above = factor(of_row[0]);
    }
    return above;
  }

 private:
  static constexpr std::uint32_t max_row_words = 1 << 13;
  static constexpr std::size_t max_steps_before = 256;

  /// Words of rows before the group, for one of its rows.
  struct Outside {
    std::size_t count = 0;
    Distances distances;
    Weights weights;
  };

  RowGroups(const Prediction& prediction, const PaddedPrediction& padded, unsigned word_bits, bool are_signed)
      : group_(padded.rows) {
    std::size_t skew = 1;
    for (std::size_t j = 0; j < prediction.count; ++j) {
      const RowDistance at = in_rows(prediction.distances[j], prediction.row);
      // Two steps lie between a word and its neighbours in other rows, so that it does not wait for them.
      if (at.rows > 0 && at.rows < rows && at.words < 2)
        skew = std::max<std::size_t>(skew, (static_cast<std::size_t>(2 - at.words) + at.rows - 1) / at.rows);
    }
    side_by_side_ = {.row_words = group_.words,
                     .skew = skew,
                     .left = group_.left,
                     .word_bits = word_bits,
                     .are_signed = are_signed};
    side_by_side_.distance = group_.words + 2 * side_by_side_.margin();
    for (std::size_t j = 0; j < prediction.count; ++j) {
      const RowDistance at = in_rows(prediction.distances[j], prediction.row);
      for (std::size_t row = 0; row < std::min<std::size_t>(at.rows, rows); ++row) {
        Outside& outside = outside_[row];
        outside.distances[outside.count] = padded.distances[j];
        outside.weights[outside.count++] = prediction.weights[j];
      }
      rows_in_reach_ = std::max<std::size_t>(rows_in_reach_, at.rows);
      if (at.rows >= rows) continue;
      RowsSideBySide::Neighbour neighbour{
          static_cast<std::ptrdiff_t>(at.rows * skew) + at.words, at.rows, {}};
      // Sums have 32 bits here, of which the highest ones are the word.
      std::fill(
          neighbour.weights.begin() + static_cast<std::ptrdiff_t>(at.rows), neighbour.weights.end(),
          static_cast<std::int32_t>(static_cast<std::uint32_t>(prediction.weights[j]) << (16 - word_bits)));
      max_steps_before_ = std::max(max_steps_before_, static_cast<std::size_t>(neighbour.steps_before));
      if (at.rows > 0)
        rows_before_.push_back(neighbour);
      else if (neighbour.steps_before == 1)
        side_by_side_.weights_of_last = neighbour.weights;
      else
        same_row_.push_back(neighbour);
    }
    lead_ = std::max({max_steps_before_, group_.left, std::size_t{1}});
  }

  /// What sums of a row are without neighbours.
  template <core::Word W, bool is_signed>
  void begin_sums(const W* errors, const std::int64_t* factors, const Outside& outside,
                  std::int32_t* begun) const {
    std::array<std::int64_t, linear_piece> sums;
    for (std::size_t first = 0; first < group_.words; first += linear_piece) {
      const std::size_t part = std::min(linear_piece, group_.words - first);
      if (outside.count > 0)
        sum_up_of<W, is_signed>()(factors + first, part, outside.weights.data(), outside.distances.data(),
                                  outside.count, sums.data());
      else
        std::fill_n(sums.begin(), part, 0);
      for (std::size_t i = 0; i < part; ++i) {
        const std::uint64_t sum = rounded_sum<W>(sums[i]) + sum_of_word<W>(errors[first + i]);
        begun[first + i] = static_cast<std::int32_t>(sum >> 32);
      }
    }
  }
  /// Those of a group while it is decoded.
  [[nodiscard]] std::size_t numbers() const {
    return (lead_ + side_by_side_.step_count()) * rows + side_by_side_.distance * rows;
  }

  PaddedRows group_;
  std::size_t rows_in_reach_ = 0, max_steps_before_ = 0, lead_ = 0;
  RowsSideBySide side_by_side_;
  std::vector<RowsSideBySide::Neighbour> same_row_, rows_before_;
  std::array<Outside, rows> outside_;
  std::vector<std::int32_t> numbers_;
};

}  // namespace floe::trees
