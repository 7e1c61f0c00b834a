// Rows of a payload added to its checksum. One row is four vectors.
#pragma once

#include <immintrin.h>

#include "chunks/cpu/avx2/target.hpp"
#include "core/chunk_checksum.hpp"

FLOE_AVX2_BEGIN
namespace floe::cpu::avx2 {

/// The sums of all columns, eight in a vector.
struct ColumnSums {
  __m256i of[4];

  /// The words of one vector, and the weights of their row.
  void add(unsigned vector, __m256i words, __m256i weights) {
    of[vector] = _mm256_add_epi32(of[vector], _mm256_madd_epi16(words, weights));
  }
  void add(const core::RunningChecksum& checksum, std::size_t row) {
    const auto* const words = reinterpret_cast<const __m256i*>(checksum.row(row));
    const __m256i weights = _mm256_set1_epi32(static_cast<int>(core::checksum_weights.rows[row]));
#pragma GCC unroll 4
    for (unsigned v = 0; v < 4; ++v) add(v, _mm256_loadu_si256(words + v), weights);
  }

  static ColumnSums load(const core::RunningChecksum& checksum) {
    const auto* const from = reinterpret_cast<const __m256i*>(checksum.sums.data());
    return {{_mm256_load_si256(from), _mm256_load_si256(from + 1), _mm256_load_si256(from + 2),
             _mm256_load_si256(from + 3)}};
  }
  void store(core::RunningChecksum& checksum) const {
    for (unsigned v = 0; v < 4; ++v)
      _mm256_store_si256(reinterpret_cast<__m256i*>(checksum.sums.data()) + v, of[v]);
  }
};

/// A few rows, beside other work.
inline void add_rows(core::RunningChecksum& checksum, core::RunningChecksum::Rows rows) {
  if (rows.first == rows.end) return;
  ColumnSums sums = ColumnSums::load(checksum);
  for (std::size_t row = rows.first; row < rows.end; ++row) sums.add(checksum, row);
  sums.store(checksum);
}

}  // namespace floe::cpu::avx2
FLOE_AVX2_END
