#include "pipeline/restorer.hpp"

#include <utility>

#include "chunks/chunk_table.hpp"

namespace floe::pipeline {
namespace {

/// Segments of so many bytes of words are decoded side by side.
constexpr std::uint64_t group_bytes = std::uint64_t{16} << 20;

}  // namespace

Status Restorer::check_memory(const container::SegmentHeader& segment, std::uint64_t payload_bytes,
                              std::uint64_t& needed) const {
  // A stream has up to 2^32 words of 8 bytes, so that sums of them fit 64 bits.
  needed = payload_bytes;
  segment.for_each_stream([&](const container::StreamEntry& stream) { needed += stream.words_bytes(); });
  if (needed <= options_.memory_limit_bytes) return {};
  return {ErrorCode::out_of_memory, 0, "a segment is larger than memory_limit_bytes"};
}

Status Restorer::add(container::SegmentHeader segment, std::vector<std::uint8_t> payload,
                     std::uint64_t payload_offset) {
  std::uint64_t needed = 0;
  if (const Status status = check_memory(segment, payload.size(), needed); !status.ok()) {
    const Status before = finish();
    return before.ok() ? status : before;
  }
  if (waiting_bytes_ > options_.memory_limit_bytes - needed) {
    if (const Status status = finish(); !status.ok()) return status;
  }
  Waiting& waiting = waiting_.emplace_back();
  waiting.segment = std::move(segment);
  waiting.payload = std::move(payload);
  open(waiting, payload_offset);
  waiting_bytes_ += needed;
  return waiting_bytes_ >= group_bytes ? finish() : Status{};
}

/// Makes room for the words of a segment's streams, and says where their bytes are.
void Restorer::open(Waiting& waiting, std::uint64_t payload_offset) {
  std::size_t offset = 0;
  waiting.first_stream = streams_.size();
  const auto add = [&](const container::StreamEntry& entry, std::vector<rows::Words>& words) {
    const auto bytes = std::span<const std::uint8_t>(waiting.payload)
                           .subspan(offset, static_cast<std::size_t>(chunks::padded(entry.stored_bytes)));
    words.emplace_back(entry.type, entry.count);
    streams_.push_back({entry, bytes, payload_offset + offset, words.back().data(), {}});
    offset += bytes.size();
  };
  for (const auto& entry : waiting.segment.malformed) add(entry, waiting.decoded.malformed);
  for (const auto& entry : waiting.segment.padding) add(entry, waiting.decoded.padding);
  for (const container::ColumnEntry& column : waiting.segment.columns) {
    rows::ColumnContent& content =
        waiting.decoded.columns.emplace_back(rows::ColumnContent{column.format, {}, column.range});
    for (const auto& entry : column.streams) add(entry, content.streams);
  }
  waiting.stream_count = streams_.size() - waiting.first_stream;
}

Status Restorer::finish() {
  std::list<Waiting> segments = std::exchange(waiting_, {});
  std::vector<StoredStream> streams = std::exchange(streams_, {});
  waiting_bytes_ = 0;
  if (const Status status = decode_streams(streams, header_.checksums, workers_, options_.decoder);
      !status.ok())
    return status;
  for (Waiting& waiting : segments) {
    for (const StoredStream& stream :
         std::span(streams).subspan(waiting.first_stream, waiting.stream_count)) {
      if (!stream.status.ok()) return stream.status;
    }
    Status status;
    if (header_.content == Content::array) {
      status = sink_(std::as_bytes(waiting.decoded.columns[0].streams[0].bytes()));
    } else {
      status = print_segment(header_.table, waiting.segment, waiting.decoded, workers_,
                             options_.memory_limit_bytes, sink_);
      if (status.code == ErrorCode::corrupt_frame)
        status.byte_offset += streams[waiting.first_stream].frame_offset;
    }
    if (!status.ok()) return status;
    waiting = {};
  }
  return {};
}

}  // namespace floe::pipeline
