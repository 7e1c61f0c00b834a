// One task of src/offload on a GPU: which copy and which kernel runs on which stream, and what waits for
// what.
#pragma once

#include <memory>

#include "floe/cuda.hpp"
#include "gpu/host/memory.hpp"
#include "gpu/offload/slot.hpp"

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

  [[nodiscard]] int device() const noexcept { return device_; }
  [[nodiscard]] cudaStream_t in() const noexcept { return in_; }
  [[nodiscard]] cudaStream_t kernels() const noexcept { return kernels_; }
  [[nodiscard]] cudaStream_t out() const noexcept { return out_; }

 private:
  int device_;
  cudaStream_t in_ = nullptr, kernels_ = nullptr, out_ = nullptr;
};

class GpuSlot final : public offload::Slot {
 public:
  /// Errors: device_error, out_of_memory.
  static Result<std::unique_ptr<offload::Slot>> open(std::shared_ptr<Gpu> gpu);
  explicit GpuSlot(std::shared_ptr<Gpu> gpu) : gpu_(std::move(gpu)) {}
  GpuSlot(const GpuSlot&) = delete;
  GpuSlot& operator=(const GpuSlot&) = delete;
  ~GpuSlot() override;

  Result<std::span<std::uint8_t>> staging(std::uint64_t bytes) override;
  Status start(const offload::Task& task, std::span<const offload::CopyIn> copies) override;
  Result<offload::TaskResult> wait_for_result() override;
  Result<std::span<std::uint8_t>> result_memory(std::uint64_t bytes) override;
  Status fetch(std::uint64_t offset, std::span<std::uint8_t> to) override;
  Status wait_for_fetch() override;
  void settle() noexcept override;

 private:
  Status reserve(const offload::Task& task);
  Status enqueue(const offload::Task& task);

  std::shared_ptr<Gpu> gpu_;
  Memory<Place::host> staging_, results_, told_;  ///< told_: a copy of the ItemResult.
  Memory<Place::device> in_, out_, workspace_, result_;
  cudaEvent_t copied_ = nullptr, done_ = nullptr, fetched_ = nullptr;
};

}  // namespace floe::gpu
