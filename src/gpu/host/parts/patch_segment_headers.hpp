// On a device: segments of a part's own frame become segments of the whole array's frame, and back.
#pragma once

#include "gpu/host/parts/segment_patch.hpp"

namespace floe::gpu {

/// Patches all segments, if the part could be compressed. Errors: device_error.
Status patch_segment_headers(const PatchJob& job, cudaStream_t stream);

}  // namespace floe::gpu
