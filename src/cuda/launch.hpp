// Kernels onto a stream, and what the current device is like.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "floe/error.hpp"

namespace floe::cuda {

/// The first error of a row of CUDA calls, as a Status.
class CudaCalls {
 public:
  void check(cudaError_t error) {
    if (error_ == cudaSuccess) error_ = error;
  }
  [[nodiscard]] bool ok() const { return error_ == cudaSuccess; }
  [[nodiscard]] Status status() const { return ok() ? Status{} : Status{ErrorCode::device_error, 0, cudaGetErrorString(error_)}; }

 private:
  cudaError_t error_ = cudaSuccess;
};

struct DeviceShape {
  std::uint32_t multiprocessors = 0;
  std::uint32_t shared_bytes = 0;  ///< That one block can have.

  static DeviceShape of_current(CudaCalls& calls) {
    int device = 0, multiprocessors = 0, shared_bytes = 0;
    calls.check(cudaGetDevice(&device));
    calls.check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    calls.check(cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    return {static_cast<std::uint32_t>(multiprocessors), static_cast<std::uint32_t>(shared_bytes)};
  }
};

struct LaunchShape {
  std::uint32_t blocks = 1, threads = 1;
  std::uint32_t shared_bytes = 0;
};

template <class Job>
void launch(CudaCalls& calls, void (*kernel)(Job), const LaunchShape& shape, const Job& job, cudaStream_t stream) {
  if (!calls.ok()) return;
  const auto* const function = reinterpret_cast<const void*>(kernel);
  if (shape.shared_bytes > 48 << 10)
    calls.check(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shape.shared_bytes)));
  if (!calls.ok()) return;
  void* arguments[] = {const_cast<Job*>(&job)};
  calls.check(cudaLaunchKernel(function, dim3(shape.blocks), dim3(shape.threads), arguments, shape.shared_bytes, stream));
}

}  // namespace floe::cuda
