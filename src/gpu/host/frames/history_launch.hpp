// The kernels of codecs with a stage over the segment, in their order onto a stream, and where their memory
// lies.
#pragma once

#include "gpu/host/frames/workspace_layout.hpp"
#include "gpu/host/launch.hpp"

namespace floe::gpu {

HistoryTables history_tables(std::uint8_t* workspace, const CompressLayout& layout);
HistoryRead history_read(std::uint8_t* workspace, const DecodeLayout& layout);

/// Everything after set_up_compression. `max_units`: segments of all items, at most.
void launch_history(CudaCalls& calls, const CompressJob& job, const DeviceShape& device,
                    std::uint64_t max_units, cudaStream_t stream);

/// Everything after read_frames.
void launch_history(CudaCalls& calls, const DecodeJob& job, const DeviceShape& device, cudaStream_t stream);

}  // namespace floe::gpu
