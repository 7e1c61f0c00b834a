// Normal equations for AVX-512: eight rows of the matrix at once, each sum in the order of the words. The
// rest is that of AVX2.
#if defined(__x86_64__)

#include "chunks/cpu/avx512/intrinsics.hpp"

#include <algorithm>
#include <cmath>

#include "chunks/cpu/avx512/target.hpp"
#include "simd/linear/kernels.hpp"

namespace floe::trees::avx512 {

extern const LinearKernels::AddEquations add_equations;

FLOE_AVX512_BEGIN
namespace {

constexpr std::size_t lanes = 8;

/// Eight rows of a matrix, and words whose numbers for these rows are weighed.
struct WeighedRows {
  static constexpr std::size_t rows = lanes, max_words = 128;

  /// The numbers of rows from `first` on. Adds to their right side.
  void weigh(const WeighedWords& all, std::size_t first, double* right) {
    __m512d sum = _mm512_loadu_pd(right + first);
    for (std::size_t k = 0; k < all.count; ++k) {
      const __m512d of_word =
          _mm512_mul_pd(_mm512_set1_pd(all.weights[k]), _mm512_loadu_pd(all.before + k * all.stride + first));
      _mm512_store_pd(numbers + k * rows, of_word);
      sum = _mm512_add_pd(sum, _mm512_mul_pd(of_word, _mm512_set1_pd(all.words[k])));
    }
    _mm512_storeu_pd(right + first, sum);
  }
  /// Adds to columns from `first` on, all sums of which are in registers.
  template <std::size_t vectors>
  void add(const WeighedWords& all, std::size_t first, double* matrix, std::size_t matrix_stride) const {
    __m512d sums[rows][vectors];
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t v = 0; v < vectors; ++v)
        sums[i][v] = _mm512_loadu_pd(matrix + i * matrix_stride + first + v * lanes);
    }
    for (std::size_t k = 0; k < all.count; ++k) {
      const double* const before = all.before + k * all.stride + first;
      __m512d columns[vectors];
      for (std::size_t v = 0; v < vectors; ++v) columns[v] = _mm512_loadu_pd(before + v * lanes);
      for (std::size_t i = 0; i < rows; ++i) {
        const __m512d weighed = _mm512_set1_pd(numbers[k * rows + i]);
        for (std::size_t v = 0; v < vectors; ++v)
          sums[i][v] = _mm512_add_pd(sums[i][v], _mm512_mul_pd(weighed, columns[v]));
      }
    }
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t v = 0; v < vectors; ++v)
        _mm512_storeu_pd(matrix + i * matrix_stride + first + v * lanes, sums[i][v]);
    }
  }

  alignas(64) double numbers[rows * max_words];
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

}  // namespace
FLOE_AVX512_END

const LinearKernels::AddEquations add_equations = add_in_squares;

}  // namespace floe::trees::avx512

#endif
