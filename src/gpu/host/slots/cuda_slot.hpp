// A slot on a GPU: which copy and which kernel runs on which stream, and what waits for what.
#pragma once

#include <memory>
#include <vector>

#include "floe/cuda.hpp"
#include "gpu/host/calls.hpp"
#include "gpu/host/slots/slot.hpp"

namespace floe::gpu {

/// A device with one stream for each direction and one for kernels. All slots of the device share them, so
/// that the copies of one direction follow each other while those of the other one and the kernels run.
class Gpu {
 public:
  /// Errors: device_error, out_of_memory.
  static Result<std::shared_ptr<Gpu>> open(int device);
  explicit Gpu(int device) : device_(device) {}
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;
  ~Gpu();

  /// Whether streams, events and memory of the device are gone. Of the current device.
  [[nodiscard]] bool was_reset() const { return mark_.is_gone(); }
  [[nodiscard]] Status check() const { return was_reset() ? gpu::was_reset : Status{}; }
  [[nodiscard]] int device() const noexcept { return device_; }
  [[nodiscard]] cudaStream_t in() const noexcept { return in_.get(); }
  [[nodiscard]] cudaStream_t kernels() const noexcept { return kernels_.get(); }
  [[nodiscard]] cudaStream_t out() const noexcept { return out_.get(); }

 private:
  int device_;
  Memory<MemoryKind::device> mark_;  ///< Is there until the device is reset.
  Stream in_, kernels_, out_;
};

class CudaSlot final : public Slot {
 public:
  /// Errors: device_error, out_of_memory.
  static Result<std::unique_ptr<Slot>> open(std::shared_ptr<Gpu> gpu);
  explicit CudaSlot(std::shared_ptr<Gpu> gpu) : gpu_(std::move(gpu)) {}
  CudaSlot(const CudaSlot&) = delete;
  CudaSlot& operator=(const CudaSlot&) = delete;
  ~CudaSlot() override;

  [[nodiscard]] bool supports(DType type, std::uint64_t count, const std::string& tree) const override;
  [[nodiscard]] bool reaches(const void* memory, std::uint64_t bytes) const override {
    return is_pinned(memory, bytes);
  }
  Result<std::uint8_t*> staging(std::uint64_t bytes) override { return reserved(staging_, bytes); }
  Status start(const Task& task, std::span<const CopyIn> copies) override;
  Result<std::span<const Range>> wait_for_results() override;
  Result<std::uint8_t*> result_memory(std::uint64_t bytes) override {
    return reserved(fetched_memory_, bytes);
  }
  Status fetch(std::span<const CopyOut> copies) override;
  Status wait_for_fetch() override;
  void settle() noexcept override;

 private:
  /// Columns that one call takes.
  struct Call {
    std::vector<cuda::ColumnEncode> encode;
    std::vector<std::string_view> trees;
    std::vector<cuda::ColumnDecode> decode;
  };

  Result<std::uint8_t*> reserved(Memory<MemoryKind::host>& memory, std::uint64_t bytes) const;
  Status reserve();
  Status reserve_workspace();
  Status copy_tables();
  [[nodiscard]] cuda::FrameKind frame_kind() const;
  [[nodiscard]] std::uint64_t frame_contents_bytes() const;
  [[nodiscard]] cuda::BatchItem item_of(const FrameTask& frame) const;
  [[nodiscard]] std::vector<Call> calls_of_columns() const;
  Status enqueue_frames();
  Status enqueue_columns();

  // Where what is in tables_ and results_ begins
  [[nodiscard]] std::uint64_t stored_offset() const;
  [[nodiscard]] std::uint64_t streams_offset() const;
  [[nodiscard]] std::uint64_t results_bytes() const;

  std::shared_ptr<Gpu> gpu_;
  Task task_;
  std::size_t column_streams_ = 0;  ///< Of all columns of the task.
  std::vector<Range> results_of_task_;
  /// `tables_`: items of frames, then entries of stored streams. `results_`: an ItemResult for each frame and
  /// each column, then what became of each stream of a column. Each lies in memory of the host, too.
  Memory<MemoryKind::host> staging_, fetched_memory_, host_tables_, published_;
  Memory<MemoryKind::device> in_, out_, workspace_, tables_, results_;
  Event copied_, done_, fetched_;
};

}  // namespace floe::gpu
