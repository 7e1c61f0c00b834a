// Which GPU gets the next batch of streams? Slots take batches in turn, two on each GPU, and give them back
// in the same order.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/guard.hpp"
#include "floe/cuda_host.hpp"

namespace floe::gpu {

template <class Slot>
class SlotTurns {
 public:
  static constexpr std::size_t slots_per_device = 2;

  /// The GPUs with these numbers; none: all. Errors: device_error, invalid_argument, out_of_memory.
  Status open(std::span<const std::uint32_t> indices) {
    const Result<std::uint32_t> count = cuda::device_count();
    if (!count) return count.status();
    std::vector<std::uint32_t> chosen(indices.begin(), indices.end());
    for (std::uint32_t i = 0; indices.empty() && i < *count; ++i) chosen.push_back(i);
    for (std::size_t i = 0; i < slots_per_device * chosen.size(); ++i) {
      const std::uint32_t index = chosen[i % chosen.size()];
      if (index >= *count) return {ErrorCode::invalid_argument, 0, "there is no CUDA device of this number"};
      auto slot = std::make_unique<Slot>(static_cast<int>(index));
      if (const Status status = slot->open(); !status.ok()) return status;
      slots_.push_back(std::move(slot));
    }
    return {};
  }
  [[nodiscard]] std::size_t size() const { return slots_.size(); }

  template <class Stream>
  Status begin(std::span<Stream> streams) {
    if (begun_ == slots_.size())
      return {ErrorCode::invalid_argument, 0, "more batches than the devices take at once"};
    return core::guarded([&]() -> Status {
      const Status status = slots_[next_]->begin(streams);
      if (!status.ok()) return status;
      next_ = (next_ + 1) % slots_.size();
      ++begun_;
      return {};
    });
  }
  Status finish() {
    if (begun_ == 0) return {ErrorCode::invalid_argument, 0, "no batch was begun"};
    const std::size_t oldest = (next_ + slots_.size() - begun_) % slots_.size();
    --begun_;
    return core::guarded([&] { return slots_[oldest]->finish(); });
  }

 private:
  std::vector<std::unique_ptr<Slot>> slots_;
  std::size_t next_ = 0;   ///< The slot for the next batch.
  std::size_t begun_ = 0;  ///< Batches at work, in the slots before.
};

}  // namespace floe::gpu
