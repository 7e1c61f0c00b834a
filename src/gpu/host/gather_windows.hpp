// Which words of a column does the planner look at? Windows of each portion, gathered one behind the other.
#pragma once

#include <cstdint>

#include "gpu/host/launch.hpp"
#include "plan/objective.hpp"
#include "plan/search/windows.hpp"

namespace floe::gpu {

/// A column in device memory, aligned for its words, in portions of which the last one may be shorter.
struct WindowsJob {
  const std::uint8_t* words = nullptr;
  std::uint64_t count = 0, portion_words = 0;
  std::uint32_t word_bytes = 0;
  std::uint8_t* windows = nullptr;  ///< stride() bytes for each portion, which the device can write to.

  /// Bytes of the windows of a portion; those of a short portion are at their beginning.
  [[nodiscard]] std::uint64_t stride() const {
    return trees::SegmentWindows::words_at_hand(portion_words) * word_bytes;
  }
};

/// What trees are chosen by that devices encode: few steps, because each one that is not packed in one go
/// with the leaf is a pass over memory.
constexpr trees::Objective encode_objective() noexcept { return trees::budgeted_objective(); }

void gather_windows_async(CudaCalls& calls, const WindowsJob& job, cudaStream_t stream);

}  // namespace floe::gpu
