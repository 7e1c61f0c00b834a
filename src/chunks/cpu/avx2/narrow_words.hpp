// Words of 8 and 16 bits in vectors with AVX2: what speed.inl needs of them. To be packed, neighbours become
// words of 32 bits. For translation units that are AVX2 throughout.
#pragma once

#include "chunks/cpu/avx2/subchunk_packing.hpp"

FLOE_AVX2_BEGIN
namespace floe::cpu::avx2 {

/// Adds `carry` and, in the upper half, the last word of the lower one to the sums of both halves. `totals`
/// has the last word of each half at all of its positions; that of both becomes `carry`.
template <class L>
__m256i add_totals(__m256i sums, __m256i totals, __m256i& carry) {
  const __m256i swapped = _mm256_permute2x128_si256(totals, totals, 0x01);
  sums = L::add(sums, L::add(carry, _mm256_blend_epi32(L::zero(), swapped, 0xF0)));
  carry = L::add(carry, L::add(totals, swapped));
  return sums;
}

inline __m128i bit_count(unsigned bits) { return _mm_cvtsi32_si128(static_cast<int>(bits)); }

template <>
struct Lanes<16> : Vectors {
  using Word = std::uint16_t;
  static constexpr unsigned word_bits = 16, width_field = 5, words_per_lane = 4;
  static __m256i residuals(const std::uint8_t* words, __m256i&) {
    return _mm256_sub_epi16(load(words), load(words - 2));
  }
  static __m256i fold(__m256i d) {
    return _mm256_xor_si256(_mm256_add_epi16(d, d), _mm256_srai_epi16(d, 15));
  }
  static __m256i unfold(__m256i y) {
    const __m256i sign = _mm256_sub_epi16(zero(), _mm256_and_si256(y, _mm256_set1_epi16(1)));
    return _mm256_xor_si256(_mm256_srli_epi16(y, 1), sign);
  }
  static __m256i add(__m256i a, __m256i b) { return _mm256_add_epi16(a, b); }
  /// The sign becomes the lowest bit.
  static __m256i ordered(__m256i v) { return _mm256_or_si256(add(v, v), _mm256_srli_epi16(v, 15)); }
  static void range_of(const std::uint8_t* words, std::uint64_t& below_smallest, std::uint64_t& largest) {
    const __m256i ones = _mm256_set1_epi8(-1);
    __m256i min = ones, max = zero();
    for (std::size_t i = 0; i < subchunk_bytes; i += sizeof(Vector)) {
      const __m256i v = ordered(load(words + i));
      min = _mm256_min_epu16(min, add(v, ones));
      max = _mm256_max_epu16(max, v);
    }
    below_smallest = min_of(min);
    largest = 0xFFFF ^ min_of(_mm256_xor_si256(max, ones));
  }
  static unsigned min_of(__m256i v) {
    const __m128i both = _mm_min_epu16(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    return static_cast<unsigned>(_mm_cvtsi128_si32(_mm_minpos_epu16(both))) & 0xFFFF;
  }
  static __m256i set(unsigned word) { return _mm256_set1_epi16(static_cast<short>(word)); }
  static __m256i offsets(__m256i v, unsigned base) { return _mm256_subs_epu16(ordered(v), set(base)); }
  static __m256i words(__m256i v, unsigned base) {
    const __m256i w = _mm256_andnot_si256(_mm256_cmpeq_epi16(v, zero()), add(v, set(base)));
    return _mm256_or_si256(_mm256_srli_epi16(w, 1), _mm256_slli_epi16(w, 15));
  }
  static __m256i last_word(__m256i v) { return set(static_cast<unsigned>(_mm256_extract_epi16(v, 15))); }
  static __m256i prefix_sums(__m256i x, __m256i& carry) {
    x = add(x, _mm256_slli_si256(x, 2));
    x = add(x, _mm256_slli_si256(x, 4));
    x = add(x, _mm256_slli_si256(x, 8));
    return add_totals<Lanes>(x, _mm256_shuffle_epi8(x, _mm256_set1_epi16(0x0F0E)), carry);
  }
  /// Pairs of words to words of 2 * width bits.
  static __m256i join32(__m256i v, unsigned width) {
    const __m256i second = _mm256_sll_epi32(_mm256_srli_epi32(v, 16), bit_count(width));
    return _mm256_or_si256(_mm256_blend_epi16(v, zero(), 0xAA), second);
  }
  /// The words of a lane of 64 bits side by side.
  static __m256i join(__m256i v, unsigned width) { return Lanes<32>::join(join32(v, width), 2 * width); }
  /// The inverse of join32; bits from 2 * width on do not matter.
  static __m256i split(__m256i v, unsigned width) {
    const __m256i words = _mm256_blend_epi16(v, _mm256_sll_epi32(v, bit_count(16 - width)), 0xAA);
    return _mm256_and_si256(words, _mm256_set1_epi16(static_cast<short>(core::low_mask<Word>(width))));
  }
};

template <>
struct Lanes<8> : Vectors {
  using Word = std::uint8_t;
  static constexpr unsigned word_bits = 8, width_field = 4, words_per_lane = 8;
  static __m256i residuals(const std::uint8_t* words, __m256i&) {
    return _mm256_sub_epi8(load(words), load(words - 1));
  }
  static __m256i fold(__m256i d) {
    return _mm256_xor_si256(_mm256_add_epi8(d, d), _mm256_cmpgt_epi8(zero(), d));
  }
  static __m256i unfold(__m256i y) {
    const __m256i sign = _mm256_sub_epi8(zero(), _mm256_and_si256(y, _mm256_set1_epi8(1)));
    return _mm256_xor_si256(_mm256_and_si256(_mm256_srli_epi16(y, 1), _mm256_set1_epi8(0x7F)), sign);
  }
  static __m256i add(__m256i a, __m256i b) { return _mm256_add_epi8(a, b); }
  static void range_of(const std::uint8_t* words, std::uint64_t& below_smallest, std::uint64_t& largest) {
    const __m256i ones = _mm256_set1_epi8(-1);
    __m256i min = ones, max = zero();
    for (std::size_t i = 0; i < subchunk_bytes; i += sizeof(Vector)) {
      const __m256i v = load(words + i);
      min = _mm256_min_epu8(min, add(v, ones));
      max = _mm256_max_epu8(max, v);
    }
    below_smallest = min_of(min);
    largest = 0xFF ^ min_of(_mm256_xor_si256(max, ones));
  }
  static unsigned min_of(__m256i v) {
    return Lanes<16>::min_of(
        _mm256_min_epu8(_mm256_and_si256(v, _mm256_set1_epi16(0xFF)), _mm256_srli_epi16(v, 8)));
  }
  static __m256i set(unsigned word) { return _mm256_set1_epi8(static_cast<char>(word)); }
  static __m256i offsets(__m256i v, unsigned base) { return _mm256_subs_epu8(v, set(base)); }
  static __m256i words(__m256i v, unsigned base) {
    return _mm256_andnot_si256(_mm256_cmpeq_epi8(v, zero()), add(v, set(base)));
  }
  static __m256i last_word(__m256i v) { return set(static_cast<unsigned>(_mm256_extract_epi8(v, 31))); }
  static __m256i prefix_sums(__m256i x, __m256i& carry) {
    x = add(x, _mm256_slli_si256(x, 1));
    x = add(x, _mm256_slli_si256(x, 2));
    x = add(x, _mm256_slli_si256(x, 4));
    x = add(x, _mm256_slli_si256(x, 8));
    return add_totals<Lanes>(x, _mm256_shuffle_epi8(x, _mm256_set1_epi8(15)), carry);
  }
  static __m256i join32(__m256i v, unsigned width) {
    const __m256i second = _mm256_sll_epi16(_mm256_srli_epi16(v, 8), bit_count(width));
    return Lanes<16>::join32(_mm256_or_si256(_mm256_and_si256(v, _mm256_set1_epi16(0xFF)), second),
                             2 * width);
  }
  static __m256i join(__m256i v, unsigned width) { return Lanes<32>::join(join32(v, width), 4 * width); }
  static __m256i split(__m256i v, unsigned width) {
    const __m256i pairs = Lanes<16>::split(v, 2 * width),
                  low = _mm256_set1_epi16(core::low_mask<Word>(width));
    const __m256i second = _mm256_sll_epi16(_mm256_andnot_si256(low, pairs), bit_count(8 - width));
    return _mm256_or_si256(_mm256_and_si256(pairs, low), second);
  }
};

}  // namespace floe::cpu::avx2
FLOE_AVX2_END
