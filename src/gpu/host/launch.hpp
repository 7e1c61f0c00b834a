// Kernels onto a stream, and what the current device is like.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "floe/cuda.hpp"
#include "gpu/host/calls.hpp"

namespace floe::gpu {

/// The compute capability, times ten, of the code that runs on the current device: an older one's maybe.
int compiled_capability(CudaCalls& calls);

/// Enqueues a kernel that writes `bytes` bytes, a multiple of 8, to pinned memory of the host: results reach
/// it while the copy engines are busy with content, where a copy would wait for all copies before it.
Status publish(const std::uint8_t* from, std::uint8_t* to, std::uint64_t bytes, cudaStream_t stream);

struct DeviceShape {
  std::uint32_t multiprocessors = 0;
  std::uint32_t shared_bytes = 0;  ///< That one block can have.
  bool overlaps_kernels = false;   ///< Whether a kernel can begin before the one before it has ended.
  bool has_clusters = false;       ///< Whether blocks can read and write each other's shared memory.

  /// Shared memory that a block of a cluster can have; 0 if there are no clusters.
  [[nodiscard]] std::uint32_t cluster_bytes() const { return has_clusters ? shared_bytes : 0; }

  static DeviceShape of_current(CudaCalls& calls) {
    int device = 0, multiprocessors = 0, shared_bytes = 0;
    calls.check(cudaGetDevice(&device));
    calls.check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    calls.check(cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    const bool has_hopper_code = compiled_capability(calls) >= 90;
    return {static_cast<std::uint32_t>(multiprocessors), static_cast<std::uint32_t>(shared_bytes),
            has_hopper_code, has_hopper_code};
  }
};

inline Status check_workspace(const cuda::Workspace& workspace, std::uint64_t bytes) {
  if (workspace.data == nullptr || workspace.bytes < bytes) return invalid("the workspace is too small");
  if (reinterpret_cast<std::uintptr_t>(workspace.data) % 256 != 0)
    return invalid("the workspace does not begin at a multiple of 256");
  return {};
}

struct LaunchShape {
  std::uint32_t blocks = 1, threads = 1;
  std::uint32_t shared_bytes = 0;
  bool overlaps = false;  ///< Begins before the kernel before has ended, and waits for it by itself.
  std::uint32_t cluster_blocks = 1;  ///< Blocks that are together; a divisor of `blocks`.
  /// Memory that blocks need of what a multiprocessor can share, in percent. 0: the driver decides.
  std::uint32_t shared_percent = 0;
};

template <class Job>
void launch(CudaCalls& calls, void (*kernel)(Job), const LaunchShape& shape, const Job& job,
            cudaStream_t stream) {
  if (!calls.ok()) return;
  const auto* const function = reinterpret_cast<const void*>(kernel);
  if (shape.shared_bytes > 48 << 10)
    calls.check(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     static_cast<int>(shape.shared_bytes)));
  if (shape.shared_percent > 0)
    calls.check(cudaFuncSetAttribute(function, cudaFuncAttributePreferredSharedMemoryCarveout,
                                     static_cast<int>(shape.shared_percent)));
  if (!calls.ok()) return;
  void* arguments[] = {const_cast<Job*>(&job)};
  cudaLaunchAttribute attributes[2] = {};
  unsigned attribute_count = 0;
  if (shape.overlaps) {
    attributes[attribute_count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[attribute_count++].val.programmaticStreamSerializationAllowed = 1;
  }
  if (shape.cluster_blocks > 1) {
    attributes[attribute_count].id = cudaLaunchAttributeClusterDimension;
    attributes[attribute_count++].val.clusterDim = {shape.cluster_blocks, 1, 1};
  }
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(shape.blocks);
  config.blockDim = dim3(shape.threads);
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = attribute_count;
  calls.check(cudaLaunchKernelExC(&config, function, arguments));
}

}  // namespace floe::gpu
