// Predictions by weighted sums for AVX2, which has no product of 64 bits: products of halves of the factors,
// which are added up apart. Normal equations: several sums of a row at once, each in the order of the words.
#if defined(__x86_64__)

#include <immintrin.h>

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

/// As add_equations, with vectors that compilers do not find where sanitizers or counters are in between.
void add_in_vectors(const double* __restrict before, std::size_t stride, const double* __restrict words,
                    const double* __restrict weights, std::size_t unknowns, double* __restrict matrix,
                    double* __restrict right) {
  static_assert(LinearKernels::equations_at_once == 4);
  const double *const before1 = before + stride, *const before2 = before1 + stride,
                      *const before3 = before2 + stride;
  for (std::size_t i = 0; i < unknowns; ++i) {
    const double w0 = weights[0] * before[i], w1 = weights[1] * before1[i], w2 = weights[2] * before2[i],
                 w3 = weights[3] * before3[i];
    right[i] = right[i] + w0 * words[0] + w1 * words[1] + w2 * words[2] + w3 * words[3];
    const __m256d all0 = _mm256_set1_pd(w0), all1 = _mm256_set1_pd(w1), all2 = _mm256_set1_pd(w2),
                  all3 = _mm256_set1_pd(w3);
    double* const row = matrix + i * unknowns;
    std::size_t j = 0;
    for (; j + lanes <= i + 1; j += lanes) {
      __m256d sum = _mm256_loadu_pd(row + j);
      sum = _mm256_add_pd(sum, _mm256_mul_pd(all0, _mm256_loadu_pd(before + j)));
      sum = _mm256_add_pd(sum, _mm256_mul_pd(all1, _mm256_loadu_pd(before1 + j)));
      sum = _mm256_add_pd(sum, _mm256_mul_pd(all2, _mm256_loadu_pd(before2 + j)));
      sum = _mm256_add_pd(sum, _mm256_mul_pd(all3, _mm256_loadu_pd(before3 + j)));
      _mm256_storeu_pd(row + j, sum);
    }
    for (; j <= i; ++j)
      row[j] = row[j] + w0 * before[j] + w1 * before1[j] + w2 * before2[j] + w3 * before3[j];
  }
}

constexpr LinearKernels vector_kernels = {add_in_vectors, sum_up};
}  // namespace
FLOE_AVX2_END

const LinearKernels& linear_kernels = vector_kernels;

}  // namespace floe::trees::avx2

#endif
