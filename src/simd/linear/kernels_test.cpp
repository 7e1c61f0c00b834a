// Every instruction set adds up the same equations and sums of products as plain loops do.
#include "simd/linear/kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/splitmix.hpp"

namespace floe::trees {
namespace {

std::int64_t some_bits(std::uint64_t index, unsigned bits) {
  return static_cast<std::int64_t>(core::splitmix(index)) >> (64 - bits);
}

/// Of factors of so many bits, some of which are the extreme ones.
void expect_sums(unsigned factor_bits, LinearKernels::SumUp LinearKernels::*sum_up) {
  constexpr std::size_t count = 77, farthest = 40;
  std::vector<std::int64_t> factors(farthest + count);
  for (std::size_t i = 0; i < factors.size(); ++i) factors[i] = some_bits(i, factor_bits);
  factors[50] = -(std::int64_t{1} << (factor_bits - 1));
  factors[51] = (std::int64_t{1} << (factor_bits - 1)) - 1;
  for (const std::size_t weight_count : {1U, 2U, 7U, 32U}) {
    std::vector<std::int64_t> weights;
    std::vector<std::uint32_t> distances;
    for (std::uint32_t j = 0; j < weight_count; ++j) {
      weights.push_back(j == 0 ? -(std::int64_t{1} << 31) : some_bits(1000 + j, 32));
      distances.push_back(j + 1 + (j > 3 ? 8 : 0));
    }
    std::vector<std::int64_t> expected(count);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t sum = 0;
      for (std::size_t j = 0; j < weight_count; ++j)
        sum += static_cast<std::uint64_t>(weights[j]) *
               static_cast<std::uint64_t>(factors[farthest + i - distances[j]]);
      expected[i] = static_cast<std::int64_t>(sum);
    }
    for (const cpu::Isa isa : cpu::available_isas()) {
      std::vector<std::int64_t> sums(count);
      (linear_kernels_of(isa).*sum_up)(factors.data() + farthest, count, weights.data(), distances.data(),
                                       weight_count, sums.data());
      EXPECT_EQ(sums, expected) << weight_count << " weights, instruction set " << static_cast<int>(isa);
    }
  }
}

TEST(LinearKernels, AddUpProducts) { expect_sums(48, &LinearKernels::sum_up); }

TEST(LinearKernels, AddUpProductsOfNarrowFactors) { expect_sums(32, &LinearKernels::sum_up_narrow); }

/// Eight rows whose words depend on a word to the left, and on words around them in rows before.
struct SomeRows {
  static constexpr std::size_t words = 90, skew = 5, left = 2, lead = 16;

  explicit SomeRows(bool are_signed) {
    using Neighbour = RowsSideBySide::Neighbour;
    const auto of_rows_from = [](std::size_t first, std::int32_t weight) {
      std::array<std::int32_t, RowsSideBySide::count> weights{};
      std::fill(weights.begin() + static_cast<std::ptrdiff_t>(first), weights.end(), weight);
      return weights;
    };
    same_row = {Neighbour{2, 0, of_rows_from(0, -9000)}};
    rows_before = {Neighbour{skew, 1, of_rows_from(1, 40000)}, Neighbour{skew - 3, 1, of_rows_from(1, -7000)},
                   Neighbour{skew + 2, 1, of_rows_from(1, 5000)},
                   Neighbour{2 * skew, 2, of_rows_from(2, 123)}};
    all.row_words = words;
    all.skew = skew;
    all.left = left;
    all.weights_of_last = of_rows_from(0, 30000);
    all.same_row = same_row;
    all.rows_before = rows_before;
    all.are_signed = are_signed;
    all.distance = words + 2 * all.margin();
    numbers.resize(all.distance * RowsSideBySide::count);
    steps.resize((lead + all.step_count()) * RowsSideBySide::count);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int32_t>(some_bits(i, 32));
    for (std::size_t i = 0; i < lead; ++i) steps[i * RowsSideBySide::count] = above;
    all.rows = numbers.data() + all.margin();
    all.steps = steps.data() + lead * RowsSideBySide::count;
  }
  [[nodiscard]] std::int32_t at(const std::vector<std::int32_t>& decoded, std::ptrdiff_t row,
                                std::ptrdiff_t column) const {
    if (column < 0) return row == 0 ? above : decoded[static_cast<std::size_t>(row - 1) * words];
    const std::size_t in_row = std::min(static_cast<std::size_t>(column), words - 1);
    return decoded[static_cast<std::size_t>(row) * words + in_row];
  }
  /// One word after the other.
  [[nodiscard]] std::vector<std::int32_t> expected() const {
    std::vector<std::int32_t> decoded(RowsSideBySide::count * words);
    for (std::size_t row = 0; row < RowsSideBySide::count; ++row) {
      for (std::size_t i = 0; i < words; ++i) {
        const auto column = static_cast<std::ptrdiff_t>(i);
        auto sum = static_cast<std::uint32_t>(all.rows[row * all.distance + i]);
        const auto add = [&](std::size_t rows_back, std::ptrdiff_t back, std::int32_t weight) {
          if (rows_back <= row)
            sum += static_cast<std::uint32_t>(weight) *
                   static_cast<std::uint32_t>(
                       at(decoded, static_cast<std::ptrdiff_t>(row - rows_back), column - back));
        };
        add(0, 1, all.weights_of_last[row]);
        for (const auto& of : same_row) add(0, of.steps_before, of.weights[row]);
        for (const auto& of : rows_before)
          add(of.rows_before, of.steps_before - static_cast<std::ptrdiff_t>(of.rows_before * skew),
              of.weights[row]);
        decoded[row * words + i] =
            all.are_signed ? static_cast<std::int32_t>(sum) >> 16 : static_cast<std::int32_t>(sum >> 16);
      }
    }
    return decoded;
  }

