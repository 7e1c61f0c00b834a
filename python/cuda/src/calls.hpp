// The calls of floe/cuda.hpp for arrays and frames at addresses of a device. They wait for their work, as
// errors of data must be told.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "floe/cuda.hpp"

namespace floe::python {

/// Where calls work.
struct DeviceStream {
  int device = 0;
  std::uintptr_t stream = 0;
};

/// An array in memory of a device.
struct DeviceArray {
  std::uintptr_t data = 0;
  std::uint64_t bytes = 0;
  DType dtype = DType::u8;
  Extent extent;
};

/// Bytes of a device.
struct DeviceBytes {
  std::uintptr_t data = 0;
  std::uint64_t bytes = 0;
};

/// Returns the bytes of the frame. Without a tree the device's planner chooses; it has its own workspace.
std::uint64_t compress(const DeviceArray& array, const Options& options, std::uint64_t workspace_bytes,
                       DeviceBytes room, DeviceStream queue);
/// Decodes elements of a frame.
void decompress(DeviceBytes frame, const cuda::FrameKind& kind, Slice slice, std::uint64_t workspace_bytes,
                DeviceBytes room, DeviceStream queue);
/// Decodes all elements of frames of one kind, and says what became of each.
std::vector<ErrorCode> decompress_all(std::span<const cuda::BatchItem> frames, const cuda::FrameKind& kind,
                                      DeviceStream queue);

}  // namespace floe::python
