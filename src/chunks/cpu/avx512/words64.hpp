// Vectors of eight 64-bit words: residuals, their folding and packing, and back. For translation units that
// are AVX-512 throughout.
#pragma once

#include "chunks/cpu/avx512/intrinsics.hpp"
#include "chunks/cpu/avx512/subchunk_packing.hpp"
#include "chunks/cpu/avx512/target.hpp"

FLOE_AVX512_BEGIN
namespace floe::cpu::avx512 {

/// A word is a lane: subchunk_packing.hpp says what is needed of it, speed.inl what else.
struct Lanes64 : Vectors {
  static constexpr unsigned word_bits = 64;
  static constexpr unsigned words_per_lane = 1;
  static constexpr unsigned width_field = 7;
  static __m512i residuals(const std::uint8_t* words, __m512i& before) {
    const __m512i now = load(words), d = _mm512_sub_epi64(now, _mm512_alignr_epi64(now, before, 7));
    before = now;
    return d;
  }
  static __m512i fold(__m512i d) {
    return _mm512_xor_si512(_mm512_add_epi64(d, d), _mm512_srai_epi64(d, 63));
  }
  static __m512i unfold(__m512i y) {
    const __m512i sign = _mm512_sub_epi64(_mm512_setzero_si512(), _mm512_and_si512(y, _mm512_set1_epi64(1)));
    return _mm512_xor_si512(_mm512_srli_epi64(y, 1), sign);
  }
  /// A shift, the bits that stay, and the bits to flip, which follow from those that are shifted out: no
  /// branch for words that were folded twice.
  struct Unfolding {
    Unfolding(unsigned width, bool twice)
        : count(_mm512_set1_epi64(twice ? 2 : 1)),
          low(_mm512_srlv_epi64(low_bits(width), count)),
          flipped(twice ? _mm512_set4_epi64(0x7FFFFFFFFFFFFFFF, -1,
                                            static_cast<long long>(std::uint64_t{1} << 63), 0)
                        : _mm512_set4_epi64(-1, 0, -1, 0)) {}
    __m512i operator()(__m512i y) const {
      return select_and_flip(_mm512_srlv_epi64(y, count), low, _mm512_permutexvar_epi64(y, flipped));
    }
    __m512i count, low, flipped;
  };
  static __m512i max(__m512i a, __m512i b) { return _mm512_max_epu64(a, b); }
  static std::uint64_t max_of(__m512i v) { return _mm512_reduce_max_epu64(v); }
  static __m512i low_bits(unsigned width) {
    return _mm512_set1_epi64(
        static_cast<long long>(width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1));
  }
  static __m512i join(__m512i words, unsigned) { return words; }
  static __m512i split(__m512i lane, unsigned width) { return _mm512_and_si512(lane, low_bits(width)); }
  static __m512i prefix_sums(__m512i x, __m512i& carry) {
    x = _mm512_add_epi64(x, _mm512_alignr_epi64(x, zero(), 7));
    x = _mm512_add_epi64(x, _mm512_alignr_epi64(x, zero(), 6));
    x = _mm512_add_epi64(x, _mm512_alignr_epi64(x, zero(), 4));
    const __m512i result = _mm512_add_epi64(x, carry);
    carry = _mm512_add_epi64(carry, _mm512_permutexvar_epi64(_mm512_set1_epi64(7), x));
    return result;
  }
  static __m512i narrow(const __m512i* v) {
    std::uint64_t bytes[8];
    for (unsigned i = 0; i < 8; ++i)
      _mm_storel_epi64(reinterpret_cast<__m128i*>(bytes + i), _mm512_cvtepi64_epi8(v[i]));
    return _mm512_loadu_si512(bytes);
  }
  static void widen(__m512i bytes, __m512i* v) {
    std::uint64_t lanes[8];
    _mm512_storeu_si512(lanes, bytes);
    for (unsigned i = 0; i < 8; ++i)
      v[i] = _mm512_cvtepu8_epi64(_mm_cvtsi64_si128(static_cast<long long>(lanes[i])));
  }
  static constexpr unsigned vectors_per_64_words = 8;
};

}  // namespace floe::cpu::avx512
FLOE_AVX512_END
