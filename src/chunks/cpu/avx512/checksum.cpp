#include "chunks/cpu/checksum.hpp"

#if defined(__x86_64__)

#include "chunks/cpu/avx512/checksum_rows.hpp"
#include "chunks/cpu/avx512/intrinsics.hpp"
#include "chunks/cpu/avx512/target.hpp"
#include "core/chunk_checksum.hpp"

FLOE_AVX512_BEGIN

namespace floe::cpu::avx512 {
namespace {

/// core::ChecksumBlend
__m512i blend(__m512i sums) {
  using Blend = core::ChecksumBlend;
  sums = _mm512_xor_si512(sums, _mm512_srli_epi32(sums, Blend::first_shift));
  sums = _mm512_mullo_epi32(sums, _mm512_set1_epi32(static_cast<int>(Blend::first_factor)));
  sums = _mm512_xor_si512(sums, _mm512_srli_epi32(sums, Blend::second_shift));
  return _mm512_mullo_epi32(sums, _mm512_set1_epi32(static_cast<int>(Blend::second_factor)));
}

std::uint32_t join(__m512i words) {
  const __m256i eight = _mm256_xor_si256(_mm512_castsi512_si256(words), _mm512_extracti64x4_epi64(words, 1));
  const __m128i four = _mm_xor_si128(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
  const __m128i two = _mm_xor_si128(four, _mm_srli_si128(four, 8));
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_xor_si128(two, _mm_srli_si128(two, 4))));
}

}  // namespace

std::uint32_t finish_checksum(core::RunningChecksum& checksum) noexcept {
  const core::RunningChecksum::Rows rows = checksum.take_all();
  // A sum waits for the one before it: four rows at a time, so eight sums, hide that.
  ColumnSums sums = ColumnSums::load(checksum), others[3];
  for (ColumnSums& other : others) other = {_mm512_setzero_si512(), _mm512_setzero_si512()};
  std::size_t row = rows.first;
  for (; row + 4 <= rows.end; row += 4) {
    sums.add(checksum, row);
#pragma GCC unroll 3
    for (std::size_t i = 0; i < 3; ++i) others[i].add(checksum, row + 1 + i);
  }
  for (; row < rows.end; ++row) sums.add(checksum, row);
#pragma GCC unroll 3
  for (const ColumnSums& other : others)
    sums = {_mm512_add_epi32(sums.lower, other.lower), _mm512_add_epi32(sums.upper, other.upper)};
  if (const std::size_t rest_words = checksum.rest_words(); rest_words > 0) {
    const std::uint8_t* const words = checksum.row(rows.end);
    const std::uint32_t present = (1u << rest_words) - 1;
    const __m512i weights = _mm512_set1_epi32(static_cast<int>(core::checksum_weights.rows[rows.end]));
    sums.lower = _mm512_dpwssd_epi32(
        sums.lower, _mm512_maskz_loadu_epi32(static_cast<__mmask16>(present), words), weights);
    sums.upper = _mm512_dpwssd_epi32(
        sums.upper, _mm512_maskz_loadu_epi32(static_cast<__mmask16>(present >> 16), words + 64), weights);
  }
  return join(_mm512_xor_si512(blend(sums.lower), blend(sums.upper)));
}

}  // namespace floe::cpu::avx512

FLOE_AVX512_END
#endif
