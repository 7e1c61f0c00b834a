// Predictions by weighted sums for AVX2, which has no product of 64 bits: products of halves of the factors,
// which are added up apart. Normal equations: several sums of a row at once, each in the order of the words.
#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <cmath>

#include "chunks/cpu/avx2/target.hpp"
#include "simd/linear/kernels.hpp"

namespace floe::trees::avx2 {

extern const LinearKernels& linear_kernels;

FLOE_AVX2_BEGIN
namespace {
#include "simd/linear/linear.inl"

constexpr std::size_t lanes = 4;
/// Of a factor of 48 bits.
constexpr int low_bits = 24;

struct HalfSums {
  __m256i low, high;
  void add(const std::int64_t* factors, __m256i weight) {
    const __m256i factor = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(factors));
    const __m256i low_half = _mm256_and_si256(factor, _mm256_set1_epi64x((1 << low_bits) - 1));
    // Of each lane the lowest 32 bits count.
    low = _mm256_add_epi64(low, _mm256_mul_epi32(low_half, weight));
    high = _mm256_add_epi64(high, _mm256_mul_epi32(_mm256_srli_epi64(factor, low_bits), weight));
  }
  void store(std::int64_t* sums) const {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums),
                        _mm256_add_epi64(low, _mm256_slli_epi64(high, low_bits)));
  }
};

void sum_up(const std::int64_t* factors, std::size_t count, const std::int64_t* weights,
            const std::uint32_t* distances, std::size_t weight_count, std::int64_t* sums) {
  std::size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    const __m256i zero = _mm256_setzero_si256();
    HalfSums first{zero, zero}, second{zero, zero};
    for (std::size_t j = 0; j < weight_count; ++j) {
      const __m256i weight = _mm256_set1_epi64x(weights[j]);
      const std::int64_t* const from = factors + i - distances[j];
      first.add(from, weight);
      second.add(from + lanes, weight);
    }
    first.store(sums + i);
    second.store(sums + i + lanes);
  }
  for (; i < count; ++i) sums[i] = sum_for(factors + i, weights, distances, weight_count);
}

/// Some rows of a matrix, and words whose numbers for these rows are weighed.
struct WeighedRows {
  static constexpr std::size_t rows = lanes, max_words = 128;

  /// The numbers of rows from `first` on. Adds to their right side.
  void weigh(const WeighedWords& all, std::size_t first, double* right) {
    __m256d sum = _mm256_loadu_pd(right + first);
    for (std::size_t k = 0; k < all.count; ++k) {
      const __m256d of_word =
          _mm256_mul_pd(_mm256_set1_pd(all.weights[k]), _mm256_loadu_pd(all.before + k * all.stride + first));
      _mm256_store_pd(numbers + k * rows, of_word);
      sum = _mm256_add_pd(sum, _mm256_mul_pd(of_word, _mm256_set1_pd(all.words[k])));
    }
    _mm256_storeu_pd(right + first, sum);
  }
  /// Adds to columns from `first` on, all sums of which are in registers.
  template <std::size_t vectors>
  void add(const WeighedWords& all, std::size_t first, double* matrix, std::size_t matrix_stride) const {
    __m256d sums[rows][vectors];
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t v = 0; v < vectors; ++v)
        sums[i][v] = _mm256_loadu_pd(matrix + i * matrix_stride + first + v * lanes);
    }
    for (std::size_t k = 0; k < all.count; ++k) {
      const double* const before = all.before + k * all.stride + first;
      __m256d columns[vectors];
      for (std::size_t v = 0; v < vectors; ++v) columns[v] = _mm256_loadu_pd(before + v * lanes);
      for (std::size_t i = 0; i < rows; ++i) {
        const __m256d weighed = _mm256_broadcast_sd(numbers + k * rows + i);
        for (std::size_t v = 0; v < vectors; ++v)
          sums[i][v] = _mm256_add_pd(sums[i][v], _mm256_mul_pd(weighed, columns[v]));
      }
    }
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t v = 0; v < vectors; ++v)
        _mm256_storeu_pd(matrix + i * matrix_stride + first + v * lanes, sums[i][v]);
    }
  }

  alignas(32) double numbers[rows * max_words];
};

/// As add_equations: squares of the matrix get what all words add to them.
void add_in_squares(const WeighedWords& all, std::size_t unknowns, double* matrix, double* right) {
  const std::size_t matrix_stride = LinearKernels::padded(unknowns);
  WeighedRows rows;
  WeighedWords some = all;
  for (std::size_t left = all.count; left > 0; left -= some.count) {
    some.count = std::min(left, WeighedRows::max_words);
    for (std::size_t i = 0; i < unknowns; i += WeighedRows::rows) {
      double* const of_rows = matrix + i * matrix_stride;
      rows.weigh(some, i, right);
      std::size_t j = 0;
      for (; j + lanes <= i; j += 2 * lanes) rows.add<2>(some, j, of_rows, matrix_stride);
      if (j <= i) rows.add<1>(some, j, of_rows, matrix_stride);
    }
    some.words += some.count;
    some.weights += some.count;
    some.before += some.count * some.stride;
  }
}

/// A number of each of four words.
template <bool are_neighbours>
__m256d numbers_of_words(const double* from, std::size_t stride) {
  if constexpr (are_neighbours) return _mm256_loadu_pd(from);
  return _mm256_setr_pd(from[0], from[stride], from[2 * stride], from[3 * stride]);
}

/// Of several words at a time, each in the order of the numbers before it.
template <bool are_neighbours>
void find_eight_errors(const WeighedWords& all, const double* weights, std::size_t unknowns,
                       std::size_t first, double* errors) {
  __m256d low = _mm256_loadu_pd(all.words + first), high = _mm256_loadu_pd(all.words + first + lanes);
  const double* before = all.before + first * all.stride;
  for (std::size_t j = 0; j < unknowns; ++j, ++before) {
    const __m256d weight = _mm256_set1_pd(weights[j]),
                  of_low = numbers_of_words<are_neighbours>(before, all.stride),
                  of_high = numbers_of_words<are_neighbours>(before + lanes * all.stride, all.stride);
    low = _mm256_sub_pd(low, _mm256_mul_pd(weight, of_low));
    high = _mm256_sub_pd(high, _mm256_mul_pd(weight, of_high));
  }
  const __m256d sign = _mm256_set1_pd(-0.0);
  _mm256_storeu_pd(errors + first, _mm256_andnot_pd(sign, low));
  _mm256_storeu_pd(errors + first + lanes, _mm256_andnot_pd(sign, high));
}

void find_errors(const WeighedWords& all, const double* weights, std::size_t unknowns, double* errors) {
  std::size_t k = 0;
  for (; k + 2 * lanes <= all.count; k += 2 * lanes) {
    if (all.stride == 1)
      find_eight_errors<true>(all, weights, unknowns, k, errors);
    else
      find_eight_errors<false>(all, weights, unknowns, k, errors);
  }
  for (; k < all.count; ++k) errors[k] = error_of(all, weights, unknowns, k);
}

constexpr LinearKernels vector_kernels = {add_in_squares, find_errors, sum_up};
}  // namespace
FLOE_AVX2_END

const LinearKernels& linear_kernels = vector_kernels;

}  // namespace floe::trees::avx2

#endif
