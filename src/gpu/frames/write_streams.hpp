// Frames whose segments have trees: what stands around the streams, which encoders have written where they
// belong.
#pragma once

#include "gpu/frames/find_range.hpp"
#include "gpu/frames/stream_digest.hpp"
#include "gpu/frames/write_frames.hpp"

namespace floe::gpu {

/// Writes the header of a segment, with what the frame has before and behind its segments.
template <class Block>
FLOE_DEVICE void finish_stream(Block& block, const CompressJob& job, std::uint32_t unit) {
  const std::uint64_t index = item_of_unit(job, unit);
  const std::uint32_t segment = unit - job.items[index].first_unit;
  const std::uint64_t streams = job.items[index].content_bytes == 0 ? 0 : job.encoded[index].bytes,
                      footer_offset = job.rules.header_bytes + streams;
  finish_unit(block, job, index, segment, footer_offset, [&](CompressItem& item) {
    const FrameGeometry geometry{job.rules, item.content_bytes};
    const SegmentEntry& stream = job.streams[unit];
    const std::uint64_t offset = job.rules.header_bytes + stream.offset;
    SegmentFacts facts;
    facts.stored_bytes = stream.bytes;
    facts.digest = stream_digest(block, item.out + offset, stream.bytes, job.rules.checksums);
    facts.range = find_range(block, job.dtype, item.in + geometry.segment_begin(segment),
                             geometry.segment_bytes(segment) / job.element_bytes);
    write_segment_header(block, job, item, segment, facts, offset - container::array_segment_header_bytes,
                         footer_offset);
  });
}

}  // namespace floe::gpu
