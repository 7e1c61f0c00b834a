// Errors of CUDA calls as a Status, and the caller's current device.
#pragma once

#include <cuda_runtime.h>

#include "floe/error.hpp"

namespace floe::gpu {

inline constexpr Status invalid(const char* detail) { return {ErrorCode::invalid_argument, 0, detail}; }

inline Status to_status(cudaError_t error) {
  if (error == cudaSuccess) return {};
  (void)cudaGetLastError();  // so that it does not show up again
  const bool memory = error == cudaErrorMemoryAllocation;
  return {memory ? ErrorCode::out_of_memory : ErrorCode::device_error, 0, cudaGetErrorString(error)};
}

/// The first error of a row of calls.
class CudaCalls {
 public:
  CudaCalls& check(const Status& status) {
    if (ok()) status_ = status;
    return *this;
  }
  CudaCalls& check(cudaError_t error) { return check(to_status(error)); }
  [[nodiscard]] bool ok() const { return status_.ok(); }
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  Status status_;
};

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
