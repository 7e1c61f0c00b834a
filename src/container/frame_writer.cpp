#include "container/frame_writer.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace floe::container {

Status FrameWriter::put(std::span<const std::uint8_t> bytes) {
  offset_ += bytes.size();
  return sink_.put(bytes);
}

Status FrameWriter::begin(const Header& header) {
  const std::vector<std::uint8_t> bytes = write_header(header);
  if (bytes.size() > max_header_bytes)
    return {ErrorCode::invalid_argument, 0, "the names of the columns are longer than 64 MiB"};
  header_crc_ = crc_of_part(bytes);
  return put(bytes);
}

void FrameWriter::count(SegmentHeader& segment) {
  segment.index = footer_.segments.size();
  segment.first = footer_.element_count;
  footer_.segments.push_back({offset_, segment.first});
  footer_.element_count += segment.count;
  segment.for_each_stream([this](const StreamEntry& stream) { digest_.add(stream.digest); });
}

Status FrameWriter::segment(SegmentHeader& segment, std::span<const std::span<const std::uint8_t>> streams) {
  count(segment);
  if (const Status status = put(write_segment_header(segment, header_crc_)); !status.ok()) return status;
  constexpr std::array<std::uint8_t, alignment> zeros{};
  for (const auto stream : streams) {
    if (const Status status = put(stream); !status.ok()) return status;
    const auto padding =
        std::span(zeros).first(static_cast<std::size_t>(padded(stream.size()) - stream.size()));
    if (padding.empty()) continue;
    if (const Status status = put(padding); !status.ok()) return status;
  }
  return {};
}

Status FrameWriter::segment(SegmentHeader& segment, std::span<std::uint8_t> room_and_stream) {
  count(segment);
  const std::vector<std::uint8_t> header = write_segment_header(segment, header_crc_);
  assert(header.size() == array_segment_header_bytes);
  std::copy(header.begin(), header.end(), room_and_stream.begin());
  return put(room_and_stream);
}

Status FrameWriter::finish(std::uint64_t outer_size) {
  footer_.outer_size = outer_size;
  footer_.digest = digest_.value();
  return put(write_footer(footer_, header_crc_));
}

}  // namespace floe::container
