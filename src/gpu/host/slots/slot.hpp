// What a device must be able to do so that batches of streams can be sent through it; the slots of all
// devices, and who has which. Knows no CUDA.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "container/layout.hpp"
#include "floe/cuda_host.hpp"
#include "floe/floe.hpp"

namespace floe::gpu {

/// A part of a slot's memory on the device: that for input, or that for output.
struct Range {
  std::uint64_t offset = 0, bytes = 0;
  [[nodiscard]] std::uint64_t end() const { return offset + bytes; }
};

struct CopyIn {
  const void* from = nullptr;  ///< Unchanged until the results are there.
  Range to;
};
struct CopyOut {
  Range from;
  void* to = nullptr;
};

/// A frame of one segment, without a prefix, and the elements in it.
struct FrameTask {
  Range in, out;
};

/// What is longer is bytes of texts, of which a single multiprocessor would have too much.
inline constexpr std::uint64_t max_stream_words = std::uint64_t{1} << 20;
/// Room before each encoded stream of a column: streams that are neighbours in a frame are so on the device,
/// and are copied together.
inline constexpr std::uint32_t stream_lead_bytes = container::array_segment_header_bytes;
/// Bytes that an encoded stream of a column, and the room before it, may have beyond those of its words.
inline constexpr std::uint64_t max_stream_overhead = 768 + stream_lead_bytes;

/// Streams with as many words of the same type, to encode with the same tree.
struct ColumnTask {
  DType type = DType::u8;
  std::string tree;  ///< Encoding only.
  std::uint64_t words = 0;
  std::size_t streams = 0;
  Range in;   ///< Encoding: words, stream by stream. Decoding: see Task::stored.
  Range out;  ///< Decoding: words, stream by stream. Encoding: with max_stream_overhead for each.
};

/// What a device does at once. Its results are those of the frames, then those of the streams of the columns.
struct Task {
  bool encodes = true;
  std::uint64_t in_bytes = 0, out_bytes = 0;
  DType frame_type = DType::u8;  ///< Of all frames,
  Options frame_options;         ///< and their tree, checksum and segment_bytes.
  std::vector<FrameTask> frames;
  std::vector<ColumnTask> columns;
  std::vector<Range> stored;  ///< Decoding: where the streams of the columns are in the input.
};

/// A device's memory for one task. All calls but those that wait return at once. For one thread at a time, in
/// the order in which they stand here. Errors of all: device_error, out_of_memory.
class Slot {
 public:
  virtual ~Slot() = default;
  /// Whether the device can encode such a stream, and if it is a codec, decode it.
  [[nodiscard]] virtual bool supports(DType type, std::uint64_t count, const std::string& tree) const = 0;
  /// Whether it can read and write this memory of the host by itself, so that it need not be staged.
  [[nodiscard]] virtual bool reaches(const void* memory, std::uint64_t bytes) const = 0;
  /// Memory of the host that it reaches, for what start() copies. The contents get lost when it grows.
  virtual Result<std::uint8_t*> staging(std::uint64_t bytes) = 0;
  virtual Status start(const Task& task, std::span<const CopyIn> copies) = 0;
  /// Where in the output the results are; nothing for streams that were not coded. Valid until the next task.
  virtual Result<std::span<const Range>> wait_for_results() = 0;
  /// Memory of the host that it reaches, for what fetch() copies.
  virtual Result<std::uint8_t*> result_memory(std::uint64_t bytes) = 0;
  /// Copies when the task is done; returns at once if it reaches all the memory that it copies to.
  virtual Status fetch(std::span<const CopyOut> copies) = 0;
  virtual Status wait_for_fetch() = 0;
  /// Waits for everything, whatever has failed.
  virtual void settle() noexcept = 0;
};

/// Thread-safe.
class Slots {
 public:
  /// As many for each device; neighbours belong to different ones.
  explicit Slots(std::vector<std::unique_ptr<Slot>> slots)
      : slots_(std::move(slots)), taken_(slots_.size()) {}

  /// The right to use a slot, or none.
  class Lease {
   public:
    Lease() = default;
    Lease(Slots& slots, std::size_t index) : slots_(&slots), index_(index) {}
    Lease(Lease&& other) noexcept : slots_(std::exchange(other.slots_, nullptr)), index_(other.index_) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (slots_ != nullptr) slots_->give(index_);
    }
    [[nodiscard]] explicit operator bool() const { return slots_ != nullptr; }
    [[nodiscard]] Slot& slot() const { return *slots_->slots_[index_]; }

   private:
    Slots* slots_ = nullptr;
    std::size_t index_ = 0;
  };

  [[nodiscard]] std::size_t size() const { return slots_.size(); }
  [[nodiscard]] const Slot& any() const { return *slots_.front(); }

  /// In turn, so that all devices get the same share; none if all are taken.
  Lease take() {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      const std::size_t index = (next_ + i) % slots_.size();
      if (taken_[index]) continue;
      taken_[index] = true;
      next_ = (index + 1) % slots_.size();
      return {*this, index};
    }
    return {};
  }

 private:
  void give(std::size_t index) {
    const std::lock_guard lock(mutex_);
    taken_[index] = false;
  }

  std::vector<std::unique_ptr<Slot>> slots_;
  std::mutex mutex_;
  std::vector<bool> taken_;
  std::size_t next_ = 0;
};

}  // namespace floe::gpu

namespace floe::cuda {

struct Devices::State {
  State(std::uint32_t count, std::vector<std::unique_ptr<gpu::Slot>> of_devices)
      : device_count(count), slots(std::move(of_devices)) {}

  std::uint32_t device_count;
  gpu::Slots slots;  ///< As many for each device, one at least.
};

}  // namespace floe::cuda
