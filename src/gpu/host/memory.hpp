// Memory of a device, and of the host for devices, that grows without keeping its contents.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>

#include "core/bits.hpp"
#include "gpu/host/calls.hpp"

namespace floe::gpu {

enum class Place { device, host };

template <Place place>
class Memory {
 public:
  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { release(); }

  /// At least `bytes` bytes. The device is the current one.
  Status reserve(std::uint64_t bytes) {
    if (bytes <= bytes_) return {};
    release();
    const std::uint64_t rounded = core::align_up(
        bytes, bytes < granule ? 256 : granule);  // sizes that differ little need no new memory
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
  [[nodiscard]] std::span<std::uint8_t> bytes() const { return {data(), bytes_}; }

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

}  // namespace floe::gpu
