// speed8 and speed16 with AVX-512: as speed.cpp, with eight or four words per lane of 64 bits.
#include "chunks/cpu/avx512/kernels.hpp"

#if defined(__x86_64__)

#include <algorithm>
#include <bit>
#include <cstring>

#include "chunks/cpu/avx512/intrinsics.hpp"
#include "chunks/cpu/avx512/overlap.hpp"
#include "chunks/cpu/avx512/subchunk_packing.hpp"
#include "chunks/cpu/avx512/target.hpp"
#include "core/bits.hpp"
#include "core/chunk.hpp"

FLOE_AVX512_BEGIN
namespace floe::cpu::avx512 {
namespace {

/// The vector that begins `bytes` bytes before `now`, where `before` ends.
template <int bytes>
__m512i shifted_in(__m512i now, __m512i before) {
  return _mm512_alignr_epi8(now, _mm512_alignr_epi32(now, before, 12), 16 - bytes);
}

/// Two neighbours of `width` useful bits in each half of `half_bits` bits become one of twice the width. The
/// vector is that of their pairs.
template <unsigned half_bits>
__m512i join_pairs(__m512i pairs, unsigned width) {
  const auto low = static_cast<long long>((std::uint64_t{1} << width) - 1);
  const __m128i gap = shift_by(half_bits - width);
  if constexpr (half_bits == 8)
    return merge(_mm512_set1_epi16(static_cast<short>(low)), pairs, _mm512_srl_epi16(pairs, gap));
  if constexpr (half_bits == 16)
    return merge(_mm512_set1_epi32(static_cast<int>(low)), pairs, _mm512_srl_epi32(pairs, gap));
  if constexpr (half_bits == 32) return merge(_mm512_set1_epi64(low), pairs, _mm512_srl_epi64(pairs, gap));
}

/// The smallest of 32 words of 16 bits.
unsigned min_of_16_bit_words(__m512i v) {
  const __m256i halves = _mm256_min_epu16(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64(v, 1));
  const __m128i quarters = _mm_min_epu16(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
  return static_cast<unsigned>(_mm_cvtsi128_si32(_mm_minpos_epu16(quarters))) & 0xFFFF;
}

template <unsigned bits>
struct Lanes;

template <>
struct Lanes<16> : Vectors {
  using Word = std::uint16_t;
  static constexpr unsigned word_bits = 16;
  static constexpr unsigned words_per_lane = 4;
  static constexpr unsigned width_field = 5;
  static __m512i residuals(const std::uint8_t* words, __m512i& before) {
    const __m512i now = load(words), d = _mm512_sub_epi16(now, shifted_in<2>(now, before));
    before = now;
    return d;
  }
  static __m512i fold(__m512i d) {
    return _mm512_xor_si512(_mm512_add_epi16(d, d), _mm512_srai_epi16(d, 15));
  }
  static __m512i unfold(__m512i y) {
    const __m512i sign = _mm512_sub_epi16(zero(), _mm512_and_si512(y, _mm512_set1_epi16(1)));
    return _mm512_xor_si512(_mm512_srli_epi16(y, 1), sign);
  }
  /// The sign becomes the lowest bit.
  static __m512i ordered(__m512i v) {
    return _mm512_or_si512(_mm512_add_epi16(v, v), _mm512_srli_epi16(v, 15));
  }
  static void range_of(const std::uint8_t* words, std::uint64_t& below_smallest, std::uint64_t& largest) {
    const __m512i ones = _mm512_set1_epi16(-1);
    __m512i min = ones, max = zero();
    for (std::size_t i = 0; i < subchunk_bytes; i += sizeof(Vector)) {
      const __m512i v = ordered(load(words + i));
      min = _mm512_min_epu16(min, _mm512_add_epi16(v, ones));
      max = _mm512_max_epu16(max, v);
    }
    below_smallest = min_of_16_bit_words(min);
    largest = 0xFFFF ^ min_of_16_bit_words(_mm512_xor_si512(max, ones));
  }
  static __m512i offsets(__m512i v, unsigned base) {
    return _mm512_subs_epu16(ordered(v), _mm512_set1_epi16(static_cast<short>(base)));
  }
  static __m512i words(__m512i v, unsigned base) {
    const __m512i w =
        _mm512_maskz_add_epi16(_mm512_test_epi16_mask(v, v), v, _mm512_set1_epi16(static_cast<short>(base)));
    return _mm512_or_si512(_mm512_srli_epi16(w, 1), _mm512_slli_epi16(w, 15));
  }
  static __m512i last_word(__m512i v) { return _mm512_permutexvar_epi16(_mm512_set1_epi16(31), v); }
  static __m512i low_bits(unsigned width) { return _mm512_set1_epi16(static_cast<short>((1 << width) - 1)); }
  static __m512i join(__m512i words, unsigned width) {
    return join_pairs<32>(join_pairs<16>(words, width), 2 * width);
  }
  static __m512i split(__m512i lanes, unsigned) { return lanes; }  // no width needs it
  static __m512i narrow(const __m512i* v) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi16_epi8(v[0])), _mm512_cvtepi16_epi8(v[1]),
                              1);
  }
  static void widen(__m512i bytes, __m512i* v) {
    v[0] = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(bytes));
    v[1] = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(bytes, 1));
  }
  static constexpr unsigned vectors_per_64_words = 2;
  static __m512i prefix_sums(__m512i x, __m512i& carry) {
    x = _mm512_add_epi16(x, _mm512_bslli_epi128(x, 2));
    x = _mm512_add_epi16(x, _mm512_bslli_epi128(x, 4));
    x = _mm512_add_epi16(x, _mm512_bslli_epi128(x, 8));
    const __m512i odd_quarters = _mm512_mask_set1_epi16(_mm512_set1_epi16(7), 0xFF000000, 23);
    x = _mm512_add_epi16(x, _mm512_maskz_permutexvar_epi16(0xFF00FF00, odd_quarters, x));
    x = _mm512_add_epi16(x, _mm512_maskz_permutexvar_epi16(0xFFFF0000, _mm512_set1_epi16(15), x));
    const __m512i result = _mm512_add_epi16(x, carry);
    carry = _mm512_add_epi16(carry, _mm512_permutexvar_epi16(_mm512_set1_epi16(31), x));
    return result;
  }
};

