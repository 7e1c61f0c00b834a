// How many of up to 2048 words need more than k bits, for all k at once.
#pragma once

#include <cstdint>

#include "chunks/cpu/avx512/intrinsics.hpp"
#include "chunks/cpu/avx512/target.hpp"

FLOE_AVX512_BEGIN
namespace floe::cpu::avx512 {

/// Counts how often each of the 64 bits is set in vectors of eight words, without looking at single bits:
/// carry-save adders keep one vector for every binary digit of the counts.
class BitCounts {
 public:
  static constexpr unsigned vectors_per_step = 16;

  BitCounts() {
    for (__m512i& digit : digits_) digit = _mm512_setzero_si512();
  }

  /// Adds vector(0) ... vector(15), which are asked for in this order.
  template <class Vector>
  void add(const Vector& vector) {
    __m512i carry = sum_of<vectors_per_step / 2>(vector, 0);
    for (unsigned d = 4; d < digit_count; ++d) {  // seldom more than two digits
      const __m512i digit = digits_[d];
      digits_[d] = _mm512_xor_si512(digit, carry);
      carry = _mm512_and_si512(digit, carry);
    }
  }

  /// Writes the 64 counts.
  void store(std::uint16_t* counts) const {
    __m512i lower = _mm512_setzero_si512(), upper = lower;
    for (unsigned d = 0; d < digit_count; ++d) {
      std::uint64_t words[8];
      _mm512_storeu_si512(words, digits_[d]);
      __m512i ones = _mm512_setzero_si512();
      for (const std::uint64_t word : words) ones = _mm512_sub_epi8(ones, _mm512_movm_epi8(word));
      const __m128i weight = _mm_cvtsi32_si128(static_cast<int>(d));
      lower = _mm512_add_epi16(lower,
                               _mm512_sll_epi16(_mm512_cvtepu8_epi16(_mm512_castsi512_si256(ones)), weight));
      upper = _mm512_add_epi16(
          upper, _mm512_sll_epi16(_mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(ones, 1)), weight));
    }
    _mm512_storeu_si512(counts, lower);
    _mm512_storeu_si512(counts + 32, upper);
  }

 private:
  static constexpr unsigned digit_count = 9;  // 256 vectors

  /// Adds 2 * pairs vectors to the digits below 2 * pairs; returns what is carried on.
  template <unsigned pairs, class Vector>
  __m512i sum_of(const Vector& vector, unsigned first) {
    if constexpr (pairs == 1) {
      const __m512i a = vector(first);
      return add_to(0, a, vector(first + 1));
    } else {
      constexpr unsigned digit = pairs == 2 ? 1 : pairs == 4 ? 2 : 3;
      const __m512i a = sum_of<pairs / 2>(vector, first);
      return add_to(digit, a, sum_of<pairs / 2>(vector, first + pairs));
    }
  }
  __m512i add_to(unsigned d, __m512i a, __m512i b) {
    const __m512i carry = _mm512_ternarylogic_epi64(digits_[d], a, b, 0xE8);
    digits_[d] = _mm512_ternarylogic_epi64(digits_[d], a, b, 0x96);
    return carry;
  }

  __m512i digits_[digit_count];
};

/// All bits below the highest one that is set, and that bit: bit k is set if the word needs more than k bits.
inline __m512i smear(__m512i words) {
  return _mm512_srlv_epi64(_mm512_set1_epi64(-1), _mm512_lzcnt_epi64(words));
}

}  // namespace floe::cpu::avx512
FLOE_AVX512_END
