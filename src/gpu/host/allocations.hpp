// Whether memory that CUDA gave is still there: cudaDeviceReset() takes it away, and its address may come
// back as that of other memory.
#pragma once

#include <cstdint>

#include "floe/types.hpp"

namespace floe::gpu {

inline constexpr Status was_reset{ErrorCode::device_error, 0,
                                  "the device was reset after the object that uses it was made"};

/// The number of an allocation on a device, or of pinned memory, that no other one of this process ever gets;
/// 0 if there is none.
std::uint64_t allocation_id(const void* memory) noexcept;

/// Whether there is no allocation of this number at `memory` any more. No, if the driver cannot say, as after
/// an error of a kernel: the calls that follow have the same error.
bool is_gone(const void* memory, std::uint64_t id) noexcept;

}  // namespace floe::gpu
