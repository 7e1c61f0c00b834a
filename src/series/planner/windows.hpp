// Samples of a stream: neighbouring words, because differences and runs are about neighbours, at places that are spread evenly.
#pragma once

#include <vector>

#include "series/stream.hpp"

namespace floe::series {

/// Windows begin at multiples of every small stride, so that a word's phase is the same in a window as in the stream.
inline constexpr std::uint64_t window_alignment = 840;

/// The whole stream if it is hardly longer than the windows. Precondition: at least one word.
inline std::vector<ColumnView> windows_of(const ColumnView& stream, std::uint64_t words, std::size_t count) {
  if (stream.count <= words * count) return {stream};
  std::vector<ColumnView> windows;
  const auto* const bytes = static_cast<const std::uint8_t*>(stream.values);
  for (std::size_t i = 0; i < count; ++i) {
    // In the middle of each of `count` equal parts.
    const std::uint64_t middle = stream.count / (2 * count) * (2 * i + 1) - words / 2;
    const std::uint64_t first = middle - middle % window_alignment;
    windows.push_back({stream.type, bytes + first * bytes_of(stream.type), words});
  }
  return windows;
}

}  // namespace floe::series
