// Content of one segment to its bytes in the frame.
#pragma once

#include <cstdint>
#include <span>

#include "api/buffer.hpp"
#include "api/frame_plan.hpp"
#include "format/digest.hpp"

namespace floe::api {

/// Encodes the segments of one frame, in order. Keeps its scratch memory from segment to segment; for one thread.
class SegmentEncoder {
 public:
  SegmentEncoder(const FramePlan& plan, std::uint32_t threads) : plan_(plan), threads_(threads) {}

  /// Encodes the next segment and returns its bytes, which are in `out` if that has room for the worst case, else in memory of the
  /// encoder that the next call uses again. Throws std::bad_alloc.
  std::span<const std::uint8_t> encode(std::span<const std::uint8_t> content, std::span<std::uint8_t> out);

  [[nodiscard]] std::uint64_t digest() const noexcept { return plan_.header.checksums ? digest_.value() : 0; }

 private:
  std::span<const std::uint8_t> encode_chunks(std::span<const std::uint8_t> coded, std::uint8_t kind, std::uint64_t content_bytes,
                                              std::span<std::uint8_t> out);

  const FramePlan& plan_;
  std::uint32_t threads_;
  std::uint64_t index_ = 0;
  std::uint64_t first_word_ = 0;
  format::Digest digest_;
  Buffer history_;
  Buffer segment_;
  Buffer workspace_;
};

/// Bytes that a segment needs while it is encoded: its head, and every chunk as if it were raw.
std::uint64_t segment_bound(std::uint64_t coded_bytes, bool checksums);

}  // namespace floe::api
