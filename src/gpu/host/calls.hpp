// CUDA calls: their errors as a Status, the caller's current device, and memory, streams and events that go
// away with their owner.
#pragma once

#include <cuda_runtime.h>
#include <cstdint>

#include "core/bits.hpp"
#include "floe/types.hpp"
#include "gpu/host/allocations.hpp"

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

/// Whether memory of the host is pinned, so that devices reach it. Of none, yes.
inline bool is_pinned(const void* memory, std::uint64_t bytes) {
  const auto is_pinned_at = [&](std::uint64_t offset) {
    cudaPointerAttributes attributes{};
    const auto* const address = static_cast<const std::uint8_t*>(memory) + offset;
    return to_status(cudaPointerGetAttributes(&attributes, address)).ok() &&
           attributes.type == cudaMemoryTypeHost;
  };
  return bytes == 0 || (is_pinned_at(0) && is_pinned_at(bytes - 1));
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

/// Where memory lies: on a device, or pinned on the host, where devices reach it.
enum class MemoryKind { device, host };

/// Grows without keeping its contents. What a reset of the device has taken away is not given back.
template <MemoryKind kind>
class Memory {
 public:
  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { release(); }

  /// At least `bytes` bytes. The device is the current one. Errors: out_of_memory, device_error.
  Status reserve(std::uint64_t bytes) {
    if (bytes <= bytes_) return {};
    release();
    // Sizes that differ little need no new memory.
    const std::uint64_t rounded = core::align_up(bytes, bytes < granule ? 256 : granule);
    const cudaError_t error = kind == MemoryKind::device
                                  ? cudaMalloc(&data_, rounded)
                                  : cudaHostAlloc(&data_, rounded, cudaHostAllocPortable);
    if (error != cudaSuccess) {
      data_ = nullptr;
      return to_status(error);
    }
    bytes_ = rounded;
    id_ = allocation_id(data_);
    return {};
  }
  /// Whether there was memory, until the device was reset.
  [[nodiscard]] bool is_gone() const { return data_ != nullptr && gpu::is_gone(data_, id_); }
  [[nodiscard]] std::uint8_t* data() const { return static_cast<std::uint8_t*>(data_); }
  [[nodiscard]] std::uint64_t size() const { return bytes_; }

 private:
  static constexpr std::uint64_t granule = std::uint64_t{4} << 20;

  void release() {
    if (data_ != nullptr && !is_gone())
      (void)(kind == MemoryKind::device ? cudaFree(data_) : cudaFreeHost(data_));
    data_ = nullptr;
    bytes_ = 0;
  }

  void* data_ = nullptr;
  std::uint64_t bytes_ = 0, id_ = 0;
};

/// A stream that does not wait for the default one.
class Stream {
 public:
  Status create() { return to_status(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    if (stream_ != nullptr) (void)cudaStreamDestroy(stream_);
  }
  /// After a reset of the device, which has taken it away.
  void forget() noexcept { stream_ = nullptr; }
  [[nodiscard]] cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// An event without times.
class Event {
 public:
  Status create() { return to_status(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() {
    if (event_ != nullptr) (void)cudaEventDestroy(event_);
  }
  /// After a reset of the device, which has taken it away.
  void forget() noexcept { event_ = nullptr; }
  [[nodiscard]] cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace floe::gpu
