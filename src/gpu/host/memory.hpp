// Memory, streams and events of CUDA that go away with their owner.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "core/bits.hpp"
#include "gpu/host/calls.hpp"

namespace floe::gpu {

/// Where memory lies: on a device, or pinned on the host, where devices reach it.
enum class Place { device, host };

/// Grows without keeping its contents.
template <Place place>
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
    const cudaError_t error = place == Place::device ? cudaMalloc(&data_, rounded)
                                                     : cudaHostAlloc(&data_, rounded, cudaHostAllocPortable);
    if (error != cudaSuccess) {
      data_ = nullptr;
      return to_status(error);
    }
    bytes_ = rounded;
    return {};
  }
  [[nodiscard]] std::uint8_t* data() const { return static_cast<std::uint8_t*>(data_); }
  [[nodiscard]] std::uint64_t size() const { return bytes_; }

 private:
  static constexpr std::uint64_t granule = std::uint64_t{4} << 20;

  void release() {
    if (data_ != nullptr) (void)(place == Place::device ? cudaFree(data_) : cudaFreeHost(data_));
    data_ = nullptr;
    bytes_ = 0;
  }

  void* data_ = nullptr;
  std::uint64_t bytes_ = 0;
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
  [[nodiscard]] cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace floe::gpu