template <>
struct Lanes<8> : Vectors {
  using Word = std::uint8_t;
  static constexpr unsigned word_bits = 8;
  static constexpr unsigned words_per_lane = 8;
  static constexpr unsigned width_field = 4;
  static __m512i residuals(const std::uint8_t* words, __m512i& before) {
    const __m512i now = load(words), d = _mm512_sub_epi8(now, shifted_in<1>(now, before));
    before = now;
    return d;
  }
  static __m512i fold(__m512i d) {
    return _mm512_xor_si512(_mm512_add_epi8(d, d), _mm512_movm_epi8(_mm512_movepi8_mask(d)));
  }
  static __m512i unfold(__m512i y) {
    const __m512i sign = _mm512_sub_epi8(zero(), _mm512_and_si512(y, _mm512_set1_epi8(1)));
    return _mm512_xor_si512(_mm512_and_si512(_mm512_srli_epi16(y, 1), _mm512_set1_epi8(0x7F)), sign);
  }
  static void range_of(const std::uint8_t* words, std::uint64_t& below_smallest, std::uint64_t& largest) {
    const __m512i ones = _mm512_set1_epi8(-1);
    __m512i min = ones, max = zero();
    for (std::size_t i = 0; i < subchunk_bytes; i += sizeof(Vector)) {
      const __m512i v = load(words + i);
      min = _mm512_min_epu8(min, _mm512_add_epi8(v, ones));
      max = _mm512_max_epu8(max, v);
    }
    below_smallest = min_of(min);
    largest = 0xFF ^ min_of(_mm512_xor_si512(max, ones));
  }
  static unsigned min_of(__m512i v) {
    return min_of_16_bit_words(
        _mm512_min_epu16(_mm512_and_si512(v, _mm512_set1_epi16(0xFF)), _mm512_srli_epi16(v, 8)));
  }
  static __m512i offsets(__m512i v, unsigned base) {
    return _mm512_subs_epu8(v, _mm512_set1_epi8(static_cast<char>(base)));
  }
  static __m512i words(__m512i v, unsigned base) {
    return _mm512_maskz_add_epi8(_mm512_test_epi8_mask(v, v), v, _mm512_set1_epi8(static_cast<char>(base)));
  }
  static __m512i last_word(__m512i v) { return _mm512_permutexvar_epi8(_mm512_set1_epi8(63), v); }
  static __m512i low_bits(unsigned width) { return _mm512_set1_epi8(static_cast<char>((1 << width) - 1)); }
  static __m512i join(__m512i words, unsigned width) {
    return join_pairs<32>(join_pairs<16>(join_pairs<8>(words, width), 2 * width), 4 * width);
  }
  static __m512i split(__m512i lanes, unsigned) { return lanes; }  // no width needs any of these
  static __m512i narrow(const __m512i* v) { return *v; }
  static void widen(__m512i bytes, __m512i* v) { *v = bytes; }
  static constexpr unsigned vectors_per_64_words = 1;
  static __m512i prefix_sums(__m512i x, __m512i& carry) {
    x = _mm512_add_epi8(x, _mm512_bslli_epi128(x, 1));
    x = _mm512_add_epi8(x, _mm512_bslli_epi128(x, 2));
    x = _mm512_add_epi8(x, _mm512_bslli_epi128(x, 4));
    x = _mm512_add_epi8(x, _mm512_bslli_epi128(x, 8));
    const __m512i odd_quarters = _mm512_mask_set1_epi8(_mm512_set1_epi8(15), 0xFFFF000000000000, 47);
    x = _mm512_add_epi8(x, _mm512_maskz_permutexvar_epi8(0xFFFF0000FFFF0000, odd_quarters, x));
    x = _mm512_add_epi8(x, _mm512_maskz_permutexvar_epi8(0xFFFFFFFF00000000, _mm512_set1_epi8(31), x));
    const __m512i result = _mm512_add_epi8(x, carry);
    carry = _mm512_add_epi8(carry, _mm512_permutexvar_epi8(_mm512_set1_epi8(63), x));
    return result;
  }
};

#include "chunks/cpu/speed.inl"

}  // namespace
}  // namespace floe::cpu::avx512

namespace floe::cpu {
FLOE_DEFINE_KERNEL(avx512, NarrowSpeedPipeline, std::uint8_t,
                   encode<avx512::Lanes<8>>(chunk, out, scratch, context.overlap),
                   decode<avx512::Lanes<8>>(payload, payload_bytes, chunk, context.overlap))
FLOE_DEFINE_KERNEL(avx512, NarrowSpeedPipeline, std::uint16_t,
                   encode<avx512::Lanes<16>>(chunk, out, scratch, context.overlap),
                   decode<avx512::Lanes<16>>(payload, payload_bytes, chunk, context.overlap))
}  // namespace floe::cpu
FLOE_AVX512_END
#endif
