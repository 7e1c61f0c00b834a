// The kernels for AVX-512: by the compiler's vectorizer, and by hand where it finds nothing.
#if defined(__x86_64__)

#include "chunks/cpu/avx512/intrinsics.hpp"
#include "chunks/cpu/avx512/target.hpp"

#include <bit>
#include <cstring>
#include <type_traits>

#include "core/bits.hpp"
#include "simd/kernels.hpp"

namespace floe::trees::avx512 {

extern const Kernels& kernels;

FLOE_AVX512_BEGIN
namespace {
constexpr std::size_t vector_bytes = 64;
#include "simd/kernels.inl"

#include "simd/avx2_decoding.inl"
#include "simd/avx512_prefix_sum.inl"

/// One symbol of each of 16 lanes. The lanes whose states became small take the next words, in the order of
/// the lanes.
inline void step_lanes(__m512i& states, const std::uint32_t* table, const std::uint8_t*& words,
                       std::uint8_t* symbols) {
  const __m512i offset_mask = _mm512_set1_epi32((1 << RansDecoder::scale_bits) - 1);
  const __m512i entries = _mm512_i32gather_epi32(_mm512_and_si512(states, offset_mask), table, 4);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(symbols), _mm512_cvtepi32_epi8(entries));
  const __m512i frequencies = _mm512_add_epi32(_mm512_srli_epi32(entries, 20), _mm512_set1_epi32(1));
  const __m512i offsets = _mm512_and_si512(_mm512_srli_epi32(entries, 8), offset_mask);
  states = _mm512_add_epi32(
      _mm512_mullo_epi32(frequencies, _mm512_srli_epi32(states, RansDecoder::scale_bits)), offsets);
  const __mmask16 small = _mm512_cmplt_epu32_mask(states, _mm512_set1_epi32(1 << 16));
  const __m512i next = _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(words)));
  states = _mm512_mask_or_epi32(states, small, _mm512_slli_epi32(states, 16),
                                _mm512_maskz_expand_epi32(small, next));
  words += 2 * static_cast<unsigned>(_mm_popcnt_u32(small));
}

bool decode_rans_in_vectors(RansDecoder& decoder, std::uint8_t* symbols, std::size_t count) {
  constexpr std::size_t lanes = 32;
  if (decoder.lanes != lanes) return decode_rans(decoder, symbols, count);
  __m512i low = _mm512_loadu_si512(decoder.states), high = _mm512_loadu_si512(decoder.states + 16);
  std::size_t i = 0;
  // A step takes 64 bytes at most, and the second half reads 32 bytes from wherever the first one ended.
  for (; i + lanes <= count && decoder.end - decoder.words >= 64; i += lanes) {
    step_lanes(low, decoder.table, decoder.words, symbols + i);
    step_lanes(high, decoder.table, decoder.words, symbols + i + 16);
  }
  _mm512_storeu_si512(decoder.states, low);
  _mm512_storeu_si512(decoder.states + 16, high);
  return decode_rans(decoder, symbols + i, count - i);
}

/// One symbol of each of 16 lanes, in the reverse order. The lanes whose states would become too large give
/// words away.
inline void encode_lanes(__m512i& states, const RansEncoder& encoder, std::uint8_t*& begin,
                         const std::uint8_t* symbols) {
  constexpr unsigned scale_bits = RansDecoder::scale_bits;
  const __m512i of_symbols = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(symbols)));
  const __m512i entries = _mm512_i32gather_epi32(of_symbols, encoder.table, 4);
  const __m512i frequencies = _mm512_srli_epi32(entries, scale_bits);
  const __mmask16 large = _mm512_cmpge_epu32_mask(_mm512_srli_epi32(states, 32 - scale_bits), frequencies);
  const auto given = static_cast<unsigned>(_mm_popcnt_u32(large));
  begin -= std::size_t{2} * given;
  const __m256i words = _mm512_cvtepi32_epi16(_mm512_maskz_compress_epi32(large, states));
  _mm256_mask_storeu_epi16(begin, static_cast<__mmask16>((1U << given) - 1), words);
  states = _mm512_mask_srli_epi32(states, large, states, 16);
  // The quotient is below 2^20, and its error below 2^20 * 2^-22, so that it is wrong by one at most.
  const __m512 ratio = _mm512_div_ps(_mm512_cvtepu32_ps(states), _mm512_cvtepi32_ps(frequencies));
  __m512i quotients = _mm512_cvttps_epi32(ratio);
  __m512i remainders = _mm512_sub_epi32(states, _mm512_mullo_epi32(quotients, frequencies));
  const __mmask16 negative = _mm512_movepi32_mask(remainders);
  quotients = _mm512_mask_sub_epi32(quotients, negative, quotients, _mm512_set1_epi32(1));
  remainders = _mm512_mask_add_epi32(remainders, negative, remainders, frequencies);
  const __mmask16 above = _mm512_cmpge_epi32_mask(remainders, frequencies);
  quotients = _mm512_mask_add_epi32(quotients, above, quotients, _mm512_set1_epi32(1));
  remainders = _mm512_mask_sub_epi32(remainders, above, remainders, frequencies);
  const __m512i firsts = _mm512_and_si512(entries, _mm512_set1_epi32((1 << scale_bits) - 1));
  states = _mm512_add_epi32(_mm512_slli_epi32(quotients, scale_bits), _mm512_add_epi32(remainders, firsts));
}

