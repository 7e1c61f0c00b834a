// Whole full chunks of the pipeline LaneDelta, BytePack with AVX-512: gfc on words of 64 and 32 bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace floe::cpu::avx512 {

/// `chunk` and `out` have core::chunk_bytes bytes; any alignment; dimensionality is 1 to 32. Returns the bytes of the payload, or
/// raw_chunk.
std::size_t encode_gfc64(const std::uint8_t* chunk, std::uint8_t* out, unsigned dimensionality) noexcept;
std::size_t encode_gfc32(const std::uint8_t* chunk, std::uint8_t* out, unsigned dimensionality) noexcept;

/// Writes all core::chunk_bytes bytes of `chunk`; false if the payload contradicts the format. Reads nothing outside the payload.
bool decode_gfc64(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk, unsigned dimensionality) noexcept;
bool decode_gfc32(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk, unsigned dimensionality) noexcept;

}  // namespace floe::cpu::avx512
