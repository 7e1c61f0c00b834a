// What must a device be able to do so that arrays in host memory can be sent through it?
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "floe/floe.hpp"

namespace floe::offload {

/// Bytes of the host that are copied to a place in a slot's device memory.
struct CopyIn {
  std::span<const std::uint8_t> from;  ///< Unchanged until the slot's result is there.
  std::uint64_t to_offset = 0;
};

/// A frame of its own made of elements, or the elements of such a frame: one-dimensional, without a prefix.
struct Task {
  enum class Kind : std::uint8_t { compress, decompress };
  Kind kind = Kind::compress;
  DType dtype = DType::u8;
  Options options;              ///< compress: all of them; decompress: `codec` only.
  std::uint64_t in_bytes = 0;   ///< That the copies fill.
  std::uint64_t out_bytes = 0;  ///< The most that can come out.
};

struct TaskResult {
  ErrorCode code = ErrorCode::ok;  ///< Of the data.
  std::uint64_t bytes = 0;         ///< That came out, at the front of the slot's device memory for results.
};

/// A device's memory for one task. All calls but the waiting ones return at once. For one thread at a time;
/// the calls for a task come in the order in which they stand here. Errors of all: device_error,
/// out_of_memory.
class Slot {
 public:
  virtual ~Slot() = default;
  /// Host memory that the device can read, for what start() copies. Keeps its contents only if it need not
  /// grow.
  virtual Result<std::span<std::uint8_t>> staging(std::uint64_t bytes) = 0;
  virtual Status start(const Task& task, std::span<const CopyIn> copies) = 0;
  virtual Result<TaskResult> wait_for_result() = 0;
  /// Host memory that the device can write.
  virtual Result<std::span<std::uint8_t>> result_memory(std::uint64_t bytes) = 0;
  /// Copies bytes [offset, offset + to.size()) of what came out.
  virtual Status fetch(std::uint64_t offset, std::span<std::uint8_t> to) = 0;
  virtual Status wait_for_fetch() = 0;
  /// Waits for everything, whatever has failed.
  virtual void settle() noexcept = 0;
};

/// Some devices and their slots.
class DevicePool {
 public:
  virtual ~DevicePool() = default;
  [[nodiscard]] virtual std::uint32_t device_count() const = 0;
  /// The same number for each device; neighbours belong to different ones.
  [[nodiscard]] virtual std::span<const std::unique_ptr<Slot>> slots() const = 0;
  /// Whether the devices can read and write this memory of the host themselves, so that it need not be
  /// staged.
  [[nodiscard]] virtual bool reaches(std::span<const std::uint8_t> memory) const = 0;
  /// Whether the devices have this codec for these elements.
  [[nodiscard]] virtual bool supports(DType dtype, const Options& options) const = 0;
};

}  // namespace floe::offload
