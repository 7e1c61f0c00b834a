// The checksum of a chunk's payload (core/chunk_checksum.hpp) with the vectors of each instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/cpu/isa.hpp"

namespace floe::cpu {

/// As core::chunk_checksum.
using ChecksumFunction = std::uint32_t (*)(const std::uint8_t* payload, std::size_t padded_bytes) noexcept;

ChecksumFunction checksum_function(Isa isa) noexcept;

}  // namespace floe::cpu
