// Vectors of sixteen 32-bit words: residuals, their folding, and back. For translation units that are AVX-512
// throughout.
#pragma once

#include "chunks/cpu/avx512/intrinsics.hpp"
#include "chunks/cpu/avx512/target.hpp"

FLOE_AVX512_BEGIN
namespace floe::cpu::avx512 {

/// Each word less the one before it; `before` is the vector before.
inline __m512i sub_previous32(__m512i now, __m512i before) {
  return _mm512_sub_epi32(now, _mm512_alignr_epi32(now, before, 15));
}

inline __m512i fold32(__m512i d) {
  return _mm512_xor_si512(_mm512_add_epi32(d, d), _mm512_srai_epi32(d, 31));
}

inline __m512i unfold32(__m512i y) {
  const __m512i sign = _mm512_sub_epi32(_mm512_setzero_si512(), _mm512_and_si512(y, _mm512_set1_epi32(1)));
  return _mm512_xor_si512(_mm512_srli_epi32(y, 1), sign);
}

/// Inclusive prefix sums within each four words.
inline __m512i quarter_prefix32(__m512i x) {
  x = _mm512_add_epi32(x, _mm512_slli_epi64(x, 32));
  return _mm512_add_epi32(x, _mm512_maskz_shuffle_epi32(0xCCCC, x, _MM_PERM_BBAA));
}

/// Inclusive prefix sums of the sixteen words.
inline __m512i prefix32(__m512i x) {
  x = quarter_prefix32(x);
  const __m512i halves = _mm512_setr_epi32(0, 0, 0, 0, 3, 3, 3, 3, 0, 0, 0, 0, 11, 11, 11, 11);
  x = _mm512_add_epi32(x, _mm512_maskz_permutexvar_epi32(0xF0F0, halves, x));
  return _mm512_add_epi32(x, _mm512_maskz_permutexvar_epi32(0xFF00, _mm512_set1_epi32(7), x));
}

/// The last word in every lane.
inline __m512i last32(__m512i x) { return _mm512_permutexvar_epi32(_mm512_set1_epi32(15), x); }

/// Replaces four vectors by their prefix sums; `carry` is the word before in every lane, and then the last
/// word. Sums within quarters of a vector first: the totals of the sixteen quarters fill a vector, where what
/// comes before each of them is found with as few shuffles, of which there is one at a time, as for one
/// vector.
inline void add_up32(__m512i* words, __m512i& carry) {
  const __m512i last_of_quarters =
      _mm512_setr_epi32(3, 7, 11, 15, 19, 23, 27, 31, 3, 7, 11, 15, 19, 23, 27, 31);
  const __m512i first_quarters = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
  for (unsigned k = 0; k < 4; ++k) words[k] = quarter_prefix32(words[k]);
  const __m512i totals =
      _mm512_mask_blend_epi32(0xFF00, _mm512_permutex2var_epi32(words[0], last_of_quarters, words[1]),
                              _mm512_permutex2var_epi32(words[2], last_of_quarters, words[3]));
  const __m512i sums = prefix32(totals), before = _mm512_add_epi32(_mm512_sub_epi32(sums, totals), carry);
  carry = _mm512_add_epi32(carry, last32(sums));
  for (unsigned k = 0; k < 4; ++k) {
    const __m512i quarters = _mm512_add_epi32(first_quarters, _mm512_set1_epi32(static_cast<int>(4 * k)));
    words[k] = _mm512_add_epi32(words[k], _mm512_permutexvar_epi32(quarters, before));
  }
}

}  // namespace floe::cpu::avx512
FLOE_AVX512_END
