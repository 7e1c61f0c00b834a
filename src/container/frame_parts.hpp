// A frame arrives in pieces: which of its parts is complete, and do header, heads and footer agree?
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "container/frame_index.hpp"
#include "floe/floe.hpp"

namespace floe::api {

/// Collects the bytes of header, heads and footer; payloads are its caller's. A part's length becomes known as its first bytes arrive.
class FrameParts {
 public:
  enum class Complete {
    nothing,       ///< All bytes are taken, and more are needed.
    header,        ///< Call end_header().
    segment_head,  ///< head() is checked. Its payloads follow; call end_segment() behind them.
    footer,        ///< Call end_footer().
  };

  /// Takes bytes from the front of `bytes` until a part is complete. Errors: those of the parts; corrupt_frame if bytes follow the footer.
  Result<Complete> take(std::span<const std::uint8_t>& bytes);

  void end_header();
  void end_segment();
  /// `digest`: of the segments that were decoded. Errors: corrupt_frame if the footer contradicts them.
  Status end_footer(std::uint64_t digest);

  /// The bytes of the part that is complete or arriving.
  [[nodiscard]] std::span<const std::uint8_t> collected() const noexcept { return collected_; }
  /// Where that part begins in the frame.
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }
  /// The bytes of the frame that were taken, without those of payloads whose segment has not ended.
  [[nodiscard]] std::uint64_t taken_bytes() const noexcept { return offset_ + collected_.size(); }

  /// Null before the header is complete.
  [[nodiscard]] const FramePlan* plan() const noexcept { return plan_ ? &*plan_ : nullptr; }
  /// The counts are 0 before end_footer().
  [[nodiscard]] const FrameInfo* info() const noexcept { return plan_ ? &info_ : nullptr; }
  [[nodiscard]] const format::SegmentHead& head() const noexcept { return head_; }
  [[nodiscard]] bool is_in_segments() const noexcept { return part_ != Part::footer && part_ != Part::end; }
  [[nodiscard]] bool is_at_end() const noexcept { return part_ == Part::end; }

 private:
  enum class Part { header, segment_or_footer, segment_head, footer, end };

  [[nodiscard]] Status corrupt(std::uint64_t offset, const char* detail) const {
    return {ErrorCode::corrupt_frame, offset_ + offset, detail};
  }
  [[nodiscard]] format::ExpectedSegment expected() const;
  void begin(Part next, std::uint64_t past_bytes, std::uint64_t needed);
  Result<Complete> advance();
  Result<Complete> advance_header();
  Status tell_part();

  Part part_ = Part::header;
  std::vector<std::uint8_t> collected_;
  std::uint64_t needed_ = format::smallest_header_bytes;  ///< Bytes of the part that must be there before anything can be said.
  std::uint64_t offset_ = 0;

  std::optional<FramePlan> plan_;
  FrameInfo info_;
  format::SegmentHead head_;
  format::Footer seen_;  ///< What the footer must say.
  std::uint64_t content_bytes_ = 0;
};

}  // namespace floe::api
