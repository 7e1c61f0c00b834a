// Vectors of eight 32-bit words: loads and stores, residuals, their folding, and back. For translation units
// that are AVX2 throughout.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "chunks/cpu/avx2/target.hpp"

FLOE_AVX2_BEGIN
namespace floe::cpu::avx2 {

inline __m256i load256(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }
inline __m256i load256(const void* first_half, const void* second_half) {
  return _mm256_loadu2_m128i(static_cast<const __m128i*>(second_half),
                             static_cast<const __m128i*>(first_half));
}
inline void store256(void* to, __m256i v) { _mm256_storeu_si256(static_cast<__m256i*>(to), v); }

/// Each word less the one before it; `before` is the vector before.
inline __m256i sub_previous32(__m256i now, __m256i before) {
  return _mm256_sub_epi32(now, _mm256_alignr_epi8(now, _mm256_permute2x128_si256(before, now, 0x21), 12));
}

inline __m256i fold32(__m256i d) {
  return _mm256_xor_si256(_mm256_add_epi32(d, d), _mm256_srai_epi32(d, 31));
}

inline __m256i unfold32(__m256i y) {
  const __m256i sign = _mm256_sub_epi32(_mm256_setzero_si256(), _mm256_and_si256(y, _mm256_set1_epi32(1)));
  return _mm256_xor_si256(_mm256_srli_epi32(y, 1), sign);
}

/// Inclusive prefix sums; `carry` is the last word before at every position, and then the last word of this
/// vector.
inline __m256i prefix_sums32(__m256i x, __m256i& carry) {
  x = _mm256_add_epi32(x, _mm256_slli_si256(x, 4));
  x = _mm256_add_epi32(x, _mm256_slli_si256(x, 8));
  const __m256i totals = _mm256_shuffle_epi32(x, 0xFF),
                swapped = _mm256_permute2x128_si256(totals, totals, 0x01);
  const __m256i sums =
      _mm256_add_epi32(x, _mm256_add_epi32(carry, _mm256_blend_epi32(_mm256_setzero_si256(), swapped, 0xF0)));
  carry = _mm256_add_epi32(carry, _mm256_add_epi32(totals, swapped));
  return sums;
}

}  // namespace floe::cpu::avx2
FLOE_AVX2_END
