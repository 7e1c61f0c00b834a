// The checksum of a chunk's payload: one row is two vectors.
#pragma once

#include <cstddef>
#include <cstdint>

namespace floe::cpu::avx2 {

/// As core::chunk_checksum.
std::uint32_t checksum(const std::uint8_t* payload, std::size_t padded_bytes) noexcept;

}  // namespace floe::cpu::avx2