  static constexpr std::int32_t above = 1234;
  std::vector<RowsSideBySide::Neighbour> same_row, rows_before;
  std::vector<std::int32_t> numbers, steps;
  RowsSideBySide all;
};

TEST(LinearKernels, DecodeRowsSideBySide) {
  for (const cpu::Isa isa : cpu::available_isas()) {
    const auto decode_rows = linear_kernels_of(isa).decode_rows;
    for (const bool are_signed : {false, true}) {
      if (decode_rows == nullptr) continue;
      SomeRows rows(are_signed);
      const std::vector<std::int32_t> expected = rows.expected();
      decode_rows(rows.all);
      for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_EQ(rows.all.rows[i / SomeRows::words * rows.all.distance + i % SomeRows::words], expected[i])
            << "word " << i << ", instruction set " << static_cast<int>(isa);
    }
  }
}

/// Words, their weights, and numbers before them.
struct SomeWords {
  SomeWords(std::size_t count, std::size_t numbers, std::size_t distance)
      : words(count), weights(count), before((count - 1) * distance + numbers), stride(distance) {
    for (std::size_t i = 0; i < before.size(); ++i) before[i] = static_cast<double>(some_bits(i, 40));
    for (std::size_t k = 0; k < count; ++k) {
      words[k] = static_cast<double>(some_bits(100 + k, 40));
      weights[k] = 1.0 / (3.0 + static_cast<double>(k));
    }
  }
  [[nodiscard]] WeighedWords all() const {
    return {words.data(), weights.data(), words.size(), before.data(), stride};
  }
  [[nodiscard]] double before_word(std::size_t k, std::size_t j) const { return before[k * stride + j]; }

  std::vector<double> words, weights, before;
  std::size_t stride;
};

TEST(LinearKernels, AddUpEquations) {
  for (const std::size_t unknowns : {1U, 3U, 8U, 12U, 33U}) {
    const std::size_t padded = LinearKernels::padded(unknowns);
    for (const std::size_t count : {1U, 5U, 150U}) {
      const SomeWords some(count, padded, padded + 1);
      std::vector<double> matrix(padded * padded, 0.1), right(padded, 0.2);
      for (std::size_t i = 0; i < unknowns; ++i) {
        for (std::size_t k = 0; k < count; ++k) {
          const double weighed = some.weights[k] * some.before_word(k, i);
          right[i] += weighed * some.words[k];
          for (std::size_t j = 0; j <= i; ++j) matrix[i * padded + j] += weighed * some.before_word(k, j);
        }
      }
      for (const cpu::Isa isa : cpu::available_isas()) {
        std::vector<double> of_isa(padded * padded, 0.1), right_of_isa(padded, 0.2);
        linear_kernels_of(isa).add_equations(some.all(), unknowns, of_isa.data(), right_of_isa.data());
        for (std::size_t i = 0; i < unknowns; ++i) {
          EXPECT_EQ(right_of_isa[i], right[i]);
          for (std::size_t j = 0; j <= i; ++j) {
            ASSERT_EQ(of_isa[i * padded + j], matrix[i * padded + j])
                << unknowns << " unknowns, " << count << " words, instruction set " << static_cast<int>(isa);
          }
        }
      }
    }
  }
}

TEST(LinearKernels, FindErrors) {
  for (const std::size_t unknowns : {1U, 7U, 16U}) {
    for (const std::size_t stride : {std::size_t{1}, unknowns + 3}) {
      constexpr std::size_t count = 29;
      const SomeWords some(count, unknowns, stride);
      std::vector<double> expected = some.words;
      for (std::size_t k = 0; k < count; ++k) {
        for (std::size_t j = 0; j < unknowns; ++j) expected[k] -= some.weights[j] * some.before_word(k, j);
        expected[k] = std::fabs(expected[k]);
      }
      for (const cpu::Isa isa : cpu::available_isas()) {
        std::vector<double> errors(count);
        linear_kernels_of(isa).find_errors(some.all(), some.weights.data(), unknowns, errors.data());
        EXPECT_EQ(errors, expected) << unknowns << " unknowns, instruction set " << static_cast<int>(isa);
      }
    }
  }
}

}  // namespace
}  // namespace floe::trees
