// spratio with AVX-512: planes with GFNI, zero bytes with VBMI2.
#include "backend/cpu/avx512/kernels.hpp"

#if defined(__x86_64__)

#include <algorithm>
#include <cstring>

#include "backend/cpu/avx512/bit_planes.hpp"
#include "backend/cpu/avx512/traffic.hpp"
#include "backend/cpu/avx512/zero_bytes.hpp"
#include "backend/cpu/chunk_levels.hpp"
#include "core/chunk.hpp"

FLOE_AVX512_BEGIN
namespace floe::cpu::avx512 {
namespace {

/// Puts the kept bytes back where the bitmap says; reads nothing from `end` on.
void expand_bytes(const std::uint8_t* kept, const std::uint8_t* end, const std::uint8_t* bitmap, std::uint8_t* to,
                  core::MemoryTraffic* traffic) {
  for (std::size_t i = 0; i < core::chunk_bytes; i += 64) {
    std::uint64_t mask;
    std::memcpy(&mask, bitmap + i / 8, 8);
    const std::uint64_t count = popcount(mask);
    const __m512i bytes = end - kept >= 64 ? _mm512_loadu_si512(kept)
                                           : _mm512_maskz_loadu_epi8(_bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(count)), kept);
    _mm512_store_si512(to + i, _mm512_maskz_expand_epi8(mask, bytes));
    kept += count;
    if (i % 128 == 0) carry_on(traffic, 1);
  }
}

#include "backend/cpu/ratio32.inl"

}  // namespace
}  // namespace floe::cpu::avx512

namespace floe::cpu {

std::size_t Kernels<Isa::avx512>::encode_ratio32(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch,
                                                 core::MemoryTraffic* traffic) noexcept {
  return avx512::encode(chunk, out, scratch, traffic);
}
bool Kernels<Isa::avx512>::decode_ratio32(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk,
                                          std::uint8_t* scratch, core::MemoryTraffic* traffic) noexcept {
  return avx512::decode(payload, payload_bytes, chunk, scratch, traffic);
}

}  // namespace floe::cpu
FLOE_AVX512_END
#endif
