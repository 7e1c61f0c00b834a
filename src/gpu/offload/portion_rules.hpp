// How long are portions, and how does the frame look that a device makes of one?
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "chunks/segment_encoder.hpp"
#include "container/footer.hpp"
#include "container/frame_plan.hpp"

namespace floe::offload {

/// Copies of this length reach the full rate of a link; more would only take longer to fill and drain the
/// ring.
inline constexpr std::uint64_t good_portion_bytes = std::uint64_t{64} << 20;
inline constexpr std::uint64_t max_portion_segments = 64;

/// The frame of a portion has segments of the same length as the whole frame, but one dimension and no
/// prefix. Its segments become those of the whole frame when their number and what ties them to a header are
/// exchanged.
class PortionRules {
 public:
  explicit PortionRules(const api::FramePlan& plan) : header_(plan.header), codec_(plan.codec->name) {
    dimensionality_ = plan.context.parameters.dimensionality;
    header_.rank = 1;
    header_.inner_extent = {};
    header_.prefix.clear();
    header_bytes_ = format::write_header(header_);
    segments_ =
        std::clamp<std::uint64_t>(good_portion_bytes / header_.segment_bytes(), 1, max_portion_segments);
  }

  [[nodiscard]] std::uint64_t segments() const { return segments_; }
  [[nodiscard]] std::uint64_t segment_bytes() const { return header_.segment_bytes(); }
  /// Content of every portion but the last.
  [[nodiscard]] std::uint64_t content_bytes() const { return segments_ * segment_bytes(); }

  [[nodiscard]] const std::vector<std::uint8_t>& header_bytes() const { return header_bytes_; }
  [[nodiscard]] std::uint32_t header_crc() const { return format::header_crc(header_bytes_); }
  [[nodiscard]] std::uint64_t segment_count(std::uint64_t content_bytes) const {
    return core::divide_up(content_bytes, segment_bytes());
  }
  [[nodiscard]] std::uint64_t footer_bytes(std::uint64_t content_bytes) const {
    return format::footer_bytes(segment_count(content_bytes));
  }
  /// Of the segments of a portion together, at most.
  [[nodiscard]] std::uint64_t segments_bound(std::uint64_t content_bytes) const {
    return segment_count(content_bytes) *
           api::segment_bound(std::min(content_bytes, segment_bytes()), header_.checksums);
  }
  [[nodiscard]] std::uint64_t frame_bound(std::uint64_t content_bytes) const {
    return header_bytes_.size() + segments_bound(content_bytes) + footer_bytes(content_bytes);
  }

  [[nodiscard]] DType dtype() const { return header_.dtype; }
  [[nodiscard]] std::string_view codec() const { return codec_; }
  /// That make a device write such a frame.
  [[nodiscard]] Options options() const {
    Options options;
    options.codec = codec_;
    options.checksum = header_.checksums;
    options.dimensionality = dimensionality_;
    options.segment_bytes = segment_bytes();
    options.threads = 1;
    return options;
  }

 private:
  format::Header header_;
  std::string_view codec_;
  std::uint32_t dimensionality_ = 1;
  std::vector<std::uint8_t> header_bytes_;
  std::uint64_t segments_ = 1;
};

}  // namespace floe::offload
