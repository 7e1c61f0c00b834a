// What stands for a whole stream while trees are searched?
#pragma once

#include "series/encoding.hpp"

namespace floe::series {

/// A sample of a stream, and how many words of the stream there are for each one of the sample.
struct Sample {
  ColumnView words;
  std::uint64_t scale = 256;  ///< In 1/256.
  [[nodiscard]] std::uint64_t whole(std::uint64_t amount) const { return amount * scale / 256; }
};

}  // namespace floe::series
