#include "backend/cpu/avx2/checksum.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

#include "backend/cpu/avx2/checksum_rows.hpp"
#include "backend/cpu/avx2/target.hpp"
#include "core/chunk_checksum.hpp"

FLOE_AVX2_BEGIN
namespace floe::cpu::avx2 {
namespace {

/// The sums of eight lanes in the order of the lanes.
void store_in_order(const std::uint64_t* sums, std::uint64_t* lanes) {
  const LaneSums of = LaneSums::load(sums);
  const __m256i first = _mm256_unpacklo_epi64(of.even, of.odd), second = _mm256_unpackhi_epi64(of.even, of.odd);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes), _mm256_permute2x128_si256(first, second, 0x20));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes + 4), _mm256_permute2x128_si256(first, second, 0x31));
}

}  // namespace

std::uint32_t finish_checksum(core::RunningChecksum& checksum) noexcept {
  const core::RunningChecksum::Rows rows = checksum.take_all();
  add_rows(checksum, rows);
  core::ChecksumLanes lanes;
  store_in_order(checksum.sums.data(), lanes.data());
  store_in_order(checksum.sums.data() + 8, lanes.data() + 8);
  core::add_to_lanes(lanes, checksum.row(0), rows.end * core::ChecksumWeights::row_bytes, checksum.padded_bytes());
  return core::checksum_of_lanes(lanes);
}

}  // namespace floe::cpu::avx2

FLOE_AVX2_END
#endif
