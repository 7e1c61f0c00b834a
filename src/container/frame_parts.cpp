#include "container/frame_parts.hpp"

#include <algorithm>

namespace floe::api {

Result<FrameParts::Complete> FrameParts::take(std::span<const std::uint8_t>& bytes) {
  for (;;) {
    if (is_at_end()) {
      if (bytes.empty()) return Complete::nothing;
      return corrupt(0, "bytes follow the end of the frame");
    }
    const auto missing = bytes.first(std::min<std::uint64_t>(bytes.size(), needed_ - collected_.size()));
    collected_.insert(collected_.end(), missing.begin(), missing.end());
    bytes = bytes.subspan(missing.size());
    if (collected_.size() < needed_) return Complete::nothing;
    const Result<Complete> complete = advance();
    if (!complete || *complete != Complete::nothing) return complete;
  }
}

/// Called when the needed bytes have arrived: nothing is complete if it turns out that more are needed.
Result<FrameParts::Complete> FrameParts::advance() {
  Status status;
  switch (part_) {
    case Part::header:
      return advance_header();
    case Part::segment_or_footer:
      status = tell_part();
      break;
    case Part::segment_head:
      status = format::check_segment_head(collected_, head_, expected());
      if (status.ok()) return Complete::segment_head;
      break;
    case Part::footer:
      return Complete::footer;
    case Part::end:
      break;
  }
  if (!status.ok()) return status;
  return Complete::nothing;
}

Result<FrameParts::Complete> FrameParts::advance_header() {
  const auto length = format::header_length(collected_);
  if (!length) return length.status();
  if (needed_ != *length) {
    needed_ = *length;
    if (collected_.size() < needed_) return Complete::nothing;
  }
  auto header = format::parse_header(collected_);
  if (!header) return header.status();
  auto plan = plan_decoding(std::move(*header), collected_);
  if (!plan) return plan.status();
  plan_ = std::move(*plan);
  info_ = make_info(*plan_, seen_, 0);
  return Complete::header;
}

/// Both kinds of parts are at least as long as the fixed head of a segment.
static_assert(format::fixed_footer_bytes >= format::fixed_segment_head_bytes);
Status FrameParts::tell_part() {
  if (core::load<std::uint32_t>(collected_.data()) == format::footer_magic) {
    const auto length = format::footer_length_from_start(collected_, offset_, seen_.segment_offsets.size());
    if (!length) return length.status();
    part_ = Part::footer;
    needed_ = *length;
    return {};
  }
  if (content_bytes_ % plan_->header.segment_bytes() != 0) return corrupt(0, "a segment follows one that is not full");
  const auto fixed = format::parse_fixed_segment_head(collected_, expected());
  if (!fixed) return fixed.status();
  head_ = *fixed;
  part_ = Part::segment_head;
  needed_ = head_.head_bytes;
  return {};
}

format::ExpectedSegment FrameParts::expected() const {
  return {plan_->header, plan_->header_crc(), seen_.segment_offsets.size(), offset_, plan_->codec->has_history};
}

void FrameParts::begin(Part next, std::uint64_t past_bytes, std::uint64_t needed) {
  offset_ += past_bytes;
  collected_.clear();
  part_ = next;
  needed_ = needed;
}

void FrameParts::end_header() { begin(Part::segment_or_footer, collected_.size(), format::fixed_segment_head_bytes); }

void FrameParts::end_segment() {
  seen_.segment_offsets.push_back(offset_);
  content_bytes_ += head_.content_bytes;
  begin(Part::segment_or_footer, head_.head_bytes + head_.payload_bytes, format::fixed_segment_head_bytes);
}

Status FrameParts::end_footer(std::uint64_t digest) {
  const auto footer = format::parse_footer(collected_, offset_, plan_->header);
  if (!footer) return footer.status();
  if (footer->element_count * size_of(plan_->header.dtype) != content_bytes_)
    return corrupt(16, "the number of elements does not match the segments");
  if (footer->segment_offsets != seen_.segment_offsets) return corrupt(40, "the footer's segment offsets are wrong");
  if (footer->digest != digest) return corrupt(24, "the frame's digest does not match its chunks");
  info_ = make_info(*plan_, *footer, taken_bytes());
  begin(Part::end, collected_.size(), 0);
  return {};
}

}  // namespace floe::api
