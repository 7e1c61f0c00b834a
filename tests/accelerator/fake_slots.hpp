// Devices that are no devices: the CPU does their tasks, as late as a device could.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/host/slots/leaf_frame.hpp"
#include "gpu/host/slots/slot.hpp"
#include "tests/support/streams_by_cpu.hpp"

namespace floe::test {

using Bytes = std::vector<std::uint8_t>;

/// What happened, and what shall go wrong.
struct FakeControl {
  std::vector<std::uint32_t> started;                 ///< Number of the device of each task, in order.
  std::uint64_t fail_task = ~0ull;                    ///< This task, counted from 0, fails with device_error.
  bool damages_results = false;                       ///< Frames that are made get an impossible length.
  std::uint32_t busy = 0, max_busy = 0;               ///< Slots with a task whose result was not fetched yet.
  std::string lacks;                                  ///< A tree that the devices do not have.
  bool reaches_all = false;                           ///< The host's memory.
  std::uint64_t max_staging_bytes = ~0ull;            ///< More of it there is not.
  std::uint64_t staged_bytes = 0, fetched_bytes = 0;  ///< The most that was asked for.
  std::uint64_t copies = 0;                           ///< In both directions.
};

class FakeSlot final : public gpu::Slot {
 public:
  FakeSlot(std::uint32_t device, FakeControl& control) : device_(device), control_(control) {}

  [[nodiscard]] bool supports(DType, std::uint64_t, const std::string& tree) const override {
    return tree != control_.lacks;
  }
  [[nodiscard]] bool reaches(const void*, std::uint64_t) const override { return control_.reaches_all; }
  Result<std::uint8_t*> staging(std::uint64_t bytes) override {
    if (bytes > control_.max_staging_bytes) return Status{ErrorCode::out_of_memory, 0, "no pinned memory"};
    control_.staged_bytes = std::max(control_.staged_bytes, bytes);
    if (staging_.size() < bytes) staging_.assign(bytes, 0xCD);
    return staging_.data();
  }
  Status start(const gpu::Task& task, std::span<const gpu::CopyIn> copies) override {
    task_ = task;
    copies_.assign(copies.begin(), copies.end());
    control_.copies += copies.size();
    control_.started.push_back(device_);
    number_ = control_.started.size() - 1;
    is_done_ = false;
    is_busy_ = true;
    control_.max_busy = std::max(control_.max_busy, ++control_.busy);
    return {};
  }
  Result<std::span<const gpu::Range>> wait_for_results() override {
    if (const Status status = work(); !status.ok()) return status;
    return std::span<const gpu::Range>(results_);
  }
  Result<std::uint8_t*> result_memory(std::uint64_t bytes) override {
    control_.fetched_bytes = std::max(control_.fetched_bytes, bytes);
    if (fetched_.size() < bytes) fetched_.assign(bytes, 0xCD);
    return fetched_.data();
  }
  Status fetch(std::span<const gpu::CopyOut> copies) override {
    fetches_.assign(copies.begin(), copies.end());
    control_.copies += copies.size();
    return {};
  }
  Status wait_for_fetch() override {
    if (const Status status = work(); !status.ok()) return status;
    for (const gpu::CopyOut& copy : fetches_)
      std::memcpy(copy.to, out_.data() + copy.from.offset, copy.from.bytes);
    rest();
    return {};
  }
  void settle() noexcept override { rest(); }

 private:
  void rest() noexcept {
    if (is_busy_) --control_.busy;
    is_busy_ = false;
  }

  Status work() {
    if (number_ == control_.fail_task) return {ErrorCode::device_error, 0, "the device fell off the bus"};
    if (is_done_) return {};
    is_done_ = true;
    in_.assign(task_.in_bytes, 0xEE);
    out_.assign(task_.out_bytes, 0xAB);
    results_.clear();
    for (const gpu::CopyIn& copy : copies_)
      std::memcpy(in_.data() + copy.to.offset, copy.from, copy.to.bytes);
    for (const gpu::FrameTask& frame : task_.frames) code_frame(frame);
    auto stored = task_.stored.begin();
    for (const gpu::ColumnTask& column : task_.columns) {
      std::uint64_t end = column.out.offset;
      for (std::size_t i = 0; i < column.streams; ++i) {
        task_.encodes ? encode_stream(column, i, end) : decode_stream(column, i, *stored++);
      }
    }
    return {};
  }

  void code_frame(const gpu::FrameTask& frame) {
    const auto in = std::as_bytes(std::span(in_).subspan(frame.in.offset, frame.in.bytes));
    const auto out = std::as_writable_bytes(std::span(out_).subspan(frame.out.offset, frame.out.bytes));
    if (task_.encodes) {
      const Extent extent = Extent::linear(in.size() / size_of(task_.frame_type));
      const auto bytes = compress_into(out, in, task_.frame_type, extent, task_.frame_options);
      results_.push_back({frame.out.offset, bytes ? *bytes : 0});
      if (control_.damages_results) results_.back().bytes += 100'000'000;
      return;
    }
    const auto frame_in = Reader::open(in);
    const bool is_good = frame_in && frame_in->decompress(out, {1}).ok();
    results_.push_back({frame.out.offset, is_good ? out.size() : 0});
  }

  void encode_stream(const gpu::ColumnTask& column, std::size_t index, std::uint64_t& end) {
    const std::uint64_t words_bytes = column.words * size_of(column.type);
    StreamToEncode stream{in_.data() + column.in.offset + index * words_bytes, column.type, column.words};
    stream.tree = column.tree;
    const Bytes bytes = encode_by_cpu(stream);
    end += gpu::stream_lead_bytes;
    results_.push_back({end, bytes.size()});
    std::memcpy(out_.data() + end, bytes.data(), bytes.size());
    end = core::align_up(end + bytes.size(), 16);
  }

  void decode_stream(const gpu::ColumnTask& column, std::size_t index, gpu::Range stored) {
    const std::uint64_t words_bytes = column.words * size_of(column.type);
    StreamToDecode stream;
    stream.bytes = std::as_bytes(std::span(in_).subspan(stored.offset, stored.bytes));
    stream.type = column.type;
    stream.count = column.words;
    stream.words = out_.data() + column.out.offset + index * words_bytes;
    results_.push_back({column.out.offset + index * words_bytes, decode_by_cpu(stream) ? words_bytes : 0});
  }

  std::uint32_t device_;
  FakeControl& control_;
  gpu::Task task_;
  std::vector<gpu::CopyIn> copies_;
  std::vector<gpu::CopyOut> fetches_;
  std::vector<gpu::Range> results_;
  std::uint64_t number_ = 0;
  bool is_done_ = false, is_busy_ = false;
  Bytes staging_, in_, out_, fetched_;
};

inline std::unique_ptr<cuda::Devices> fake_devices(std::uint32_t devices, FakeControl& control) {
  std::vector<std::unique_ptr<gpu::Slot>> slots;
  for (std::uint32_t i = 0; i < devices * 4; ++i)
    slots.push_back(std::make_unique<FakeSlot>(i % devices, control));
  return std::make_unique<cuda::Devices>(std::make_unique<cuda::Devices::State>(devices, std::move(slots)));
}

}  // namespace floe::test
