// The kernels for AVX-512: by the compiler's vectorizer, and by hand where it finds nothing.
#if defined(__x86_64__)

#include "chunks/cpu/avx512/intrinsics.hpp"
#include "chunks/cpu/avx512/target.hpp"

#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/bits.hpp"
#include "simd/kernels.hpp"

namespace floe::trees::avx512 {

extern const Kernels& kernels;

FLOE_AVX512_BEGIN
namespace {
constexpr std::size_t vector_bytes = 64;
#include "simd/kernels.inl"

#include "simd/avx2_decoding.inl"
#include "simd/avx2_dividing.inl"
#include "simd/avx512_prefix_sum.inl"

/// Takes the next words of each stream to the positions where the mask says so. Of 32 bits, permutations do
/// it faster.
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
  Kernels all = with_avx2_dividing(with_avx2_decoding(all_kernels));
  all.decoding_u8.add_up = add_up_in_wide_vectors<std::uint8_t>;
  all.decoding_u16.add_up = add_up_in_wide_vectors<std::uint16_t>;
  all.decoding_u32.add_up = add_up_in_wide_vectors<std::uint32_t>;
  all.decoding_u64.add_up = add_up_in_wide_vectors<std::uint64_t>;
  all.u8.merge = merge_in_vectors<std::uint8_t>;
  all.u16.merge = merge_in_vectors<std::uint16_t>;
  all.u64.merge = merge_in_vectors<std::uint64_t>;
  return all;
}
constexpr Kernels vector_kernels = with_vectors();
}  // namespace
FLOE_AVX512_END

const Kernels& kernels = vector_kernels;

}  // namespace floe::trees::avx512

#endif
