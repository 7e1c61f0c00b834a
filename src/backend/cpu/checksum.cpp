#include "backend/cpu/checksum.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#include "core/chunk_checksum.hpp"
#if defined(__x86_64__)
#include "backend/cpu/avx2/checksum.hpp"
#include "backend/cpu/avx512/checksum.hpp"
#endif

namespace floe::cpu {
namespace {

using core::checksum_weights;
using core::ChecksumLanes;

// Compilers do not find the products of 32-bit halves by themselves.
#if defined(__SSE2__)

struct RowSums {
  __m128i even[4] = {}, odd[4] = {};

  void add(const std::uint8_t* row, std::uint32_t weight) noexcept {
    const __m128i weights = _mm_set1_epi32(static_cast<int>(weight));
#pragma GCC unroll 4
    for (std::size_t v = 0; v < 4; ++v) {
      const __m128i words = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + 16 * v));
      even[v] = _mm_add_epi64(even[v], _mm_mul_epu32(words, weights));
      odd[v] = _mm_add_epi64(odd[v], _mm_mul_epu32(_mm_srli_epi64(words, 32), weights));
    }
  }
  [[nodiscard]] ChecksumLanes lanes() const noexcept {
    ChecksumLanes sums;
    for (std::size_t v = 0; v < 4; ++v) {
      auto* const to = reinterpret_cast<__m128i*>(sums.data() + 4 * v);
      _mm_storeu_si128(to, _mm_unpacklo_epi64(even[v], odd[v]));
      _mm_storeu_si128(to + 1, _mm_unpackhi_epi64(even[v], odd[v]));
    }
    return sums;
  }
};

#elif defined(__ARM_NEON)

struct RowSums {
  uint64x2_t lower[4] = {}, upper[4] = {};

  void add(const std::uint8_t* row, std::uint32_t weight) noexcept {
    const uint32x2_t weights = vdup_n_u32(weight);
#pragma GCC unroll 4
    for (std::size_t v = 0; v < 4; ++v) {
      const uint32x4_t words = vreinterpretq_u32_u8(vld1q_u8(row + 16 * v));
      lower[v] = vmlal_u32(lower[v], vget_low_u32(words), weights);
      upper[v] = vmlal_u32(upper[v], vget_high_u32(words), weights);
    }
  }
  [[nodiscard]] ChecksumLanes lanes() const noexcept {
    ChecksumLanes sums;
    for (std::size_t v = 0; v < 4; ++v) {
      vst1q_u64(sums.data() + 4 * v, lower[v]);
      vst1q_u64(sums.data() + 4 * v + 2, upper[v]);
    }
    return sums;
  }
};

#else

struct RowSums {
  ChecksumLanes sums{};

  void add(const std::uint8_t* row, std::uint32_t weight) noexcept {
    for (std::size_t lane = 0; lane < sums.size(); ++lane) sums[lane] += std::uint64_t{core::load<std::uint32_t>(row + 4 * lane)} * weight;
  }
  [[nodiscard]] ChecksumLanes lanes() const noexcept { return sums; }
};

#endif

/// No kernel adds rows before.
std::uint32_t finish_checksum(core::RunningChecksum& checksum) noexcept {
  const core::RunningChecksum::Rows all = checksum.take_all();
  RowSums rows;
  for (std::size_t row = all.first; row < all.end; ++row) rows.add(checksum.row(row), checksum_weights.rows[row]);
  ChecksumLanes sums = rows.lanes();
  core::add_to_lanes(sums, checksum.row(0), all.end * core::ChecksumWeights::row_bytes, checksum.padded_bytes());
  return core::checksum_of_lanes(sums);
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
