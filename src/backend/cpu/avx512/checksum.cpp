#include "backend/cpu/avx512/checksum.hpp"

#if defined(__x86_64__)

#include "backend/cpu/avx512/intrinsics.hpp"
#include "backend/cpu/avx512/target.hpp"
#include "core/chunk_checksum.hpp"

FLOE_AVX512_BEGIN

namespace floe::cpu::avx512 {
namespace {

using core::checksum_weights;

/// The products of a row's even and odd words with its weight, added up.
struct RowSums {
  __m512i even, odd;

  /// `odd_words`: in the even places, where products are made of.
  void add(__m512i words, __m512i odd_words, std::uint32_t weight) {
    const __m512i weights = _mm512_set1_epi32(static_cast<int>(weight));
    even = _mm512_add_epi64(even, _mm512_mul_epu32(words, weights));
    odd = _mm512_add_epi64(odd, _mm512_mul_epu32(odd_words, weights));
  }
  void add(__m512i words, std::uint32_t weight) { add(words, _mm512_srli_epi64(words, 32), weight); }
};

}  // namespace

std::uint32_t checksum(const std::uint8_t* payload, std::size_t padded_bytes) noexcept {
  constexpr std::size_t row_bytes = core::ChecksumWeights::row_bytes;
  const std::size_t whole_rows = padded_bytes / row_bytes, rest_words = padded_bytes % row_bytes / 4;
  const __m512i zero = _mm512_setzero_si512();
  RowSums sums[2] = {{zero, zero}, {zero, zero}};
  std::size_t row = 0;
  // Products and shifts share one port, a second load is free. It reaches a word beyond its row.
  for (; (row + 2) * row_bytes + 4 <= padded_bytes; row += 2) {
    for (std::size_t i = 0; i < 2; ++i) {
      const std::uint8_t* const words = payload + (row + i) * row_bytes;
      sums[i].add(_mm512_loadu_si512(words), _mm512_loadu_si512(words + 4), checksum_weights.rows[row + i]);
    }
  }
  for (; row < whole_rows; ++row) sums[row % 2].add(_mm512_loadu_si512(payload + row * row_bytes), checksum_weights.rows[row]);
  if (rest_words > 0) {
    const auto present = static_cast<__mmask16>((1u << rest_words) - 1);
    sums[1].add(_mm512_maskz_loadu_epi32(present, payload + whole_rows * row_bytes), checksum_weights.rows[whole_rows]);
  }
  const __m512i even = _mm512_add_epi64(sums[0].even, sums[1].even), odd = _mm512_add_epi64(sums[0].odd, sums[1].odd);

  // The weights of the lanes are stored in order: even ones are the first of each pair.
  const __m512i lower = _mm512_loadu_si512(checksum_weights.lanes.data()), upper = _mm512_loadu_si512(checksum_weights.lanes.data() + 8);
  const __m512i even_places = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), odd_places = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
  const __m512i even_terms = _mm512_mullo_epi64(even, _mm512_permutex2var_epi64(lower, even_places, upper));
  const __m512i odd_terms = _mm512_mullo_epi64(odd, _mm512_permutex2var_epi64(lower, odd_places, upper));
  std::uint64_t terms[8];  // _mm512_reduce_add_epi64 adds signed numbers, which must not overflow
  _mm512_storeu_si512(terms, _mm512_add_epi64(even_terms, odd_terms));
  std::uint64_t sum = checksum_weights.start;
  for (const std::uint64_t term : terms) sum += term;
  return static_cast<std::uint32_t>(sum >> 32);
}

}  // namespace floe::cpu::avx512

FLOE_AVX512_END
#endif
