// spspeed and dpspeed with AVX-512: vectors of eight lanes of 64 bits, packed and unpacked with tables
// (subchunk_packing.hpp).
#include "chunks/cpu/avx512/kernels.hpp"

#if defined(__x86_64__)

#include <algorithm>
#include <bit>
#include <cstring>

#include "chunks/cpu/avx512/intrinsics.hpp"
#include "chunks/cpu/avx512/overlap.hpp"
#include "chunks/cpu/avx512/subchunk_packing.hpp"
#include "chunks/cpu/avx512/target.hpp"
#include "chunks/cpu/avx512/words32.hpp"
#include "chunks/cpu/avx512/words64.hpp"
#include "core/bits.hpp"
#include "core/chunk.hpp"

FLOE_AVX512_BEGIN
namespace floe::cpu::avx512 {
namespace {

/// Words of 32 bits, two in each lane: subchunk_packing.hpp says what is needed of them, speed.inl what else.
struct Lanes32 : Vectors {
  static constexpr unsigned word_bits = 32;
  static constexpr unsigned words_per_lane = 2;
  static constexpr unsigned width_field = 6;
  static __m512i residuals(const std::uint8_t* words, __m512i& before) {
    const __m512i now = load(words), d = sub_previous32(now, before);
    before = now;
    return d;
  }
  static __m512i fold(__m512i d) { return fold32(d); }
  static __m512i unfold(__m512i y) { return unfold32(y); }
  /// A shift, the bits that stay, and the bits to flip, which follow from those that are shifted out: no
  /// branch for words that were folded twice.
  struct Unfolding {
    Unfolding(unsigned width, bool twice)
        : count(_mm512_set1_epi32(twice ? 2 : 1)),
          low(_mm512_srlv_epi32(low_bits(width), count)),
          flipped(twice ? _mm512_set4_epi32(0x7FFFFFFF, -1, static_cast<int>(0x80000000), 0)
                        : _mm512_set4_epi32(-1, 0, -1, 0)) {}
    __m512i operator()(__m512i y) const {
      return select_and_flip(_mm512_srlv_epi32(y, count), low, _mm512_permutexvar_epi32(y, flipped));
    }
    __m512i count, low, flipped;
  };
  static __m512i max(__m512i a, __m512i b) { return _mm512_max_epu32(a, b); }
  static std::uint64_t max_of(__m512i v) { return _mm512_reduce_max_epu32(v); }
  static __m512i low_bits(unsigned width) {
    return _mm512_set1_epi32(static_cast<int>((std::uint64_t{1} << width) - 1));
  }
  static __m512i join(__m512i words, unsigned width) {
    const __m512i low = _mm512_set1_epi64(static_cast<long long>((std::uint64_t{1} << width) - 1));
    return _mm512_ternarylogic_epi64(low, words, _mm512_srlv_epi64(words, _mm512_set1_epi64(32 - width)),
                                     0xCA);  // low ? words : shifted
  }
  static __m512i split(__m512i lane, unsigned width) {
    const __m512i upper = _mm512_sllv_epi64(lane, _mm512_set1_epi64(32 - width));
    return _mm512_and_si512(_mm512_mask_blend_epi32(0xAAAA, lane, upper), low_bits(width));
  }
  static void add_up(Subchunk& words, __m512i& carry) {
    for (unsigned k = 0; k < vectors; k += 4) add_up32(words + k, carry);
  }
  static __m512i narrow(const __m512i* v) {  // 64 words, all below 256, to bytes
    __m512i bytes = _mm512_castsi128_si512(_mm512_cvtepi32_epi8(v[0]));
    bytes = _mm512_inserti32x4(bytes, _mm512_cvtepi32_epi8(v[1]), 1);
    bytes = _mm512_inserti32x4(bytes, _mm512_cvtepi32_epi8(v[2]), 2);
    return _mm512_inserti32x4(bytes, _mm512_cvtepi32_epi8(v[3]), 3);
  }
  static void widen(__m512i bytes, __m512i* v) {
    v[0] = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(bytes));
    v[1] = _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(bytes, 1));
    v[2] = _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(bytes, 2));
    v[3] = _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(bytes, 3));
  }
  static constexpr unsigned vectors_per_64_words = 4;
};

#include "chunks/cpu/speed.inl"

}  // namespace
}  // namespace floe::cpu::avx512

namespace floe::cpu {
FLOE_DEFINE_KERNEL(avx512, SpeedPipeline, std::uint32_t,
                   encode<avx512::Lanes32>(chunk, out, scratch, context.overlap),
                   decode<avx512::Lanes32>(payload, payload_bytes, chunk, context.overlap))
FLOE_DEFINE_KERNEL(avx512, SpeedPipeline, std::uint64_t,
                   encode<avx512::Lanes64>(chunk, out, scratch, context.overlap),
                   decode<avx512::Lanes64>(payload, payload_bytes, chunk, context.overlap))
}  // namespace floe::cpu
FLOE_AVX512_END
#endif
