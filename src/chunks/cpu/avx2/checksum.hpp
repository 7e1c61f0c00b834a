// The checksum of a chunk's payload: what kernels have not added, and the end.
#pragma once

#include <cstdint>

namespace floe::core {
class RunningChecksum;
}

namespace floe::cpu::avx2 {

/// As cpu::FinishChecksum.
std::uint32_t finish_checksum(core::RunningChecksum& checksum) noexcept;

}  // namespace floe::cpu::avx2
