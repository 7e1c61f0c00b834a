// How do segments from several devices become those of one frame?
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "container/digest.hpp"
#include "container/footer.hpp"
#include "container/frame_plan.hpp"

namespace floe::offload {

/// Follows the segments of a frame from the header to the footer. For one thread.
class FrameTail {
 public:
  explicit FrameTail(const api::FramePlan& plan) : plan_(plan), frame_bytes_(plan.header_bytes.size()) {}

  /// Makes the segments of a portion's frame, back to back in `segments`, the next ones of this frame.
  /// Errors: device_error if they are not what a portion of `content_bytes` bytes has; nothing is trusted
  /// that would lead out of `segments`.
  Status adopt(std::span<std::uint8_t> segments, std::uint64_t content_bytes);

  std::vector<std::uint8_t> footer(std::uint64_t outer_size);
  [[nodiscard]] std::uint64_t content_bytes() const noexcept { return content_bytes_; }

 private:
  const api::FramePlan& plan_;
  format::Footer footer_;
  format::Digest digest_;
  std::uint64_t frame_bytes_;
  std::uint64_t content_bytes_ = 0;
};

/// Gives the head of a segment another number and another frame. `head` is what its fixed part says, with the
/// new values in it.
void tie_segment(std::span<std::uint8_t> head_bytes, const format::SegmentHead& head, bool checksums);

}  // namespace floe::offload
