// Frames of one segment whose only stream is given, as bytes that nobody has checked.
#pragma once

#include "container/parts.hpp"
#include "tests/support/frames.hpp"
#include "tests/support/reseal.hpp"

namespace floe::test {

/// A frame that says that it has so many elements, and its stream so many bytes.
inline Bytes frame_of_stream(const container::Header& header, const Bytes& stream, std::uint32_t elements,
                             std::uint64_t stored_bytes) {
  Bytes frame = container::write_header(header);
  const std::uint32_t crc = container::crc_of_part(frame);
  container::Footer footer;
  footer.outer_size = footer.element_count = elements;
  footer.segments = {{frame.size(), 0}};
  container::SegmentHeader segment;
  segment.count = elements;
  segment.columns.push_back({{}, {}, {{header.dtype, elements, stored_bytes, 0}}});
  append(frame, view_of(container::write_segment_header(segment, crc)));
  append(frame, view_of(stream));
  frame.resize(container::padded(frame.size()));
  append(frame, view_of(container::write_footer(footer, crc)));
  reseal(frame);
  return frame;
}

}  // namespace floe::test
