// Rows of a payload added to its checksum. One row is two vectors.
#pragma once

#include "chunks/cpu/avx512/intrinsics.hpp"
#include "chunks/cpu/avx512/target.hpp"
#include "core/chunk_checksum.hpp"

FLOE_AVX512_BEGIN
namespace floe::cpu::avx512 {

/// The sums of the first and the last 16 columns.
struct ColumnSums {
  __m512i lower, upper;

  void add(const core::RunningChecksum& checksum, std::size_t row) {
    const std::uint8_t* const words = checksum.row(row);
    const __m512i weights = _mm512_set1_epi32(static_cast<int>(core::checksum_weights.rows[row]));
    lower = _mm512_dpwssd_epi32(lower, _mm512_loadu_si512(words), weights);
    upper = _mm512_dpwssd_epi32(upper, _mm512_loadu_si512(words + 64), weights);
  }

  static ColumnSums load(const core::RunningChecksum& checksum) {
    return {_mm512_load_si512(checksum.sums.data()), _mm512_load_si512(checksum.sums.data() + 16)};
  }
  void store(core::RunningChecksum& checksum) const {
    _mm512_store_si512(checksum.sums.data(), lower);
    _mm512_store_si512(checksum.sums.data() + 16, upper);
  }
};

/// A few rows, beside other work.
inline void add_rows(core::RunningChecksum& checksum, core::RunningChecksum::Rows rows) {
  if (rows.first == rows.end) return;
  ColumnSums sums = ColumnSums::load(checksum);
  for (std::size_t row = rows.first; row < rows.end; ++row) sums.add(checksum, row);
  sums.store(checksum);
}

}  // namespace floe::cpu::avx512
FLOE_AVX512_END
