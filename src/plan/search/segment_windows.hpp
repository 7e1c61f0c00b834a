// A segment of which only windows are at hand, because it lies in the memory of a device: as many words as
// trees are searched with.
#pragma once

#include <algorithm>

#include "plan/search/windows.hpp"

namespace floe::trees {

struct SegmentWindows {
  DType type = DType::u8;
  std::uint64_t count = 0;      ///< Words of the segment, at least one.
  const void* words = nullptr;  ///< words_at_hand(count) of them: the whole segment, or the planning windows
                                ///< one behind the other.

  static constexpr std::uint64_t words_at_hand(std::uint64_t count) {
    return std::min(count, planning_windows * planning_window_words);
  }
};

/// What trees::windows_of gives of the whole segment, for up to planning_window_words: smaller windows lie
/// within the planning windows, because all have the same middles but for the alignment.
inline std::vector<ColumnView> windows_of(const SegmentWindows& segment, std::uint64_t words) {
  if (segment.count <= planning_windows * planning_window_words)
    return windows_of(ColumnView{segment.type, segment.words, segment.count}, words, planning_windows);
  std::vector<ColumnView> windows;
  const auto* const bytes = static_cast<const std::uint8_t*>(segment.words);
  for (std::uint64_t i = 0; i < planning_windows; ++i) {
    const std::uint64_t in_window = window_place(segment.count, words, planning_windows, i) -
                                    window_place(segment.count, planning_window_words, planning_windows, i);
    windows.push_back(
        {segment.type, bytes + (i * planning_window_words + in_window) * size_of(segment.type), words});
  }
  return windows;
}

}  // namespace floe::trees
