#include "container/frame_index.hpp"

#include <algorithm>

#include "container/segment_head.hpp"

namespace floe::api {
namespace {

Status truncated(std::uint64_t frame_bytes) { return {ErrorCode::truncated_frame, frame_bytes, "the frame ends before its footer"}; }

/// Offsets ascend from the header to the footer, and every segment has room for its head.
Status check_offsets(const FrameIndex& index) {
  const auto corrupt = [&](const char* detail) { return Status{ErrorCode::corrupt_frame, index.footer_offset + 40, detail}; };
  const std::uint64_t segments = index.footer.segment_offsets.size();
  if (index.segment_offset(0) != index.plan.header_bytes.size()) return corrupt("the first segment does not follow the header");
  for (std::uint64_t i = 0; i < segments; ++i) {
    const std::uint64_t begin = index.segment_offset(i), end = index.segment_offset(i + 1);
    if (end <= begin || begin % format::alignment != 0 || end > index.footer_offset) return corrupt("the segments' offsets are impossible");
    const std::uint64_t chunks = core::divide_up(index.content_bytes_of(i), core::chunk_bytes);
    if (end - begin < format::segment_head_bytes(chunks, index.plan.header.checksums))
      return corrupt("a segment is shorter than its chunk table");
  }
  return {};
}

/// One segment of the frame: its head checked, its payloads not yet read.
struct OpenSegment {
  format::SegmentHead head;
  std::span<const std::uint8_t> head_bytes;
};

Result<OpenSegment> open_segment(ByteSource& source, const FrameIndex& index, std::uint64_t segment, Buffer& scratch) {
  const std::uint64_t begin = index.segment_offset(segment), size = index.segment_offset(segment + 1) - begin;
  const format::ExpectedSegment expected{index.plan.header, index.plan.header_crc(), segment, begin, index.plan.codec->has_history};
  const auto first = source.bytes(begin, format::fixed_segment_head_bytes, scratch);
  if (!first) return first.status();
  const auto head = format::parse_fixed_segment_head(*first, expected);
  if (!head) return head.status();
  if (head->content_bytes != index.content_bytes_of(segment))
    return Status{ErrorCode::corrupt_frame, begin + 16, "a segment's content has the wrong length"};
  if (head->head_bytes + head->payload_bytes != size)
    return Status{ErrorCode::corrupt_frame, begin + 24, "a segment does not end where the next one begins"};
  const auto head_bytes = source.bytes(begin, head->head_bytes, scratch);
  if (!head_bytes) return head_bytes.status();
  if (const Status status = format::check_segment_head(*head_bytes, *head, expected); !status.ok()) return status;
  return OpenSegment{*head, *head_bytes};
}

}  // namespace

std::uint64_t FrameIndex::content_bytes_of(std::uint64_t segment) const {
  const std::uint64_t all = info.array_bytes(), each = plan.header.segment_bytes();
  return std::min(each, all - segment * each);
}

FrameInfo make_info(const FramePlan& plan, const format::Footer& footer, std::uint64_t frame_bytes) {
  FrameInfo info;
  info.dtype = plan.header.dtype;
  info.extent = format::extent_of(plan.header, footer);
  info.element_count = footer.element_count;
  info.codec = info_of(*plan.codec);
  info.format_version = format::version;
  info.dimensionality = plan.context.parameters.dimensionality;
  info.has_checksums = plan.header.checksums;
  info.segment_bytes = plan.header.segment_bytes();
  info.segment_count = footer.segment_offsets.size();
  info.frame_bytes = frame_bytes;
  info.digest = footer.digest;
  const auto* prefix = reinterpret_cast<const std::byte*>(plan.header.prefix.data());
  info.prefix.assign(prefix, prefix + plan.header.prefix.size());
  return info;
}

Result<FrameIndex> read_frame_index(ByteSource& source, std::uint64_t frame_bytes, std::uint64_t memory_limit_bytes) {
  Buffer scratch;
  if (frame_bytes < format::smallest_header_bytes) return truncated(frame_bytes);
  const auto first = source.bytes(0, format::smallest_header_bytes, scratch);
  if (!first) return first.status();
  const auto header_length = format::header_length(*first);
  if (!header_length) return header_length.status();
  if (frame_bytes < *header_length + format::fixed_footer_bytes) return truncated(frame_bytes);
  const auto header_bytes = source.bytes(0, *header_length, scratch);
  if (!header_bytes) return header_bytes.status();
  auto header = format::parse_header(*header_bytes);
  if (!header) return header.status();

  FrameIndex index;
  auto plan = plan_decoding(std::move(*header), *header_bytes);
  if (!plan) return plan.status();
  index.plan = std::move(*plan);

  const auto last = source.bytes(frame_bytes - format::footer_end_bytes, format::footer_end_bytes, scratch);
  if (!last) return last.status();
  const auto footer_length = format::footer_length(*last, frame_bytes);
  if (!footer_length) return footer_length.status();
  if (*footer_length > memory_limit_bytes / 2)  // its bytes, and the places of the segments
    return Status{ErrorCode::out_of_memory, frame_bytes - *footer_length, "the footer is larger than memory_limit_bytes"};
  index.footer_offset = frame_bytes - *footer_length;
  const auto footer_bytes = source.bytes(index.footer_offset, *footer_length, scratch);
  if (!footer_bytes) return footer_bytes.status();
  auto footer = format::parse_footer(*footer_bytes, index.footer_offset, index.plan.header);
  if (!footer) return footer.status();
  index.footer = std::move(*footer);
  index.info = make_info(index.plan, index.footer, frame_bytes);
  if (const Status status = check_offsets(index); !status.ok()) return status;
  return index;
}

Status decode_slice(ByteSource& source, const FrameIndex& index, std::span<std::uint8_t> out, Slice slice, const DecodeOptions& options) {
  const std::size_t word_bytes = size_of(index.info.dtype);
  if (slice.first > index.info.element_count || slice.count > index.info.element_count - slice.first) {
    return {ErrorCode::invalid_argument, 0, "the slice reaches beyond the array"};
  }
  if (out.size() != slice.count * word_bytes) return {ErrorCode::invalid_argument, 0, "the output's size is not that of the slice"};

  const bool all = slice.count == index.info.element_count;
  const std::uint64_t segment_bytes = index.plan.header.segment_bytes();
  const std::uint64_t first_byte = slice.first * word_bytes, end_byte = first_byte + out.size();
  SegmentDecoder decoder(index.plan, options);
  format::Digest digest;
  Buffer head_scratch, payload_scratch;
  for (std::uint64_t at = first_byte; at < end_byte;) {
    const std::uint64_t segment = at / segment_bytes, segment_begin = segment * segment_bytes;
    const std::uint64_t count = std::min(end_byte, segment_begin + segment_bytes) - at;
    const auto open = open_segment(source, index, segment, head_scratch);
    if (!open) return open.status();
    const CheckedSegment checked{open->head, open->head_bytes, index.segment_offset(segment)};
    const auto table = format::table_of(open->head_bytes, open->head, index.plan.header.checksums);
    const ChunkRange chunks = chunks_of(open->head, at - segment_begin, count);
    const std::uint64_t begin = table.payload_offset(chunks.first);
    const std::uint64_t end = chunks.end == open->head.chunk_count ? open->head.payload_bytes : table.payload_offset(chunks.end);
    const Status enough = check_memory(open->head, source.copies() ? open->head.head_bytes + (end - begin) : 0, options);
    if (!enough.ok()) return enough;
    const auto payloads = source.bytes(checked.frame_offset + open->head.head_bytes + begin, end - begin, payload_scratch);
    if (!payloads) return payloads.status();
    if (const Status status = decoder.decode(checked, *payloads, at - segment_begin, out.subspan(at - first_byte, count)); !status.ok())
      return status;
    if (all) add_to_digest(digest, checked, index.plan.header.checksums);
    at += count;
  }
  if (all && digest.value() != index.footer.digest)
    return {ErrorCode::corrupt_frame, index.footer_offset + 24, "the frame's digest does not match its chunks"};
  return {};
}

Result<ChunkCounts> count_chunks(ByteSource& source, const FrameIndex& index) {
  ChunkCounts counts;
  format::Digest digest;
  Buffer scratch;
  for (std::uint64_t segment = 0; segment < index.footer.segment_offsets.size(); ++segment) {
    const auto open = open_segment(source, index, segment, scratch);
    if (!open) return open.status();
    const auto table = format::table_of(open->head_bytes, open->head, index.plan.header.checksums);
    add_to_digest(digest, {open->head, open->head_bytes, 0}, index.plan.header.checksums);
    counts.chunks += open->head.chunk_count;
    for (std::uint64_t chunk = 0; chunk < open->head.chunk_count; ++chunk) {
      const format::ChunkEntry entry = table.entry(chunk);
      (entry.mode == format::mode_raw ? counts.raw : counts.coded) += 1;
      counts.payload_bytes += entry.stored_bytes;
    }
    if (index.plan.codec->has_history && open->head.kind == format::kind_content) ++counts.segments_without_history;
  }
  if (digest.value() != index.footer.digest)
    return Status{ErrorCode::corrupt_frame, index.footer_offset + 24, "the frame's digest does not match its chunks"};
  return counts;
}

}  // namespace floe::api
