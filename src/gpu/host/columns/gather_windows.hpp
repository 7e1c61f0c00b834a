// The words of a column that the planner looks at: windows of each batch, gathered one behind the other.
#pragma once

#include <cstdint>

#include "gpu/host/launch.hpp"
#include "plan/objective.hpp"
#include "plan/search/windows.hpp"

namespace floe::gpu {

/// A column in device memory, aligned for its words, in batches of which the last one may be shorter.
struct WindowsJob {
  const std::uint8_t* words = nullptr;
  std::uint64_t count = 0, batch_words = 0;
  std::uint32_t word_bytes = 0;
  std::uint8_t* windows = nullptr;  ///< stride() bytes for each batch, which the device can write to.
  trees::FarStrides strides = {};
  std::uint8_t* before = nullptr;  ///< before_stride() bytes for each batch: what lies before the windows.

  /// Bytes of the windows of a batch; those of a short batch are at their beginning.
  [[nodiscard]] std::uint64_t stride() const {
    return trees::SegmentWindows::words_at_hand(batch_words) * word_bytes;
  }
  [[nodiscard]] std::uint64_t before_stride() const {
    return trees::SegmentWindows::words_before(strides.get().size()) * word_bytes;
  }
};

/// What trees are chosen by that devices encode: few steps, because each one that is not packed in one go
/// with the leaf is a pass over memory.
constexpr trees::Objective encode_objective() noexcept { return trees::budgeted_objective(); }

void gather_windows_async(CudaCalls& calls, const WindowsJob& job, cudaStream_t stream);

}  // namespace floe::gpu
