// A GPU's part of an array, for benchmarks of data in the memories of several GPUs, and what is timed with
// such parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "device_work.hpp"
#include "floe/cuda_host.hpp"
#include "kinds.hpp"

namespace floe::bench {

/// Elements in the memory of a GPU, and what compressing them needs there and on the host.
class ResidentPart {
 public:
  /// `content`, repeated up to `bytes` bytes.
  ResidentPart(int device, std::uint64_t bytes, const Kind& kind, std::span<const std::byte> content);
  ResidentPart(const ResidentPart&) = delete;
  ResidentPart& operator=(const ResidentPart&) = delete;
  ~ResidentPart();
  [[nodiscard]] const cuda::ArrayPart& part() const { return part_; }

  /// Overwrites the last mebibyte of the elements.
  void spoil();
  /// Whether it is there again.
  [[nodiscard]] bool is_whole() const;

 private:
  [[nodiscard]] std::vector<std::byte> tail() const;

  cuda::ArrayPart part_;
  std::unique_ptr<DeviceBuffer> elements_, frame_, workspace_;
  cuda::PinnedMemory host_workspace_;
  std::vector<std::byte> spoiled_;
};
using ResidentParts = std::vector<std::unique_ptr<ResidentPart>>;

/// What an array in parts took, in seconds; 0 where it was not timed.
struct ResidentTimes {
  std::uint64_t frame_bytes = 0;
  double compress = 0, decompress = 0, to_device = 0, to_host = 0;
};

}  // namespace floe::bench
