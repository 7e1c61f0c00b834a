// The checksum of a chunk's payload (core/chunk_checksum.hpp) with the vectors of each instruction set.
#pragma once

#include <cstdint>

#include "chunks/cpu/isa.hpp"
#include "core/chunk_checksum.hpp"

namespace floe::cpu {

/// Adds what is missing, and returns core::chunk_checksum of the payload.
using FinishChecksum = std::uint32_t (*)(core::RunningChecksum& checksum) noexcept;

FinishChecksum finish_checksum_function(Isa isa) noexcept;

namespace avx2 {
std::uint32_t finish_checksum(core::RunningChecksum& checksum) noexcept;
}
namespace avx512 {
std::uint32_t finish_checksum(core::RunningChecksum& checksum) noexcept;
}

}  // namespace floe::cpu
