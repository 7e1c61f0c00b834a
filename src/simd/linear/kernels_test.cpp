// Every instruction set adds up the same equations and sums of products as plain loops do.
#include "simd/linear/kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/splitmix.hpp"

namespace floe::trees {
namespace {

std::int64_t some_bits(std::uint64_t index, unsigned bits) {
  return static_cast<std::int64_t>(core::splitmix(index)) >> (64 - bits);
}

TEST(LinearKernels, AddUpProducts) {
  constexpr std::size_t count = 77, farthest = 40;
  std::vector<std::int64_t> factors(farthest + count);
  for (std::size_t i = 0; i < factors.size(); ++i) factors[i] = some_bits(i, 48);
  factors[50] = -(std::int64_t{1} << 47);
  factors[51] = (std::int64_t{1} << 47) - 1;
  for (const std::size_t weight_count : {1U, 2U, 7U, 32U}) {
    std::vector<std::int64_t> weights;
    std::vector<std::uint32_t> distances;
    for (std::uint32_t j = 0; j < weight_count; ++j) {
      weights.push_back(j == 0 ? -(1 << 23) : some_bits(1000 + j, 24));
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
      linear_kernels_of(isa).sum_up(factors.data() + farthest, count, weights.data(), distances.data(),
                                    weight_count, sums.data());
      EXPECT_EQ(sums, expected) << weight_count << " weights, instruction set " << static_cast<int>(isa);
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
