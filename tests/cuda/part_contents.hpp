// Arrays that tests cut into parts on several GPUs.
#pragma once

#include <cstring>
#include <random>

#include "floe/floe.hpp"
#include "tests/support/frames.hpp"

namespace floe::test {

inline Bytes walk(std::uint64_t bytes) {
  Bytes content(bytes);
  std::mt19937_64 random(bytes);
  std::uint64_t value = 0;
  for (std::uint64_t i = 0; i + 8 <= bytes; i += 8) {
    value = i % 400'000 < 350'000 ? value + random() % 100'000 : random();
    std::memcpy(content.data() + i, &value, 8);
  }
  return content;
}

/// Segments of dpratio of both kinds.
inline Bytes repeats(std::uint64_t bytes) {
  Bytes content = walk(bytes);
  for (std::uint64_t i = 0; i + 8 <= bytes; i += 8) {
    if (i % 1'000'000 < 600'000) std::memcpy(content.data() + i, content.data() + i % 4000 / 8 * 8, 8);
  }
  return content;
}

inline Options options_with(const char* tree, std::uint64_t segment_bytes, bool checksum = true) {
  Options options;
  options.tree = tree;
  options.segment_bytes = segment_bytes;
  options.checksum = checksum;
  return options;
}

}  // namespace floe::test
