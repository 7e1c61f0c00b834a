// Segments with trees in frames in device memory: their streams are verified, then turned into one task each.
#pragma once

#include "gpu/frames/read_segment_header.hpp"
#include "gpu/frames/stream_digest.hpp"

namespace floe::gpu {

/// Whether a stream is intact, and one that blocks have the memory for. By all threads, which get the same
/// answer.
template <class Block>
FLOE_DEVICE Fault check_stream(Block& block, const DecodeJob& job, const DecodeItem& item,
                               const ReadSegment& segment) {
  const std::uint8_t* const stream = item.frame + segment.stream_offset;
  constexpr std::uint64_t max_stream_bytes = (std::uint64_t{1} << 31) - 1;
  if (segment.content_bytes > job.max_stream_content || segment.stored_bytes > max_stream_bytes)
    return {ErrorCode::out_of_memory, segment.stream_offset};
  if (segment.stored_bytes >= chunks::front_bytes && stream[0] == 1 && stream[1] == 0 &&
      stream[2] == chunks::encoding_id)
    return other_kind(segment.stream_offset);
  if (!is_zero(stream, segment.stored_bytes, container::padded(segment.stored_bytes)))
    return corrupt(segment.stream_offset);
  const std::uint64_t digest = stream_digest(block, stream, segment.stored_bytes, item.checksums);
  return digest == segment.digest ? Fault{} : corrupt(segment.stream_offset);
}

/// Reads a segment of a frame.
template <class Block>
FLOE_DEVICE void read_stream(Block& block, const DecodeJob& job, std::uint32_t unit) {
  const std::uint32_t index = item_of_unit(job, unit);
  DecodeItem& item = job.items[index];
  ReadSegment segment(item, item.first_segment + (unit - item.first_unit));
  Fault fault = read_segment_header(block, job, item, segment);
  if (fault.ok()) fault = check_stream(block, job, item, segment);
  if (block.rank() == 0) {
    const std::uint64_t width = size_of(job.dtype), end = segment.begin + segment.content_bytes;
    const std::uint64_t first = item.begin > segment.begin ? item.begin : segment.begin,
                        last = item.end < end ? item.end : end;
    StreamTask task;
    task.words = static_cast<std::uint32_t>(segment.content_bytes / width);
    task.begin = static_cast<std::uint32_t>((first - segment.begin) / width);
    task.end = static_cast<std::uint32_t>((last - segment.begin) / width);
    task.out = item.out + (first - item.begin);
    task.item = index;
    task.code = static_cast<std::uint32_t>(fault.code);
    task.offset = fault.ok() ? segment.stream_offset : fault.byte_offset;
    if (fault.ok()) {
      task.data = item.frame + segment.stream_offset;
      task.bytes = static_cast<std::uint32_t>(segment.stored_bytes);
    }
    job.streams[unit] = task;
  }
  finish_segment(block, job, item, index, segment, fault);
}

}  // namespace floe::gpu
