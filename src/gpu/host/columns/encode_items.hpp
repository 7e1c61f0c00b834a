// Encoding of arrays in device memory whose sizes the device knows, as segments of frames.
#pragma once

#include <string_view>

#include "floe/cuda.hpp"
#include "gpu/frames/job.hpp"

namespace floe::gpu {

/// Encodes the arrays of a job by blocks, with one tree. `like` says the type, the length of segments, the
/// room before each, the directory, and as its length the segments of all arrays at most.
Status encode_items_async(const CompressJob& job, const cuda::ColumnEncode& like, std::string_view tree,
                          cuda::Workspace workspace, cudaStream_t stream);
/// Bytes of workspace with which that is fastest.
Result<std::uint64_t> encode_items_workspace_size(const cuda::ColumnEncode& like, std::string_view tree);

}  // namespace floe::gpu
