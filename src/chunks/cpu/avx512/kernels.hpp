// Which kernels are there for AVX-512? kernels.hpp says what each takes and promises.
#pragma once

#include "chunks/cpu/kernels.hpp"

namespace floe::cpu {

template <>
struct Kernels<Isa::avx512> {
  static constexpr bool decodes_past_caches = true;
  static std::size_t encode_speed8(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch,
                                   core::MemoryTraffic* traffic) noexcept;
  static std::size_t encode_speed16(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch,
                                    core::MemoryTraffic* traffic) noexcept;
  static bool decode_speed8(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk,
                            core::MemoryTraffic* traffic) noexcept;
  static bool decode_speed16(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk,
                             core::MemoryTraffic* traffic) noexcept;
#include "chunks/cpu/ratio_and_gfc_kernels.inl"
#include "chunks/cpu/speed_kernels.inl"
};

}  // namespace floe::cpu
