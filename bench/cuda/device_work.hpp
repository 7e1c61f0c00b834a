// What the benchmarks of GPUs do on a device: memory, times of work by events, and those of a copy.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "program.hpp"

namespace floe::bench {

struct DeviceBuffer {
  explicit DeviceBuffer(std::uint64_t size);
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer() { cudaFree(data); }
  std::uint8_t* data = nullptr;
  std::uint64_t bytes;
};

/// Fills a buffer with copies of something in memory of the host.
void fill(const DeviceBuffer& to, std::span<const std::byte> from);

/// Of several runs, in seconds.
struct Times {
  double median = 0, fastest = 0, slowest = 0;
};
Times times_of(std::vector<double> seconds);

/// Times of a piece of work on the default stream, after two runs that do not count. `before` runs outside
/// the time.
Times measure(
    int runs, const std::function<void()>& work, const std::function<void()>& before = [] {});

/// Times of a copy within the device.
Times measure_copy(std::uint64_t bytes, int runs);

}  // namespace floe::bench
