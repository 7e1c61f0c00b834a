#include "gpu/offload/frame_tail.hpp"

#include <algorithm>

#include "core/word.hpp"

namespace floe::offload {
namespace {

constexpr Status strange{ErrorCode::device_error, 0, "a device returned segments that make no sense"};

/// The numbers of a head that a device wrote, of a segment with `content_bytes` bytes in which all else
/// follows from them.
Result<format::SegmentHead> read_head(std::span<const std::uint8_t> bytes, std::uint64_t content_bytes,
                                      const api::FramePlan& plan) {
  if (bytes.size() < format::fixed_segment_head_bytes) return strange;
  format::SegmentHead head;
  head.content_bytes = content_bytes;
  head.kind = plan.codec->has_history && bytes[36] == format::kind_history ? format::kind_history
                                                                           : format::kind_content;
  head.chunk_count = core::divide_up(head.coded_bytes(), core::chunk_bytes);
  head.head_bytes = format::segment_head_bytes(head.chunk_count, plan.header.checksums);
  if (bytes.size() < head.head_bytes) return strange;
  const auto is = [&](std::size_t offset, std::uint32_t value) {
    return core::load<std::uint32_t>(bytes.data() + offset) == value;
  };
  if (!is(0, format::segment_magic) || !is(4, static_cast<std::uint32_t>(head.head_bytes))) return strange;
  if (!is(32, static_cast<std::uint32_t>(head.chunk_count)) || !is(36, head.kind) || !is(44, 0))
    return strange;
  head.payload_bytes = core::load<std::uint64_t>(bytes.data() + 24);
  if (head.payload_bytes > bytes.size() - head.head_bytes) return strange;
  return head;
}

}  // namespace

void tie_segment(std::span<std::uint8_t> head_bytes, const format::SegmentHead& head, bool checksums) {
  format::finish_segment_head(head_bytes, head, format::table_of(head_bytes, head, checksums));
}

Status FrameTail::adopt(std::span<std::uint8_t> segments, std::uint64_t content_bytes) {
  const bool checksums = plan_.header.checksums;
  while (content_bytes != 0) {
    const std::uint64_t segment_content = std::min(content_bytes, plan_.header.segment_bytes());
    auto head = read_head(segments, segment_content, plan_);
    if (!head) return head.status();
    const auto head_bytes = segments.first(head->head_bytes);
    const auto table = format::table_of(head_bytes, *head, checksums);
    for (std::uint64_t chunk = 0; chunk < head->chunk_count; ++chunk) digest_.add(table.entry(chunk));
    head->index = footer_.segment_offsets.size();
    head->header_crc = plan_.header_crc();
    tie_segment(head_bytes, *head, checksums);

    footer_.segment_offsets.push_back(frame_bytes_);
    const std::uint64_t bytes = head->head_bytes + head->payload_bytes;
    frame_bytes_ += bytes;
    content_bytes_ += segment_content;
    segments = segments.subspan(bytes);
    content_bytes -= segment_content;
  }
  return segments.empty() ? Status{} : strange;
}

std::vector<std::uint8_t> FrameTail::footer(std::uint64_t outer_size) {
  footer_.outer_size = outer_size;
  footer_.element_count = content_bytes_ / size_of(plan_.header.dtype);
  footer_.digest = plan_.header.checksums ? digest_.value() : 0;
  return format::write_footer(footer_);
}

}  // namespace floe::offload
