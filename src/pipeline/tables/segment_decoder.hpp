// How do the stored bytes of a segment become columns, and these the text or the records again?
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "rows/cells/column_content.hpp"
#include "container/table_parts.hpp"

namespace floe::tables {

/// Decoded streams may take so much memory, and the text or the records as much again at a time.
Status check_memory(std::span<const StreamEntry> streams, std::uint64_t& taken_bytes, std::uint64_t limit_bytes);

/// The stored bytes of a column's streams, one behind the other. Errors: corrupt_frame. Throws std::bad_alloc.
Result<ColumnContent> decode_content(const ColumnEntry& entry, std::span<const std::uint8_t> stored);
Status decode_streams(std::span<const StreamEntry> entries, std::span<const std::uint8_t> stored, std::vector<Words>& streams);

/// The streams of a segment.
struct DecodedSegment {
  std::vector<Words> strays, padding;
  std::vector<ColumnContent> columns;
};

/// Restores the text or the records of segments.
class SegmentDecoder {
 public:
  SegmentDecoder(const TableHeader& header, const DecodeOptions& options) : header_(header), options_(options) {}

  /// `payload` holds the stored bytes of all streams. Calls `sink` with the bytes in order. Errors: corrupt_frame, out_of_memory, those of
  /// the sink. Throws std::bad_alloc.
  Status decode(const SegmentHead& head, std::span<const std::uint8_t> payload, const Sink& sink) const;

  /// Whether the streams of a segment may take so much memory. Errors: out_of_memory.
  Status check_memory_of(const SegmentHead& head) const;
  /// Calls `sink` with the bytes of a segment whose streams are decoded. Errors: as decode.
  Status print(const SegmentHead& head, const DecodedSegment& segment, const Sink& sink) const;

 private:
  Status decode_columns(const SegmentHead& head, std::span<const std::uint8_t> payload, DecodedSegment& to) const;
  Status print_rows(const SegmentHead& head, const DecodedSegment& segment, const Sink& sink) const;
  Status put_records(const SegmentHead& head, const DecodedSegment& segment, const Sink& sink) const;

  const TableHeader& header_;
  DecodeOptions options_;
};

}  // namespace floe::tables
