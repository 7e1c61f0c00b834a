// Vectors of sixteen 32-bit words: residuals, their folding, and back. For translation units that are AVX-512 throughout.
#pragma once

#include "backend/cpu/avx512/intrinsics.hpp"
#include "backend/cpu/avx512/target.hpp"

FLOE_AVX512_BEGIN
namespace floe::cpu::avx512 {

/// Each word less the one before it; `before` is the vector before.
inline __m512i sub_previous32(__m512i now, __m512i before) { return _mm512_sub_epi32(now, _mm512_alignr_epi32(now, before, 15)); }

inline __m512i fold32(__m512i d) { return _mm512_xor_si512(_mm512_add_epi32(d, d), _mm512_srai_epi32(d, 31)); }

inline __m512i unfold32(__m512i y) {
  const __m512i sign = _mm512_sub_epi32(_mm512_setzero_si512(), _mm512_and_si512(y, _mm512_set1_epi32(1)));
  return _mm512_xor_si512(_mm512_srli_epi32(y, 1), sign);
}

/// Inclusive prefix sums of the sixteen words.
inline __m512i prefix32(__m512i x) {
  x = _mm512_add_epi32(x, _mm512_slli_epi64(x, 32));
  x = _mm512_add_epi32(x, _mm512_maskz_shuffle_epi32(0xCCCC, x, _MM_PERM_BBAA));
  const __m512i halves = _mm512_setr_epi32(0, 0, 0, 0, 3, 3, 3, 3, 0, 0, 0, 0, 11, 11, 11, 11);
  x = _mm512_add_epi32(x, _mm512_maskz_permutexvar_epi32(0xF0F0, halves, x));
  return _mm512_add_epi32(x, _mm512_maskz_permutexvar_epi32(0xFF00, _mm512_set1_epi32(7), x));
}

/// The last word in every lane.
inline __m512i last32(__m512i x) { return _mm512_permutexvar_epi32(_mm512_set1_epi32(15), x); }

}  // namespace floe::cpu::avx512
FLOE_AVX512_END
