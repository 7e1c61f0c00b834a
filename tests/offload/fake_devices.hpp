// Devices that are no devices: the CPU does their tasks, as late as a device could.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "core/buffer.hpp"
#include "floe/cuda_host.hpp"
#include "gpu/offload/lease.hpp"

namespace floe::test {

using Bytes = std::vector<std::uint8_t>;

/// What happened, and what shall go wrong.
struct FakeControl {
  std::vector<std::uint32_t> started;    ///< Number of the device of each task, in order.
  std::uint64_t fail_task = ~0ull;       ///< This task, counted from 0, fails with device_error.
  bool damages_results = false;          ///< Frames that are made get an impossible head.
  std::uint32_t busy = 0, max_busy = 0;  ///< Slots with a task whose result was not fetched yet.
  std::string_view lacks;                ///< A codec that the devices do not have.
  std::uint64_t max_memory_bytes = 0;    ///< The largest staging memory that was asked for.
};

class FakeSlot final : public offload::Slot {
 public:
  FakeSlot(std::uint32_t device, FakeControl& control) : device_(device), control_(control) {}

  Result<std::span<std::uint8_t>> staging(std::uint64_t bytes) override {
    control_.max_memory_bytes = std::max(control_.max_memory_bytes, bytes);
    if (staging_.size() < bytes) staging_.assign(bytes, 0xCD);
    return std::span(staging_);
  }
  Status start(const offload::Task& task, std::span<const offload::CopyIn> copies) override {
    task_ = task;
    codec_ = task.options.codec;
    task_.options.codec = codec_;
    copies_.assign(copies.begin(), copies.end());
    control_.started.push_back(device_);
    number_ = control_.started.size() - 1;
    control_.max_busy = std::max(control_.max_busy, ++control_.busy);
    return {};
  }
  Result<offload::TaskResult> wait_for_result() override {
    if (number_ == control_.fail_task)
      return Status{ErrorCode::device_error, 0, "the device fell off the bus"};
    Bytes in(task_.in_bytes, 0xEE);
    for (const auto& copy : copies_)
      std::copy(copy.from.begin(), copy.from.end(), in.begin() + static_cast<std::ptrdiff_t>(copy.to_offset));
    memory_.assign(task_.out_bytes, 0xAB);
    return task_.kind == offload::Task::Kind::compress ? compress(in) : decompress(in);
  }
  Result<std::span<std::uint8_t>> result_memory(std::uint64_t bytes) override {
    if (results_.size() < bytes) results_.assign(bytes, 0xCD);
    return std::span(results_);
  }
  Status fetch(std::uint64_t offset, std::span<std::uint8_t> to) override {
    fetch_offset_ = offset;
    fetch_to_ = to;
    return {};
  }
  Status wait_for_fetch() override {
    std::copy_n(memory_.begin() + static_cast<std::ptrdiff_t>(fetch_offset_), fetch_to_.size(),
                fetch_to_.begin());
    --control_.busy;
    return {};
  }
  void settle() noexcept override {}

 private:
  Result<offload::TaskResult> compress(const Bytes& in) {
    const auto bytes =
        compress_into(std::as_writable_bytes(std::span(memory_)), std::as_bytes(std::span(in)), task_.dtype,
                      Extent::linear(in.size() / size_of(task_.dtype)), task_.options);
    if (!bytes) return bytes.status();
    if (control_.damages_results)
      memory_[36] ^= 0x40;  // of the length of the first head, which follows a header of 32 bytes
    return offload::TaskResult{ErrorCode::ok, *bytes};
  }
  Result<offload::TaskResult> decompress(const Bytes& in) {
    const auto frame = FrameView::parse(std::as_bytes(std::span(in)));
    if (!frame) return offload::TaskResult{frame.status().code, 0};
    const Status status = frame->decompress(std::as_writable_bytes(std::span(memory_)), {1});
    return offload::TaskResult{status.code, status.ok() ? memory_.size() : 0};
  }

  std::uint32_t device_;
  FakeControl& control_;
  offload::Task task_;
  std::string codec_;
  std::vector<offload::CopyIn> copies_;
  std::uint64_t number_ = 0;
  Bytes staging_, memory_, results_;
  std::uint64_t fetch_offset_ = 0;
  std::span<std::uint8_t> fetch_to_;
};

class FakePool final : public offload::DevicePool {
 public:
  FakePool(std::uint32_t devices, std::uint32_t slots_each, bool reaches_all, FakeControl& control)
      : devices_(devices), reaches_all_(reaches_all), control_(control) {
    for (std::uint32_t i = 0; i < devices * slots_each; ++i)
      slots_.push_back(std::make_unique<FakeSlot>(i % devices, control));
  }
  [[nodiscard]] std::uint32_t device_count() const override { return devices_; }
  [[nodiscard]] std::span<const std::unique_ptr<offload::Slot>> slots() const override { return slots_; }
  [[nodiscard]] bool reaches(std::span<const std::uint8_t>) const override { return reaches_all_; }
  [[nodiscard]] bool supports(DType dtype, const Options& options) const override {
    const auto codec = choose_codec(dtype, options);
    return codec && codec->name != control_.lacks;
  }

 private:
  std::uint32_t devices_;
  bool reaches_all_;
  const FakeControl& control_;
  std::vector<std::unique_ptr<offload::Slot>> slots_;
};

inline cuda::Devices fake_devices(std::uint32_t devices, bool reaches_all, FakeControl& control) {
  return cuda::Devices(
      std::make_shared<cuda::Devices::State>(std::make_unique<FakePool>(devices, 4, reaches_all, control)));
}

}  // namespace floe::test
