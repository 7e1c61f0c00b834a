#include "container/frame_index.hpp"

#include <algorithm>

namespace floe::container {
namespace {

Status truncated(std::uint64_t frame_bytes) {
  return {ErrorCode::truncated_frame, frame_bytes, "the frame ends before its footer"};
}

}  // namespace

std::uint64_t FrameIndex::segment_of(std::uint64_t element) const {
  const auto after = std::upper_bound(
      footer.segments.begin(), footer.segments.end(), element,
      [](std::uint64_t wanted, const IndexEntry& segment) { return wanted < segment.first; });
  return static_cast<std::uint64_t>(after - footer.segments.begin()) - 1;
}

FrameInfo make_info(const Header& header, const Footer& footer, std::uint64_t frame_bytes) {
  FrameInfo info;
  info.content = header.content;
  if (header.content == Content::array) {
    info.dtype = header.dtype;
    info.extent = extent_of(header, footer);
    const auto* prefix = reinterpret_cast<const std::byte*>(header.prefix.data());
    info.prefix.assign(prefix, prefix + header.prefix.size());
  } else {
    info.source = header.table.source;
    info.columns = header.table.schema;
    info.padding_bytes = header.table.padding_bytes;
  }
  info.element_count = footer.element_count;
  info.format_version = version;
  info.has_checksums = header.checksums;
  info.max_segment_length = header.max_segment_length;
  info.segment_count = footer.segments.size();
  info.frame_bytes = frame_bytes;
  info.digest = footer.digest;
  return info;
}

Result<FrameIndex> read_frame_index(const ByteSource& source, std::uint64_t frame_bytes,
                                    std::uint64_t memory_limit_bytes) {
  core::Buffer scratch;
  FrameIndex index;
  if (frame_bytes >= 4 && frame_bytes < fixed_header_bytes) {
    const auto first = source.bytes(0, 4, scratch);
    if (!first) return first.status();
    if (core::load<std::uint32_t>(first->data()) != header_magic)
      return Status{ErrorCode::corrupt_frame, 0, "this is no floe frame: it does not begin with FLOE"};
  }
  if (frame_bytes < fixed_header_bytes) return truncated(frame_bytes);
  const auto first = source.bytes(0, fixed_header_bytes, scratch);
  if (!first) return first.status();
  const auto header_length = container::header_length(*first);
  if (!header_length) return header_length.status();
  if (frame_bytes < *header_length + fixed_footer_bytes) return truncated(frame_bytes);
  const auto header_bytes = source.bytes(0, *header_length, scratch);
  if (!header_bytes) return header_bytes.status();
  auto header = parse_header(*header_bytes);
  if (!header) return header.status();
  index.header = std::move(*header);
  index.header_crc = crc_of_part(*header_bytes);
  index.header_bytes = *header_length;

  const auto last = source.bytes(frame_bytes - footer_end_bytes, footer_end_bytes, scratch);
  if (!last) return last.status();
  const auto footer_length = container::footer_length(*last, frame_bytes);
  if (!footer_length) return footer_length.status();
  if (*footer_length > frame_bytes - index.header_bytes)
    return Status{ErrorCode::corrupt_frame, frame_bytes - footer_end_bytes,
                  "the footer is longer than the frame"};
  if (*footer_length > memory_limit_bytes / 2)  // its bytes, and the positions of the segments
    return Status{ErrorCode::out_of_memory, frame_bytes - *footer_length,
                  "the footer is larger than memory_limit_bytes"};
  index.footer_offset = frame_bytes - *footer_length;
  const auto footer_bytes = source.bytes(index.footer_offset, *footer_length, scratch);
  if (!footer_bytes) return footer_bytes.status();
  auto footer = parse_footer(*footer_bytes, index.footer_offset, index.header, index.header_crc);
  if (!footer) return footer.status();
  index.footer = std::move(*footer);
  const std::uint64_t first_offset =
      index.footer.segments.empty() ? index.footer_offset : index.footer.segments[0].offset;
  if (first_offset != index.header_bytes)
    return Status{ErrorCode::corrupt_frame, index.footer_offset + footer_at::index,
                  "the first segment does not follow the header"};
  index.info = make_info(index.header, index.footer, frame_bytes);
  return index;
}

Result<OpenSegment> open_segment(const ByteSource& source, const FrameIndex& index, std::uint64_t segment,
                                 core::Buffer& scratch) {
  const IndexEntry begin = index.begin_of(segment), end = index.end_of(segment);
  const auto corrupt = [&](std::uint64_t offset, const char* detail) {
    return Status{ErrorCode::corrupt_frame, begin.offset + offset, detail};
  };
  const std::uint64_t all_bytes = end.offset - begin.offset;
  const auto first =
      source.bytes(begin.offset, std::min<std::uint64_t>(all_bytes, array_segment_header_bytes), scratch);
  if (!first) return first.status();
  const auto length = segment_header_length(first->first(8), begin.offset);
  if (!length) return length.status();
  if (*length > all_bytes)
    return corrupt(segment_at::header_bytes, "a segment's header is longer than the segment");
  const auto bytes = *length == first->size() ? first : source.bytes(begin.offset, *length, scratch);
  if (!bytes) return bytes.status();
  auto header = parse_segment_header(*bytes, index.header, index.header_crc, begin.offset);
  if (!header) return header.status();
  if (header->index != segment || header->first != begin.first || header->count != end.first - begin.first)
    return corrupt(segment_at::index, "a segment holds something else than the footer says");
  if (header->payload_bytes() != all_bytes - *length)
    return corrupt(0, "a segment does not end where the next one begins");
  return OpenSegment{std::move(*header), begin.offset + *length};
}

}  // namespace floe::container
