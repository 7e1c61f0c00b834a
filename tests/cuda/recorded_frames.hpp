// Frames as one number: a test on the CPU holds its own frames against it, and a test on a device the
// device's.
#pragma once

#include "core/chunk.hpp"
#include "tests/support/frames.hpp"

namespace floe::test {

/// What the frames hash to, all of them in order.
inline constexpr std::uint64_t recorded_hash = 0xDA8A927837F062CF;

/// FNV-1a, over 64 bits.
inline std::uint64_t hash_bytes(std::uint64_t hash, std::span<const std::uint8_t> bytes) {
  for (const std::uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001B3;
  return hash;
}

/// Calls make_frame(content, case, options) for every codec, and for trees, and hashes what it returns.
template <class MakeFrame>
std::uint64_t hash_recorded_frames(const MakeFrame& make_frame) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const ArrayCase& c : codecs_once()) {
    for (std::size_t content = 0; content < content_names().size(); ++content) {
      ArrayCase of = c;
      if (c.tree == "gfc") of.tree.append("(").append(std::to_string(1 + content)).append(")");
      Options options = of.options();
      options.segment_bytes = 3 * core::chunk_bytes;
      options.checksum = content % 4 != 3;
      const std::size_t bytes = (5 * core::chunk_bytes + 1000 * content) / c.word_bytes() * c.word_bytes();
      hash = hash_bytes(hash, make_frame(c.sample(content, bytes, content), of, options));
    }
  }
  return hash;
}

}  // namespace floe::test
