#include "backend/cpu/avx2/checksum.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

#include "backend/cpu/avx2/target.hpp"
#include "core/chunk_checksum.hpp"

FLOE_AVX2_BEGIN
namespace floe::cpu::avx2 {
namespace {

/// The products of the even and odd words of eight lanes with the weights of their rows, added up.
struct LaneSums {
  __m256i even, odd;

  void add(const std::uint8_t* from, __m256i weight) {
    const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    even = _mm256_add_epi64(even, _mm256_mul_epu32(words, weight));
    odd = _mm256_add_epi64(odd, _mm256_mul_epu32(_mm256_srli_epi64(words, 32), weight));
  }
  void store(std::uint64_t* to) const {
    const __m256i first = _mm256_unpacklo_epi64(even, odd), second = _mm256_unpackhi_epi64(even, odd);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permute2x128_si256(first, second, 0x20));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 4), _mm256_permute2x128_si256(first, second, 0x31));
  }
};

}  // namespace

std::uint32_t checksum(const std::uint8_t* payload, std::size_t padded_bytes) noexcept {
  constexpr std::size_t row_bytes = core::ChecksumWeights::row_bytes;
  const std::size_t whole_rows = padded_bytes / row_bytes;
  const __m256i zero = _mm256_setzero_si256();
  LaneSums lower{zero, zero}, upper{zero, zero};
  for (std::size_t row = 0; row < whole_rows; ++row) {
    const __m256i weight = _mm256_set1_epi32(static_cast<int>(core::checksum_weights.rows[row]));
    lower.add(payload + row * row_bytes, weight);
    upper.add(payload + row * row_bytes + 32, weight);
  }
  core::ChecksumLanes sums;
  lower.store(sums.data());
  upper.store(sums.data() + 8);
  core::add_to_lanes(sums, payload, whole_rows * row_bytes, padded_bytes);
  return core::checksum_of_lanes(sums);
}

}  // namespace floe::cpu::avx2

FLOE_AVX2_END
#endif
