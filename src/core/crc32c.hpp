// CRC-32C of headers and footers. Chunks have a checksum of their own
// (core/chunk_checksum.hpp).
#pragma once

#include <cstdint>
#include <span>

namespace floe::core {

/// Bit 31 is the coefficient of x^0.
inline constexpr std::uint32_t crc32c_polynomial = 0x82F63B78;

/// Castagnoli CRC, reflected, initial value and final XOR all ones.
std::uint32_t crc32c(std::span<const std::uint8_t> bytes) noexcept;

/// The same without the instruction that processors have for it.
std::uint32_t crc32c_by_tables(std::span<const std::uint8_t> bytes) noexcept;

}  // namespace floe::core
