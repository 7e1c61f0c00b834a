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
  core::Buffer array_words;
  DecodedSegment decoded;  ///< Of a table.

  std::vector<StoredStream> open_array(std::uint64_t payload_offset) {
    const container::StreamEntry& entry = segment.columns[0].streams[0];
    const auto words = array_words.reserve(static_cast<std::size_t>(entry.words_bytes()));
    return {{entry, payload, payload_offset, words.data(), {}}};
  }
  /// Makes room for the words of the segment's streams, and says where their bytes are.
  std::vector<StoredStream> open_table(std::uint64_t payload_offset) {
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
  const auto waiting = std::make_shared<Waiting>(Waiting{std::move(segment), std::move(payload), {}, {}});
  const bool is_array = header_.content == Content::array;
  if (is_array && !free_words_.empty()) {
    waiting->array_words = std::move(free_words_.back());
    free_words_.pop_back();
  }
  return groups_.add(is_array ? waiting->open_array(payload_offset) : waiting->open_table(payload_offset),
                     [this, waiting, payload_offset](std::span<const StoredStream> streams) {
                       const Status status = deliver(*waiting, streams, payload_offset);
                       keep_memory(*waiting);
                       return status;
                     });
}

std::vector<std::uint8_t> Restorer::take_payload_memory() {
  if (free_payloads_.empty()) return {};
  std::vector<std::uint8_t> memory = std::move(free_payloads_.back());
  free_payloads_.pop_back();
  return memory;
}

void Restorer::keep_memory(Waiting& waiting) {
  waiting.payload.clear();
  free_payloads_.push_back(std::move(waiting.payload));
  if (header_.content == Content::array) free_words_.push_back(std::move(waiting.array_words));
}

Status Restorer::deliver(Waiting& waiting, std::span<const StoredStream> streams,
                         std::uint64_t payload_offset) {
  if (header_.content == Content::array)
    return sink_({static_cast<const std::byte*>(streams[0].words), streams[0].entry.words_bytes()});
  add_bases(waiting.segment.columns, waiting.decoded.columns, workers_);
  Status status = print_segment(header_.table, waiting.segment, waiting.decoded, workers_, sink_);
  if (status.code == ErrorCode::corrupt_frame) status.byte_offset += payload_offset;
  return status;
}

}  // namespace floe::pipeline
