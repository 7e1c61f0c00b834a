// Every instruction set adds up the same equations and sums of products as plain loops do.
#include "simd/linear/kernels.hpp"

#include <gtest/gtest.h>

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

TEST(LinearKernels, AddUpEquations) {
  constexpr std::size_t n = LinearKernels::equations_at_once;
  for (const std::size_t unknowns : {1U, 3U, 8U, 33U}) {
    std::vector<double> before(n * unknowns), words(n), weights(n);
    for (std::size_t i = 0; i < before.size(); ++i) before[i] = static_cast<double>(some_bits(i, 40));
    for (std::size_t k = 0; k < n; ++k) {
      words[k] = static_cast<double>(some_bits(100 + k, 40));
      weights[k] = 1.0 / (3.0 + static_cast<double>(k));
    }
    std::vector<double> matrix(unknowns * unknowns, 0.1), right(unknowns, 0.2);
    for (std::size_t i = 0; i < unknowns; ++i) {
      for (std::size_t k = 0; k < n; ++k) {
        const double weighed = weights[k] * before[k * unknowns + i];
        right[i] += weighed * words[k];
        for (std::size_t j = 0; j <= i; ++j) matrix[i * unknowns + j] += weighed * before[k * unknowns + j];
      }
    }
    for (const cpu::Isa isa : cpu::available_isas()) {
      std::vector<double> of_isa(unknowns * unknowns, 0.1), right_of_isa(unknowns, 0.2);
      linear_kernels_of(isa).add_equations(before.data(), unknowns, words.data(), weights.data(), unknowns,
                                           of_isa.data(), right_of_isa.data());
      EXPECT_EQ(of_isa, matrix) << unknowns << " unknowns, instruction set " << static_cast<int>(isa);
      EXPECT_EQ(right_of_isa, right);
    }
  }
}

}  // namespace
}  // namespace floe::trees
