// What stands for a whole stream while trees are searched?
#pragma once

#include <algorithm>

#include "encodings/encoding.hpp"

namespace floe::trees {

/// A sample of a stream, and how many words of the stream there are for each one of the sample.
struct Sample {
  ColumnView words;
  std::uint64_t scale = 256;  ///< In 1/256.
  [[nodiscard]] std::uint64_t whole(std::uint64_t amount) const { return amount * scale / 256; }
};

/// The scale of a window of a stream of `count` words.
inline std::uint64_t scale_of(const ColumnView& window, std::uint64_t count) {
  return std::max<std::uint64_t>(256, count * 256 / window.count);
}

}  // namespace floe::trees
