// How do errors of CUDA become a Status, and how is the caller's current device left as it was?
#pragma once

#include <cuda_runtime.h>

#include "floe/error.hpp"

namespace floe::gpu {

inline Status to_status(cudaError_t error) {
  if (error == cudaSuccess) return {};
  (void)cudaGetLastError();  // so that it does not show up again
  const bool memory = error == cudaErrorMemoryAllocation;
  return {memory ? ErrorCode::out_of_memory : ErrorCode::device_error, 0, cudaGetErrorString(error)};
}

/// Makes a device the current one of this thread until it is destroyed.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device) {
    if (cudaGetDevice(&before_) != cudaSuccess) before_ = device;
    (void)cudaSetDevice(device);
  }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  ~CurrentDevice() { (void)cudaSetDevice(before_); }

 private:
  int before_ = 0;
};

}  // namespace floe::gpu
