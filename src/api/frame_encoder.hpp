// The order of a frame's parts, for every way of compressing: header, segments, footer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "api/frame_plan.hpp"
#include "api/segment_encoder.hpp"
#include "format/footer.hpp"

namespace floe::api {

/// Makes the parts of one frame in their order and keeps what the footer needs. Throws std::bad_alloc. Not movable: parts refer to the
/// plan.
class FrameEncoder {
 public:
  FrameEncoder(FramePlan plan, std::uint32_t threads) : plan_(std::move(plan)), segments_(plan_, threads) {}
  FrameEncoder(const FrameEncoder&) = delete;
  FrameEncoder& operator=(const FrameEncoder&) = delete;

  [[nodiscard]] const FramePlan& plan() const noexcept { return plan_; }

  std::span<const std::uint8_t> header() {
    frame_bytes_ = plan_.header_bytes.size();
    return plan_.header_bytes;
  }

  /// Every segment but the last has plan().header.segment_bytes() bytes of content. See SegmentEncoder::encode.
  std::span<const std::uint8_t> segment(std::span<const std::uint8_t> content, std::span<std::uint8_t> out = {}) {
    footer_.segment_offsets.push_back(frame_bytes_);
    const auto bytes = segments_.encode(content, out);
    frame_bytes_ += bytes.size();
    content_bytes_ += content.size();
    return bytes;
  }

  std::vector<std::uint8_t> footer(std::uint64_t outer_size) {
    footer_.outer_size = outer_size;
    footer_.element_count = content_bytes_ / size_of(plan_.header.dtype);
    footer_.digest = segments_.digest();
    return format::write_footer(footer_);
  }

  [[nodiscard]] std::uint64_t content_bytes() const noexcept { return content_bytes_; }

 private:
  FramePlan plan_;
  SegmentEncoder segments_;
  format::Footer footer_;
  std::uint64_t frame_bytes_ = 0;
  std::uint64_t content_bytes_ = 0;
};

}  // namespace floe::api
