// Rows of a payload added to its checksum. One row is one vector; sums of the even words stand before those of the odd ones.
#pragma once

#include "backend/cpu/avx512/intrinsics.hpp"
#include "backend/cpu/avx512/target.hpp"
#include "core/chunk_checksum.hpp"

FLOE_AVX512_BEGIN
namespace floe::cpu::avx512 {

/// The products of rows' even and odd words with their weights, added up.
struct RowSums {
  __m512i even, odd;

  /// `odd_words`: in the even places, where products are made of.
  void add(__m512i words, __m512i odd_words, std::uint32_t weight) {
    const __m512i weights = _mm512_set1_epi32(static_cast<int>(weight));
    even = _mm512_add_epi64(even, _mm512_mul_epu32(words, weights));
    odd = _mm512_add_epi64(odd, _mm512_mul_epu32(odd_words, weights));
  }
  /// Products and shifts share one port, a second load is free. It reaches a word beyond the row.
  void add(const core::RunningChecksum& checksum, std::size_t row) {
    const std::uint8_t* const words = checksum.row(row);
    add(_mm512_loadu_si512(words), _mm512_loadu_si512(words + 4), core::checksum_weights.rows[row]);
  }

  static RowSums of(const core::RunningChecksum& checksum) {
    return {_mm512_load_si512(checksum.sums.data()), _mm512_load_si512(checksum.sums.data() + 8)};
  }
};

/// A few rows, beside other work.
inline void add_rows(core::RunningChecksum& checksum, core::RunningChecksum::Rows rows) {
  if (rows.first == rows.end) return;
  RowSums sums = RowSums::of(checksum);
  for (std::size_t row = rows.first; row < rows.end; ++row) sums.add(checksum, row);
  _mm512_store_si512(checksum.sums.data(), sums.even);
  _mm512_store_si512(checksum.sums.data() + 8, sums.odd);
}

}  // namespace floe::cpu::avx512
FLOE_AVX512_END
