// The order of a frame's parts, for every way of compressing: header, segments, footer.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "container/frame_plan.hpp"
#include "chunks/segment_encoder.hpp"
#include "container/footer.hpp"

namespace floe::api {

/// Makes the parts of one frame in their order and keeps what the footer needs. Throws std::bad_alloc. Not movable: parts refer to the
/// plan.
class FrameEncoder {
 public:
  FrameEncoder(FramePlan plan, const Options& options) : plan_(std::move(plan)), segments_(plan_, options) {}
  FrameEncoder(const FrameEncoder&) = delete;
  FrameEncoder& operator=(const FrameEncoder&) = delete;

  [[nodiscard]] const FramePlan& plan() const noexcept { return plan_; }

  std::span<const std::uint8_t> header() {
    frame_bytes_ = plan_.header_bytes.size();
    return plan_.header_bytes;
  }

  /// Every segment but the last has plan().header.segment_bytes() bytes of content. See SegmentEncoder::encode.
  std::span<const std::uint8_t> segment(std::span<const std::uint8_t> content, std::span<std::uint8_t> out = {}) {
    return count(segments_.encode(content, out), content.size());
  }

  /// A segment in pieces, for codecs without history. See SegmentEncoder::begin, add and finish.
  void begin_segment() { segments_.begin(plan_.header.segment_bytes()); }
  void add_to_segment(std::span<const std::uint8_t> content) {
    segments_.add(content);
    piece_bytes_ += content.size();
  }
  std::span<const std::uint8_t> finish_segment() { return count(segments_.finish(), std::exchange(piece_bytes_, 0)); }
  [[nodiscard]] std::uint64_t good_piece_bytes() { return segments_.good_piece_bytes(); }

  std::vector<std::uint8_t> footer(std::uint64_t outer_size) {
    footer_.outer_size = outer_size;
    footer_.element_count = content_bytes_ / size_of(plan_.header.dtype);
    footer_.digest = segments_.digest();
    return format::write_footer(footer_);
  }

  /// Of the segments that are complete.
  [[nodiscard]] std::uint64_t content_bytes() const noexcept { return content_bytes_; }

 private:
  std::span<const std::uint8_t> count(std::span<const std::uint8_t> segment, std::uint64_t content_bytes) {
    footer_.segment_offsets.push_back(frame_bytes_);
    frame_bytes_ += segment.size();
    content_bytes_ += content_bytes;
    return segment;
  }

  FramePlan plan_;
  SegmentEncoder segments_;
  format::Footer footer_;
  std::uint64_t frame_bytes_ = 0;
  std::uint64_t content_bytes_ = 0;
  std::uint64_t piece_bytes_ = 0;  ///< Content of the segment that is encoded in pieces.
};

}  // namespace floe::api
