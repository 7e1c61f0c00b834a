// How does a result in device memory reach the host while the copy engines are busy with content?
#pragma once

#include "floe/cuda.hpp"

namespace floe::gpu {

/// Enqueues a kernel that writes *from to *to, which is pinned memory of the host. A copy would wait for all
/// copies before it.
Status publish(const cuda::ItemResult* from, cuda::ItemResult* to, cudaStream_t stream);

}  // namespace floe::gpu
