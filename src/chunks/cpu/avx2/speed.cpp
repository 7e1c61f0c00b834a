// spspeed and dpspeed with AVX2.
#include "chunks/cpu/avx2/kernels.hpp"

#if defined(__x86_64__)

#include <algorithm>
#include <cstring>

#include "chunks/cpu/avx2/subchunk_packing.hpp"
#include "chunks/cpu/avx2/traffic.hpp"

FLOE_AVX2_BEGIN
namespace floe::cpu::avx2 {
namespace {

#include "chunks/cpu/speed.inl"

}  // namespace
}  // namespace floe::cpu::avx2

namespace floe::cpu {

std::size_t Kernels<Isa::avx2>::encode_speed32(const std::uint8_t* chunk, std::uint8_t* out,
                                               std::uint8_t* scratch, core::MemoryTraffic* traffic) noexcept {
  return avx2::encode<avx2::Lanes<32>>(chunk, out, scratch, traffic);
}
std::size_t Kernels<Isa::avx2>::encode_speed64(const std::uint8_t* chunk, std::uint8_t* out,
                                               std::uint8_t* scratch, core::MemoryTraffic* traffic) noexcept {
  return avx2::encode<avx2::Lanes<64>>(chunk, out, scratch, traffic);
}
bool Kernels<Isa::avx2>::decode_speed32(const std::uint8_t* payload, std::size_t payload_bytes,
                                        std::uint8_t* chunk, core::MemoryTraffic* traffic) noexcept {
  return avx2::decode<avx2::Lanes<32>>(payload, payload_bytes, chunk, traffic);
}
bool Kernels<Isa::avx2>::decode_speed64(const std::uint8_t* payload, std::size_t payload_bytes,
                                        std::uint8_t* chunk, core::MemoryTraffic* traffic) noexcept {
  return avx2::decode<avx2::Lanes<64>>(payload, payload_bytes, chunk, traffic);
}

}  // namespace floe::cpu
FLOE_AVX2_END
#endif
