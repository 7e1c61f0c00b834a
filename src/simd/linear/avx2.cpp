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
  void clear() { low = high = _mm256_setzero_si256(); }
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

/// Of factors of 32 bits.
struct NarrowSums {
  __m256i sums;
  void clear() { sums = _mm256_setzero_si256(); }
  void add(const std::int64_t* factors, __m256i weight) {
    const __m256i factor = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(factors));
    sums = _mm256_add_epi64(sums, _mm256_mul_epi32(factor, weight));
  }
  void store(std::int64_t* to) const { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), sums); }
};

template <class Sums>
void sum_up(const std::int64_t* factors, std::size_t count, const std::int64_t* weights,
            const std::uint32_t* distances, std::size_t weight_count, std::int64_t* sums) {
  std::size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    Sums first, second;
    first.clear();
    second.clear();
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

using Doubles = __m256d;
Doubles load(const double* from) { return _mm256_loadu_pd(from); }
void store(double* to, Doubles numbers) { _mm256_storeu_pd(to, numbers); }
Doubles in_all_lanes(double number) { return _mm256_set1_pd(number); }
Doubles added(Doubles a, Doubles b) { return _mm256_add_pd(a, b); }
Doubles product(Doubles a, Doubles b) { return _mm256_mul_pd(a, b); }
#include "simd/linear/squares.inl"

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

__m256i load(const std::int32_t* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }

void store(std::int32_t* to, __m256i numbers) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), numbers);
}

/// Eight vectors of eight numbers, of which the second ones follow each other at a distance.
void transpose(const std::int32_t* from, std::ptrdiff_t from_distance, std::int32_t* to,
               std::ptrdiff_t to_distance) {
  __m256i pairs[8], fours[8];
  for (int i = 0; i < 8; i += 2) {
    const __m256i first = load(from + i * from_distance), second = load(from + (i + 1) * from_distance);
    pairs[i] = _mm256_unpacklo_epi32(first, second);
    pairs[i + 1] = _mm256_unpackhi_epi32(first, second);
  }
  for (int i = 0; i < 8; i += 4) {
    for (int k = 0; k < 2; ++k) {
      fours[i + 2 * k] = _mm256_unpacklo_epi64(pairs[i + k], pairs[i + k + 2]);
      fours[i + 2 * k + 1] = _mm256_unpackhi_epi64(pairs[i + k], pairs[i + k + 2]);
    }
  }
  for (int i = 0; i < 4; ++i) {
    store(to + i * to_distance, _mm256_permute2x128_si256(fours[i], fours[i + 4], 0x20));
    store(to + (i + 4) * to_distance, _mm256_permute2x128_si256(fours[i], fours[i + 4], 0x31));
  }
}

/// From rows to steps, or back.
template <bool is_back>
void move_numbers(const RowsSideBySide& rows) {
  constexpr auto count = static_cast<std::ptrdiff_t>(RowsSideBySide::count);
  const auto distance = static_cast<std::ptrdiff_t>(rows.distance - rows.skew);
  const std::size_t end = rows.row_words + (RowsSideBySide::count - 1) * rows.skew;
  for (std::size_t step = 0; step < end; step += RowsSideBySide::count) {
    std::int32_t *const in_rows = rows.rows + step, *const in_steps =
                                                        rows.steps + step * RowsSideBySide::count;
    if constexpr (is_back)
      transpose(in_steps, count, in_rows, distance);
    else
      transpose(in_rows, distance, in_steps, count);
  }
}

/// The steps from one to another, of which some rows may have no words left: these hold their last ones.
template <bool are_signed, bool holds>
void decode_steps(const RowsSideBySide& rows, std::size_t from, std::size_t to) {
  using Neighbour = RowsSideBySide::Neighbour;
  const __m256i numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
                weights_of_last = load(rows.weights_of_last.data());
  const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(32 - rows.word_bits));
  std::int32_t* at = rows.steps + from * RowsSideBySide::count;
  __m256i last = load(at - RowsSideBySide::count);
  // Row i holds its last word from step row_words + i * skew on.
  const std::size_t past = holds ? (from - rows.row_words) / rows.skew : 0;
  const __m256i held = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(past) + 1), numbers);
  for (std::size_t step = from; step < to; ++step, at += RowsSideBySide::count) {
    __m256i sum = load(at);
    for (const Neighbour& of : rows.rows_before) {
      const __m256i before = load(at - of.steps_before * std::ptrdiff_t{RowsSideBySide::count}),
                    moved = _mm256_permutevar8x32_epi32(
                        before,
                        _mm256_sub_epi32(numbers, _mm256_set1_epi32(static_cast<int>(of.rows_before))));
      sum = _mm256_add_epi32(sum, _mm256_mullo_epi32(moved, load(of.weights.data())));
    }
    for (const Neighbour& of : rows.same_row) {
      const __m256i before = load(at - of.steps_before * std::ptrdiff_t{RowsSideBySide::count});
      sum = _mm256_add_epi32(sum, _mm256_mullo_epi32(before, load(of.weights.data())));
    }
    // The last words come last: the others need not wait for them.
    sum = _mm256_add_epi32(sum, _mm256_mullo_epi32(last, weights_of_last));
    const __m256i words = are_signed ? _mm256_sra_epi32(sum, shift) : _mm256_srl_epi32(sum, shift);
    last = holds ? _mm256_blendv_epi8(words, last, held) : words;
    store(at, last);
  }
}

template <bool are_signed>
void decode_all_steps(const RowsSideBySide& rows) {
  std::size_t from = 0;
  for (std::size_t row = 1; row < RowsSideBySide::count; ++row) {
    const std::size_t first = row * rows.skew;
    decode_steps<are_signed, false>(rows, from, first);
    const std::int32_t above = rows.steps[(first - rows.skew) * RowsSideBySide::count + row - 1];
    for (std::size_t i = 1; i <= rows.left; ++i)
      rows.steps[(static_cast<std::ptrdiff_t>(first) - static_cast<std::ptrdiff_t>(i)) *
                     std::ptrdiff_t{RowsSideBySide::count} +
                 static_cast<std::ptrdiff_t>(row)] = above;
    from = first;
  }
  decode_steps<are_signed, false>(rows, from, rows.row_words);
  for (std::size_t row = 1; row < RowsSideBySide::count; ++row)
    decode_steps<are_signed, true>(rows, rows.row_words + (row - 1) * rows.skew,
                                   rows.row_words + row * rows.skew);
}

void decode_rows(const RowsSideBySide& rows) {
  move_numbers<false>(rows);
  rows.are_signed ? decode_all_steps<true>(rows) : decode_all_steps<false>(rows);
  move_numbers<true>(rows);
}

constexpr LinearKernels vector_kernels = {add_in_squares, find_errors, sum_up<HalfSums>, sum_up<NarrowSums>,
                                          decode_rows};
}  // namespace
FLOE_AVX2_END

const LinearKernels& linear_kernels = vector_kernels;

}  // namespace floe::trees::avx2

#endif
