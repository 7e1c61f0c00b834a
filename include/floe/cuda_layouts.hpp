// How do arrays and frames of a batch lie in device memory? At equal distances, or frames one behind the
// other. These calls write and use the items of compress_batch_async and decompress_batch_async, so that
// callers need no kernels of their own for it. As all calls of cuda.hpp they only enqueue, and can be
// captured into a graph. Link floe::cuda.
#pragma once

#include "floe/cuda.hpp"

#pragma GCC visibility push(default)

namespace floe::cuda {

/// Memory of the device in equal places: place i begins at data + i * distance and has `bytes` bytes.
struct StridedMemory {
  void* data = nullptr;
  std::uint64_t distance = 0;
  std::uint64_t bytes = 0;
};

/// Where a frame lies in packed memory.
struct FramePlace {
  std::uint64_t offset = 0;  ///< From its beginning; a multiple of 16.
  std::uint64_t bytes = 0;   ///< 0 if there is no frame.
};

/// Writes `count` items to device memory whose inputs and outputs lie at equal distances: arrays in a row to
/// slots of frames, or the other way round. Distances of frames are multiples of 16. Errors: invalid_argument
/// (null addresses), device_error.
Status strided_items_async(BatchItem* items, std::uint64_t count, const StridedMemory& in,
                           const StridedMemory& out, cudaStream_t stream);

/// Copies the frames that compress_batch_async has made of `items`, one behind the other and each to a
/// multiple of 16, to `packed`, which is a multiple of 16 and does not overlap them. What lies between two
/// frames becomes 0. Items whose result has an error take no room. `places` has room for `count` places in
/// device memory. `result`, in device memory, says how many bytes all frames take: if these are more than
/// `packed_bytes`, its code is output_too_small and no frame is copied; places are written in any case.
/// Errors: invalid_argument (null or unaligned addresses), device_error.
Status pack_frames_async(const BatchItem* items, const ItemResult* results, std::uint64_t count, void* packed,
                         std::uint64_t packed_bytes, FramePlace* places, ItemResult* result,
                         cudaStream_t stream);

/// Writes items to device memory that decompress_batch_async decodes frames with that lie where `places`
/// says, to outputs at equal distances. A place that is not within `packed_bytes` gives an item without
/// input, which is no frame. Errors: as above.
Status packed_items_async(BatchItem* items, std::uint64_t count, const void* packed,
                          std::uint64_t packed_bytes, const FramePlace* places, const StridedMemory& out,
                          cudaStream_t stream);

}  // namespace floe::cuda

#pragma GCC visibility pop
