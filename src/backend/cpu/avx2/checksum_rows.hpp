// Rows of a payload added to its checksum. One row is two vectors; of each of them sums of the even words stand before those of the odd
// ones.
#pragma once

#include <immintrin.h>

#include "backend/cpu/avx2/target.hpp"
#include "core/chunk_checksum.hpp"

FLOE_AVX2_BEGIN
namespace floe::cpu::avx2 {

/// The products of the even and odd words of eight lanes with the weights of their rows, added up.
struct LaneSums {
  __m256i even, odd;

  /// A second load is free, unlike a shift. It reaches a word beyond the lanes.
  void add(const std::uint8_t* words, __m256i weight) {
    const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words));
    const __m256i odd_words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words + 4));
    even = _mm256_add_epi64(even, _mm256_mul_epu32(all, weight));
    odd = _mm256_add_epi64(odd, _mm256_mul_epu32(odd_words, weight));
  }
  static LaneSums load(const std::uint64_t* from) {
    return {_mm256_load_si256(reinterpret_cast<const __m256i*>(from)), _mm256_load_si256(reinterpret_cast<const __m256i*>(from + 4))};
  }
  void store(std::uint64_t* to) const {
    _mm256_store_si256(reinterpret_cast<__m256i*>(to), even);
    _mm256_store_si256(reinterpret_cast<__m256i*>(to + 4), odd);
  }
};

inline void add_rows(core::RunningChecksum& checksum, core::RunningChecksum::Rows rows) {
  if (rows.first == rows.end) return;
  std::uint64_t* const sums = checksum.sums.data();
  LaneSums lower = LaneSums::load(sums), upper = LaneSums::load(sums + 8);
  for (std::size_t row = rows.first; row < rows.end; ++row) {
    const std::uint8_t* const words = checksum.row(row);
    const __m256i weight = _mm256_set1_epi32(static_cast<int>(core::checksum_weights.rows[row]));
    lower.add(words, weight);
    upper.add(words + 32, weight);
  }
  lower.store(sums);
  upper.store(sums + 8);
}

}  // namespace floe::cpu::avx2
FLOE_AVX2_END
