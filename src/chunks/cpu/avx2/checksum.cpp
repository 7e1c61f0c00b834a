#include "chunks/cpu/checksum.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

#include <array>

#include "chunks/cpu/avx2/checksum_rows.hpp"
#include "chunks/cpu/avx2/target.hpp"
#include "core/chunk_checksum.hpp"

FLOE_AVX2_BEGIN
namespace floe::cpu::avx2 {
namespace {

constexpr std::size_t row_words = core::ChecksumWeights::column_count;

/// From position row_words - n on: masks of a row of which n words are there.
constexpr auto masks_of_rests = [] {
  std::array<std::int32_t, 2 * row_words> masks{};
  for (std::size_t i = 0; i < row_words; ++i) masks[i] = -1;
  return masks;
}();

/// The first words of a row that is not whole.
void add_rest(ColumnSums& sums, const core::RunningChecksum& checksum, std::size_t row) {
  const auto* const words = reinterpret_cast<const int*>(checksum.row(row));
  const std::int32_t* const masks = masks_of_rests.data() + row_words - checksum.rest_words();
  const __m256i weights = _mm256_set1_epi32(static_cast<int>(core::checksum_weights.rows[row]));
  for (unsigned v = 0; v < 4; ++v) {
    const __m256i mask = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(masks + std::size_t{8} * v));
    sums.add(v, _mm256_maskload_epi32(words + std::size_t{8} * v, mask), weights);
  }
}

/// core::ChecksumBlend
__m256i blend(__m256i sums) {
  using Blend = core::ChecksumBlend;
  sums = _mm256_xor_si256(sums, _mm256_srli_epi32(sums, Blend::first_shift));
  sums = _mm256_mullo_epi32(sums, _mm256_set1_epi32(static_cast<int>(Blend::first_factor)));
  sums = _mm256_xor_si256(sums, _mm256_srli_epi32(sums, Blend::second_shift));
  return _mm256_mullo_epi32(sums, _mm256_set1_epi32(static_cast<int>(Blend::second_factor)));
}

std::uint32_t join(__m256i words) {
  const __m128i four = _mm_xor_si128(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
  const __m128i two = _mm_xor_si128(four, _mm_srli_si128(four, 8));
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_xor_si128(two, _mm_srli_si128(two, 4))));
}

}  // namespace

std::uint32_t finish_checksum(core::RunningChecksum& checksum) noexcept {
  const core::RunningChecksum::Rows rows = checksum.take_all();
  ColumnSums sums = ColumnSums::load(checksum);
  for (std::size_t row = rows.first; row < rows.end; ++row) sums.add(checksum, row);
  if (checksum.rest_words() > 0) add_rest(sums, checksum, rows.end);
  return join(_mm256_xor_si256(_mm256_xor_si256(blend(sums.of[0]), blend(sums.of[1])),
                               _mm256_xor_si256(blend(sums.of[2]), blend(sums.of[3]))));
}

}  // namespace floe::cpu::avx2

FLOE_AVX2_END
#endif
