#include "pipeline/restorer.hpp"

#include <memory>
#include <utility>

#include "chunks/chunk_table.hpp"
#include "pipeline/base_column.hpp"
#include "pipeline/segment_output.hpp"

namespace floe::pipeline {

/// A segment that is not delivered yet.
struct Restorer::Waiting {
  container::SegmentHeader segment;
  std::vector<std::uint8_t> payload;
  DecodedSegment decoded;

  /// Makes room for the words of the segment's streams, and says where their bytes are.
  std::vector<StoredStream> open(std::uint64_t payload_offset) {
    std::vector<StoredStream> opened;
    std::size_t offset = 0;
    const auto add = [&](const container::StreamEntry& entry, std::vector<rows::Words>& words) {
      const auto bytes = std::span<const std::uint8_t>(payload).subspan(
          offset, static_cast<std::size_t>(chunks::padded(entry.stored_bytes)));
      words.emplace_back(entry.type, entry.count);
      opened.push_back({entry, bytes, payload_offset + offset, words.back().data(), {}});
      offset += bytes.size();
    };
    for (const auto& entry : segment.malformed) add(entry, decoded.malformed);
    for (const auto& entry : segment.padding) add(entry, decoded.padding);
    for (const container::ColumnEntry& column : segment.columns) {
      rows::ColumnContent& content =
          decoded.columns.emplace_back(rows::ColumnContent{column.format, {}, column.range});
      for (const auto& entry : column.streams) add(entry, content.streams);
    }
    return opened;
  }
};

Status Restorer::add(container::SegmentHeader segment, std::vector<std::uint8_t> payload,
                     std::uint64_t payload_offset) {
  // A stream has up to 2^32 words of 8 bytes, so that sums of them fit 64 bits.
  std::uint64_t needed = payload.size();
  segment.for_each_stream([&](const container::StreamEntry& stream) { needed += stream.words_bytes(); });
  if (const Status status = groups_.reserve(needed); !status.ok()) return status;
  const auto waiting = std::make_shared<Waiting>(Waiting{std::move(segment), std::move(payload), {}});
  return groups_.add(waiting->open(payload_offset),
                     [this, waiting, payload_offset](std::span<const StoredStream>) {
                       return deliver(*waiting, payload_offset);
                     });
}

Status Restorer::deliver(Waiting& waiting, std::uint64_t payload_offset) {
  if (header_.content == Content::array)
    return sink_(std::as_bytes(waiting.decoded.columns[0].streams[0].bytes()));
  add_bases(waiting.segment.columns, waiting.decoded.columns, workers_);
  Status status = print_segment(header_.table, waiting.segment, waiting.decoded, workers_, sink_);
  if (status.code == ErrorCode::corrupt_frame) status.byte_offset += payload_offset;
  return status;
}

}  // namespace floe::pipeline
