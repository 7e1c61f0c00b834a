// How much scratch the stages of one chunk need, and what a stage may do to the bytes around its data.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/bits.hpp"
#include "core/chunk.hpp"

namespace floe::cpu {

/// What a stage returns instead of a size: its output does not fit (encoding), or its input contradicts the
/// format (decoding).
inline constexpr std::size_t no_result = static_cast<std::size_t>(-1);

/// Encoders read exactly their input and may write this many bytes past their output. Decoders may also read
/// this far past their input; what they find there never changes what they accept or write. The largest step
/// is one group of BytePackShape: 16 bytes of codes, 32 words of 8 bytes, and the last store.
inline constexpr std::size_t slack_bytes = 512;

/// Room for the output of any stage, and for any payload that a decoder could accept. BytePackShape adds 4
/// bits to every word of 32 or more bits, and its last group may be filled up; the other shapes add bitmaps
/// and headers to chunks of limited size.
constexpr std::size_t stage_bytes(std::size_t chunk_bytes) {
  constexpr std::size_t bitmaps_headers_and_last_group = 3072;
  const std::size_t largest = std::max(chunk_bytes, core::chunk_bytes);
  return largest + largest / 8 + bitmaps_headers_and_last_group;
}

constexpr std::size_t area_bytes(std::size_t chunk_bytes) {
  return core::align_up(stage_bytes(chunk_bytes) + slack_bytes, 64);
}

/// Bytes of scratch for chunks of up to `chunk_bytes` bytes.
constexpr std::size_t workspace_bytes(std::size_t chunk_bytes) { return 2 * area_bytes(chunk_bytes); }

/// The two halves of a workspace: a stage reads one (or the caller's chunk) and writes the other.
class PingPong {
 public:
  PingPong(std::uint8_t* workspace, std::size_t chunk_bytes)
      : first_(workspace), second_(workspace + area_bytes(chunk_bytes)) {}
  [[nodiscard]] std::uint8_t* other_than(const std::uint8_t* in_use) const {
    return in_use == first_ ? second_ : first_;
  }

 private:
  std::uint8_t* first_;
  std::uint8_t* second_;
};

}  // namespace floe::cpu
