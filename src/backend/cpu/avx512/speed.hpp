// Whole full chunks of the pipeline Delta, ZigZag, BitPack with AVX-512: spspeed and dpspeed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace floe::cpu::avx512 {

/// `chunk` and `out` have core::chunk_bytes bytes, `scratch` has 2 * core::chunk_bytes + 64, aligned to 64; any alignment for the others.
/// Returns the bytes of the payload, or raw_chunk.
std::size_t encode_speed32(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch) noexcept;
std::size_t encode_speed64(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch) noexcept;

/// Writes all core::chunk_bytes bytes of `chunk`; false if the payload contradicts the format. Reads nothing outside the payload.
bool decode_speed32(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk) noexcept;
bool decode_speed64(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk) noexcept;

}  // namespace floe::cpu::avx512
