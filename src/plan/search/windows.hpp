// Samples of a stream: neighbouring words, because differences and runs are about neighbours, at places that
// are spread evenly.
#pragma once

#include <vector>

#include "core/word.hpp"
#include "encodings/stream.hpp"

namespace floe::trees {

/// Windows begin at multiples of every small stride, so that a word's phase is the same in a window as in the
/// stream.
inline constexpr std::uint64_t window_alignment = 840;

/// Windows at which trees are tried.
inline constexpr std::uint64_t planning_window_words = 4096, planning_windows = 3;

/// Where window `index` of `count` windows begins: in the middle of each of as many equal parts.
FLOE_HD constexpr std::uint64_t window_place(std::uint64_t stream_words, std::uint64_t words,
                                             std::uint64_t count, std::uint64_t index) {
  const std::uint64_t middle = stream_words / (2 * count) * (2 * index + 1) - words / 2;
  return middle - middle % window_alignment;
}

/// The whole stream if it is hardly longer than the windows. Precondition: at least one word.
inline std::vector<ColumnView> windows_of(const ColumnView& stream, std::uint64_t words, std::size_t count) {
  if (stream.count <= words * count) return {stream};
  std::vector<ColumnView> windows;
  const auto* const bytes = static_cast<const std::uint8_t*>(stream.values);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t first = window_place(stream.count, words, count, i);
    windows.push_back({stream.type, bytes + first * size_of(stream.type), words});
  }
  return windows;
}

/// So many words in the middle of a window.
inline ColumnView middle_of(const ColumnView& window, std::uint64_t words) {
  return windows_of(window, words, 1)[0];
}

}  // namespace floe::trees
