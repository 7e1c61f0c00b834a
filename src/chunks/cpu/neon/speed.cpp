// spspeed and dpspeed with NEON.
#include "chunks/cpu/neon/kernels.hpp"

#if defined(__aarch64__)

#include <algorithm>
#include <cstring>

#include "chunks/cpu/neon/subchunk_packing.hpp"
#include "chunks/cpu/traffic.hpp"

namespace floe::cpu::neon {
namespace {

#include "chunks/cpu/speed.inl"

}  // namespace
}  // namespace floe::cpu::neon

namespace floe::cpu {

std::size_t Kernels<Isa::neon>::encode_speed32(const std::uint8_t* chunk, std::uint8_t* out,
                                               std::uint8_t* scratch, core::MemoryTraffic* traffic) noexcept {
  return neon::encode<neon::Lanes<32>>(chunk, out, scratch, traffic);
}
std::size_t Kernels<Isa::neon>::encode_speed64(const std::uint8_t* chunk, std::uint8_t* out,
                                               std::uint8_t* scratch, core::MemoryTraffic* traffic) noexcept {
  return neon::encode<neon::Lanes<64>>(chunk, out, scratch, traffic);
}
bool Kernels<Isa::neon>::decode_speed32(const std::uint8_t* payload, std::size_t payload_bytes,
                                        std::uint8_t* chunk, core::MemoryTraffic* traffic) noexcept {
  return neon::decode<neon::Lanes<32>>(payload, payload_bytes, chunk, traffic);
}
bool Kernels<Isa::neon>::decode_speed64(const std::uint8_t* payload, std::size_t payload_bytes,
                                        std::uint8_t* chunk, core::MemoryTraffic* traffic) noexcept {
  return neon::decode<neon::Lanes<64>>(payload, payload_bytes, chunk, traffic);
}

}  // namespace floe::cpu
#endif
