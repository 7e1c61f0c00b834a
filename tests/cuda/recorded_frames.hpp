// Frames that a GPU made, as one number: a test on the CPU holds its own frames against it, and a test on a
// device the device's.
#pragma once

#include "core/chunk.hpp"
#include "tests/support/frames.hpp"

namespace floe::test {

/// What the frames of an NVIDIA H200 hash to, all of them in order.
inline constexpr std::uint64_t recorded_hash = 0xE74B64CCC0F5F181;

/// FNV-1a, over 64 bits.
inline std::uint64_t hash_bytes(std::uint64_t hash, std::span<const std::uint8_t> bytes) {
  for (const std::uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001B3;
  return hash;
}

/// Calls make_frame(content, case, options) for every case and hashes what it returns.
template <class MakeFrame>
std::uint64_t hash_recorded_frames(const MakeFrame& make_frame) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const CodecCase& c : codecs_once()) {
    for (std::size_t content = 0; content < content_names().size(); ++content) {
      Options options = c.options();
      options.segment_bytes = 3 * core::chunk_bytes;
      options.checksum = content % 4 != 3;
      if (c.codec.name == "gfc") options.dimensionality = static_cast<std::uint32_t>(1 + content);
      const std::size_t bytes = (5 * core::chunk_bytes + 1000 * content) / c.word_bytes() * c.word_bytes();
      hash = hash_bytes(hash, make_frame(make_bytes(c.codec.word_bits, content, bytes, content), c, options));
    }
  }
  return hash;
}

}  // namespace floe::test