void encode_rans_in_vectors(RansEncoder& encoder, const std::uint8_t* symbols, std::size_t count) {
  constexpr std::size_t lanes = 32;
  if (encoder.lanes != lanes) return encode_rans(encoder, symbols, count);
  std::size_t i = count - count % lanes;
  encode_rans(encoder, symbols + i, count - i);
  __m512i low = _mm512_loadu_si512(encoder.states), high = _mm512_loadu_si512(encoder.states + 16);
  std::uint8_t* begin = encoder.begin;
  for (; i > 0; i -= lanes) {
    encode_lanes(high, encoder, begin, symbols + i - 16);
    encode_lanes(low, encoder, begin, symbols + i - 32);
  }
  encoder.begin = begin;
  _mm512_storeu_si512(encoder.states, low);
  _mm512_storeu_si512(encoder.states + 16, high);
}

/// Takes the next words of each stream to the places where the mask says so. Of 32 bits, permutations do it
/// faster.
template <class W>
void merge_in_vectors(const std::uint8_t* picks, const W* first, const W* second, std::size_t count,
                      W* words) {
  constexpr std::size_t step = 64 / sizeof(W);
  std::size_t i = 0, taken = 0;
  for (; i + step <= count; i += step) {
    const __m512i from_first = _mm512_loadu_si512(first + (i - taken)),
                  from_second = _mm512_loadu_si512(second + taken);
    __m512i merged;
    std::uint64_t mask;
    if constexpr (sizeof(W) == 8) {
      const __mmask16 bits =
          _mm_test_epi8_mask(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(picks + i)), _mm_set1_epi8(-1));
      mask = bits;
      merged = _mm512_mask_expand_epi64(_mm512_maskz_expand_epi64(static_cast<__mmask8>(~bits), from_first),
                                        static_cast<__mmask8>(bits), from_second);
    } else if constexpr (sizeof(W) == 2) {
      const __mmask32 bits = _mm256_test_epi8_mask(
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(picks + i)), _mm256_set1_epi8(-1));
      mask = bits;
      merged = _mm512_mask_expand_epi16(_mm512_maskz_expand_epi16(~bits, from_first), bits, from_second);
    } else {
      const __mmask64 bits = _mm512_test_epi8_mask(_mm512_loadu_si512(picks + i), _mm512_set1_epi8(-1));
      mask = bits;
      merged = _mm512_mask_expand_epi8(_mm512_maskz_expand_epi8(~bits, from_first), bits, from_second);
    }
    _mm512_storeu_si512(words + i, merged);
    taken += static_cast<std::size_t>(_mm_popcnt_u64(mask));
  }
  merge_words(picks + i, first + (i - taken), second + taken, count - i, words + i);
}

constexpr Kernels with_vectors() {
  Kernels all = with_avx2_decoding(all_kernels);
  all.decoding_u8.add_up = add_up_in_wide_vectors<std::uint8_t>;
  all.decoding_u16.add_up = add_up_in_wide_vectors<std::uint16_t>;
  all.decoding_u32.add_up = add_up_in_wide_vectors<std::uint32_t>;
  all.decoding_u64.add_up = add_up_in_wide_vectors<std::uint64_t>;
  all.u8.merge = merge_in_vectors<std::uint8_t>;
  all.u16.merge = merge_in_vectors<std::uint16_t>;
  all.u64.merge = merge_in_vectors<std::uint64_t>;
  all.decode_rans = decode_rans_in_vectors;
  all.encode_rans = encode_rans_in_vectors;
  return all;
}
constexpr Kernels vector_kernels = with_vectors();
}  // namespace
FLOE_AVX512_END

const Kernels& kernels = vector_kernels;

}  // namespace floe::trees::avx512

#endif
