// The kernels for AVX-512: by the compiler's vectorizer, and by hand where it finds nothing.
#if defined(__x86_64__)

#include "backend/cpu/avx512/intrinsics.hpp"
#include "backend/cpu/avx512/target.hpp"

#include <bit>
#include <cstring>
#include <type_traits>

#include "core/bits.hpp"
#include "series/kernels/kernels.hpp"

namespace floe::series::avx512 {

extern const Kernels& kernels;

FLOE_AVX512_BEGIN
namespace {
#include "series/kernels/kernels.inl"

/// One symbol of each of 16 lanes. The lanes whose states became small take the next words, in the order of the lanes.
inline void step_lanes(__m512i& states, const std::uint32_t* table, const std::uint8_t*& words, std::uint8_t* symbols) {
  const __m512i offset_mask = _mm512_set1_epi32((1 << RansDecoder::scale_bits) - 1);
  const __m512i entries = _mm512_i32gather_epi32(_mm512_and_si512(states, offset_mask), table, 4);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(symbols), _mm512_cvtepi32_epi8(entries));
  const __m512i frequencies = _mm512_add_epi32(_mm512_srli_epi32(entries, 20), _mm512_set1_epi32(1));
  const __m512i offsets = _mm512_and_si512(_mm512_srli_epi32(entries, 8), offset_mask);
  states = _mm512_add_epi32(_mm512_mullo_epi32(frequencies, _mm512_srli_epi32(states, RansDecoder::scale_bits)), offsets);
  const __mmask16 small = _mm512_cmplt_epu32_mask(states, _mm512_set1_epi32(1 << 16));
  const __m512i next = _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(words)));
  states = _mm512_mask_or_epi32(states, small, _mm512_slli_epi32(states, 16), _mm512_maskz_expand_epi32(small, next));
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

constexpr Kernels with_vectors() {
  Kernels all = all_kernels;
  all.decode_rans = decode_rans_in_vectors;
  return all;
}
constexpr Kernels vector_kernels = with_vectors();
}  // namespace
FLOE_AVX512_END

const Kernels& kernels = vector_kernels;

}  // namespace floe::series::avx512

#endif
