#include "chunks/cpu/checksum.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "core/chunk_checksum.hpp"

namespace floe::cpu {
namespace {

using core::checksum_weights;
using core::ChecksumColumns;

// Compilers do not find the products of 16-bit halves by themselves.
#if defined(__SSE2__)

struct RowSums {
  __m128i of[8] = {};

  void add(const std::uint8_t* row, std::uint32_t weights_of_row) noexcept {
    const __m128i weights = _mm_set1_epi32(static_cast<int>(weights_of_row));
#pragma GCC unroll 8
    for (std::size_t v = 0; v < 8; ++v) {
      const __m128i words = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + 16 * v));
      of[v] = _mm_add_epi32(of[v], _mm_madd_epi16(words, weights));
    }
  }
  void add_to(ChecksumColumns& sums) const noexcept {
    for (std::size_t v = 0; v < 8; ++v) {
      auto* const to = reinterpret_cast<__m128i*>(sums.data() + 4 * v);
      _mm_storeu_si128(to, _mm_add_epi32(_mm_loadu_si128(to), of[v]));
    }
  }
};

#elif defined(__aarch64__)

/// Products of lower and upper halves take turns, until the end.
struct RowSums {
  int32x4_t first[8] = {}, second[8] = {};

  void add(const std::uint8_t* row, std::uint32_t weights_of_row) noexcept {
    const int16x4_t weights = vreinterpret_s16_u32(vdup_n_u32(weights_of_row));
#pragma GCC unroll 8
    for (std::size_t v = 0; v < 8; ++v) {
      const int16x8_t halves = vreinterpretq_s16_u8(vld1q_u8(row + 16 * v));
      first[v] = vmlal_s16(first[v], vget_low_s16(halves), weights);
      second[v] = vmlal_s16(second[v], vget_high_s16(halves), weights);
    }
  }
  void add_to(ChecksumColumns& sums) const noexcept {
    for (std::size_t v = 0; v < 8; ++v) {
      const uint32x4_t words = vreinterpretq_u32_s32(vpaddq_s32(first[v], second[v]));
      vst1q_u32(sums.data() + 4 * v, vaddq_u32(vld1q_u32(sums.data() + 4 * v), words));
    }
  }
};

#else

struct RowSums {
  ChecksumColumns sums{};

  void add(const std::uint8_t* row, std::uint32_t weights) noexcept {
    for (std::size_t column = 0; column < sums.size(); ++column)
      sums[column] += core::weighted(core::load<std::uint32_t>(row + 4 * column), weights);
  }
  void add_to(ChecksumColumns& all) const noexcept {
    for (std::size_t column = 0; column < sums.size(); ++column) all[column] += sums[column];
  }
};

#endif

/// No kernel adds rows before.
std::uint32_t finish_checksum(core::RunningChecksum& checksum) noexcept {
  const core::RunningChecksum::Rows all = checksum.take_all();
  RowSums rows;
  for (std::size_t row = all.first; row < all.end; ++row)
    rows.add(checksum.row(row), checksum_weights.rows[row]);
  rows.add_to(checksum.sums);
  core::add_to_columns(checksum.sums, checksum.row(0), all.end * core::ChecksumWeights::row_bytes,
                       checksum.padded_bytes());
  return core::checksum_of_columns(checksum.sums);
}

}  // namespace

FinishChecksum finish_checksum_function([[maybe_unused]] Isa isa) noexcept {
#if defined(__x86_64__)
  if (isa == Isa::avx512) return avx512::finish_checksum;
  if (isa == Isa::avx2) return avx2::finish_checksum;
#endif
  return finish_checksum;
}

}  // namespace floe::cpu
