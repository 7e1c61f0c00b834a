#include "backend/cpu/avx512/checksum.hpp"

#if defined(__x86_64__)

#include "backend/cpu/avx512/checksum_rows.hpp"
#include "backend/cpu/avx512/intrinsics.hpp"
#include "backend/cpu/avx512/target.hpp"
#include "core/chunk_checksum.hpp"

FLOE_AVX512_BEGIN

namespace floe::cpu::avx512 {

using core::checksum_weights;

std::uint32_t finish_checksum(core::RunningChecksum& checksum) noexcept {
  const core::RunningChecksum::Rows rows = checksum.take_all();
  RowSums sums = RowSums::of(checksum), others{_mm512_setzero_si512(), _mm512_setzero_si512()};
  std::size_t row = rows.first;
  for (; row + 2 <= rows.end; row += 2) {
    sums.add(checksum, row);
    others.add(checksum, row + 1);
  }
  if (row < rows.end) sums.add(checksum, row);
  sums = {_mm512_add_epi64(sums.even, others.even), _mm512_add_epi64(sums.odd, others.odd)};
  const std::size_t rest_words = (checksum.padded_bytes() - rows.end * core::ChecksumWeights::row_bytes) / 4;
  if (rest_words > 0) {
    const auto present = static_cast<__mmask16>((1u << rest_words) - 1);
    const __m512i words = _mm512_maskz_loadu_epi32(present, checksum.row(rows.end));
    sums.add(words, _mm512_srli_epi64(words, 32), checksum_weights.rows[rows.end]);
  }

  // The weights of the lanes are stored in order: even ones are the first of each pair.
  const __m512i lower = _mm512_loadu_si512(checksum_weights.lanes.data()), upper = _mm512_loadu_si512(checksum_weights.lanes.data() + 8);
  const __m512i even_places = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), odd_places = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
  const __m512i even_terms = _mm512_mullo_epi64(sums.even, _mm512_permutex2var_epi64(lower, even_places, upper));
  const __m512i odd_terms = _mm512_mullo_epi64(sums.odd, _mm512_permutex2var_epi64(lower, odd_places, upper));
  std::uint64_t terms[8];  // _mm512_reduce_add_epi64 adds signed numbers, which must not overflow
  _mm512_storeu_si512(terms, _mm512_add_epi64(even_terms, odd_terms));
  std::uint64_t sum = checksum_weights.start;
  for (const std::uint64_t term : terms) sum += term;
  return static_cast<std::uint32_t>(sum >> 32);
}

}  // namespace floe::cpu::avx512

FLOE_AVX512_END
#endif
