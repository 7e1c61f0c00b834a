// Headers of segments in device memory, checked as container::parse_segment_header does it; and what comes of
// them for the result of a frame.
#pragma once

#include "gpu/frames/read_frames.hpp"

namespace floe::gpu {

/// A segment that a slice overlaps, as the index has it; the second half is what its header says.
struct ReadSegment {
  std::uint32_t index;
  std::uint64_t offset, bytes;         ///< In the frame.
  std::uint64_t begin, content_bytes;  ///< Of its content, in the array.

  std::uint64_t stream_offset = 0;  ///< In the frame; 0 if the header is not sound.
  std::uint64_t stored_bytes = 0, digest = 0;

  FLOE_DEVICE ReadSegment(const DecodeItem& item, std::uint32_t segment) : index(segment) {
    offset = index_entry(item, segment).offset;
    bytes = (segment + 1 < item.segment_count ? index_entry(item, segment + 1).offset : item.footer_offset) -
            offset;
    begin = segment * item.segment_bytes;
    const std::uint64_t left = item.content_bytes - begin;
    content_bytes = left < item.segment_bytes ? left : item.segment_bytes;
  }
};

/// Checks a header, and fills in the second half of `segment`. By all threads, which get the same answer.
template <class Block>
FLOE_DEVICE Fault read_segment_header(Block& block, const DecodeJob& job, const DecodeItem& item,
                                      ReadSegment& segment) {
  const std::uint64_t at = segment.offset;
  const std::uint8_t* const header = item.frame + at;
  // All at once: one load after the other would take longer than the rest.
  const std::uint32_t word = word32(header, block.warp().lane());
  const auto whole = load_aligned<SegmentHeader>(header);
  const SegmentStart& start = whole.start;
  SegmentColumn column = whole.column;
  const std::uint64_t header_bytes = start.header_bytes;
  if (start.magic != container::segment_magic) return corrupt(at);
  if (header_bytes % container::alignment != 0 || header_bytes > container::max_segment_header_bytes ||
      header_bytes < sizeof(SegmentHeader) || header_bytes > segment.bytes)
    return corrupt(at + container::segment_at::header_bytes);
  if (header_bytes == sizeof(SegmentHeader)) {
    if (warp_crc(block.warp(), word, sizeof(SegmentHeader) / 4 - 1) != whole.crc)
      return corrupt(at + header_bytes - 4);
  } else {  // seldom
    load_crc_tables(block);
    block.sync();
    if (block_crc(block, header, header_bytes - 4) != load_aligned<std::uint32_t>(header + header_bytes - 4))
      return corrupt(at + header_bytes - 4);
  }
  const std::uint64_t words = segment.content_bytes / size_of(job.dtype);
  if (start.index != segment.index || start.first != segment.begin / size_of(job.dtype) ||
      start.count != words)
    return corrupt(at + container::segment_at::index);
  if (start.flags != 0) return corrupt(at + container::segment_at::flags);
  if (start.header_crc != item.header_crc) return corrupt(at + container::segment_at::header_crc);
  if (start.stream_count != 1) return corrupt(at + container::segment_at::stream_count);
  if (start.column_count != 1) return corrupt(at + container::segment_at::column_count);
  const std::uint64_t fields_bytes = start.fields_bytes,
                      end = sizeof(SegmentStart) + fields_bytes + sizeof(SegmentColumn);
  if (fields_bytes % 8 != 0 || fields_bytes > container::max_fields_bytes || end + 4 > header_bytes)
    return corrupt(at + container::segment_at::fields_bytes);
  if (fields_bytes != 0) {
    if (const Fault fault =
            skip_fields(header, sizeof(SegmentStart), sizeof(SegmentStart) + fields_bytes, at);
        !fault.ok())
      return fault;
    column = load_aligned<SegmentColumn>(header + sizeof(SegmentStart) + fields_bytes);
  }
  const container::ValueRange range{static_cast<container::RangeKind>(column.range_kind), column.range_min,
                                    column.range_max};
  if (column.cell_format != 0 || column.cell_format_4 != 0 || column.cell_format_1 != 0 ||
      column.reserved != 0 || !is_valid(range, container::range_kind_of(job.dtype)) ||
      column.type != static_cast<std::uint32_t>(job.dtype) || column.count != start.count ||
      column.stored_bytes == 0)
    return corrupt(at + sizeof(SegmentStart));
  if (container::padded(end + 4) != header_bytes || !is_zero(header, end, header_bytes - 4))
    return corrupt(at + container::segment_at::header_bytes);
  if (column.stored_bytes > container::max_content_bytes ||
      container::padded(column.stored_bytes) != segment.bytes - header_bytes)
    return corrupt(at);
  segment.stream_offset = at + header_bytes;
  segment.stored_bytes = column.stored_bytes;
  segment.digest = column.digest;
  return {};
}

FLOE_DEVICE void report(ItemResult& result, const Fault& fault) {
  set_word(&result.code, static_cast<std::uint32_t>(fault.code));
  atomic_min(&result.byte_offset, fault.byte_offset);
}

/// Adds a segment's digest, if its header is sound, to that of its frame, and reports its fault; with the
/// last one of a frame that is decoded whole, holds the digest against the footer's. By all threads.
template <class Block>
FLOE_DEVICE void finish_segment(Block& block, const DecodeJob& job, DecodeItem& item, std::uint32_t index,
                                const ReadSegment& segment, const Fault& fault) {
  if (block.rank() != 0) return;
  if (segment.stream_offset != 0)
    atomic_add(&item.found_digest, core::digest_term(segment.index, segment.digest));
  if (!fault.ok()) report(job.results[index], fault);
  fence();
  if (atomic_add(&item.units_done, 1) + 1 != item.segments) return;
  fence();
  const bool is_whole = item.begin == 0 && item.end == item.content_bytes;
  const auto found = load_fresh<std::uint64_t>(reinterpret_cast<const std::uint8_t*>(&item.found_digest));
  if (is_whole && found != item.digest)
    report(job.results[index], corrupt(item.footer_offset + offsetof(FooterStart, digest)));
}

}  // namespace floe::gpu
