// Results in device memory reach the host while the copy engines are busy with content.
#pragma once

#include <cstdint>

#include "floe/cuda.hpp"

namespace floe::gpu {

/// Enqueues a kernel that writes `bytes` bytes, a multiple of 8, to pinned memory of the host. A copy would
/// wait for all copies before it.
Status publish(const std::uint8_t* from, std::uint8_t* to, std::uint64_t bytes, cudaStream_t stream);

}  // namespace floe::gpu
