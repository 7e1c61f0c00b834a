#include "pipeline/restorer.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "chunks/chunk_table.hpp"
#include "core/type.hpp"
#include "rows/cells/column_printer.hpp"
#include "rows/rows_output.hpp"

namespace floe::pipeline {
namespace {

/// The streams of a segment.
struct DecodedSegment {
  std::vector<rows::Words> malformed, padding;
  std::vector<rows::ColumnContent> columns;
};

using rows::ColumnPrinter;
using rows::TextBuffer;
using rows::TextTable;
using rows::Words;

constexpr Status corrupt(const char* detail) { return {ErrorCode::corrupt_frame, 0, detail}; }

/// Lines that are no rows, in the order of the rows that they stand before; or the bytes behind the last
/// record.
struct MalformedRows {
  std::span<const std::uint32_t> before_rows;
  TextTable lines;

  Status open(const std::vector<Words>& streams, std::uint32_t row_count) {
    if (streams.empty()) return {};
    before_rows = streams[0].as<std::uint32_t>();
    if (!std::is_sorted(before_rows.begin(), before_rows.end()) ||
        (!before_rows.empty() && before_rows.back() > row_count))
      return corrupt("lines that are no rows lie outside of their segment");
    return lines.build(streams[1], streams[2]);
  }
  /// The first line that stands before `row` or behind it.
  [[nodiscard]] std::size_t first_at(std::uint32_t row) const {
    return static_cast<std::size_t>(std::lower_bound(before_rows.begin(), before_rows.end(), row) -
                                    before_rows.begin());
  }
};

/// Prints the rows of a segment in blocks.
class RowPrinter {
 public:
  RowPrinter(const container::TableDescription& table, const container::SegmentHeader& segment,
             const MalformedRows& malformed, std::span<const ColumnPrinter> columns)
      : table_(table), segment_(segment), malformed_(malformed), columns_(columns) {
    for (const ColumnPrinter& column : columns) longest_row_bytes_ += column.longest_bytes() + 2;
  }

  void print_block(std::uint32_t first, std::uint32_t end, TextBuffer& to) const {
    std::size_t next = malformed_.first_at(first);
    for (std::uint32_t row = first; row < end; ++row) {
      for (; next < malformed_.before_rows.size() && malformed_.before_rows[next] == row; ++next)
        to.add(malformed_.lines.text(next));
      print_row(row, to);
    }
    if (end != segment_.count) return;
    for (next = malformed_.first_at(end); next < malformed_.before_rows.size(); ++next)
      to.add(malformed_.lines.text(next));
  }

 private:
  void print_row(std::uint32_t row, TextBuffer& to) const {
    char* at = to.room(longest_row_bytes_);
    for (const ColumnPrinter& column : columns_) {
      at = column.print(at, row);
      *at++ = table_.separator;
    }
    --at;
    if (row + 1 != segment_.count || !segment_.lacks_last_line_end) {
      if (table_.crlf) *at++ = '\r';
      *at++ = '\n';
    }
    to.add_until(at);
  }

  const container::TableDescription& table_;
  const container::SegmentHeader& segment_;
  const MalformedRows& malformed_;
  std::span<const ColumnPrinter> columns_;
  std::size_t longest_row_bytes_ = 0;
};

template <class T>
void scatter(std::span<const T> values, std::uint8_t* to, std::size_t stride_bytes) {
  for (const T value : values) {
    std::memcpy(to, &value, sizeof value);
    to += stride_bytes;
  }
}

Status print_rows(const container::TableDescription& table, const container::SegmentHeader& segment,
                  const DecodedSegment& decoded, core::Workers& workers, const Sink& sink) {
  MalformedRows malformed;
  if (const Status status = malformed.open(decoded.malformed, segment.count); !status.ok()) return status;
  std::vector<ColumnPrinter> printers(decoded.columns.size());
  for (std::size_t i = 0; i < decoded.columns.size(); ++i) {
    if (const Status status = printers[i].open(decoded.columns[i], segment.count); !status.ok())
      return status;
  }
  const RowPrinter rows(table, segment, malformed, printers);
  return rows::print_in_blocks(
      0, segment.count, workers, sink,
      [&rows](std::uint32_t first, std::uint32_t end, TextBuffer& to) { rows.print_block(first, end, to); });
}

/// The bytes of the rows [first, first + count), one behind the other.
void fill_records(const DecodedSegment& decoded, std::size_t padding_bytes, std::size_t first,
                  std::size_t count, std::span<std::uint8_t> records) {
  const std::size_t record_bytes = records.size() / count;
  std::size_t offset = 0;
  for (const rows::ColumnContent& column : decoded.columns) {
    const Words& words = column.streams[0];
    with_word(size_of(words.type()), [&](auto word) {
      scatter(words.as<decltype(word)>().subspan(first, count), records.data() + offset, record_bytes);
    });
    offset += size_of(words.type());
  }
  if (padding_bytes == 0) return;
  for (std::size_t row = 0; row < count; ++row) {
    std::uint8_t* const padding = records.data() + row * record_bytes + offset;
    if (decoded.padding.empty()) {
      std::memset(padding, 0, padding_bytes);
    } else {
      std::memcpy(padding, decoded.padding[0].bytes().data() + (first + row) * padding_bytes, padding_bytes);
    }
  }
}

/// In blocks, so that no segment lies in memory twice.
Status put_records(const container::TableDescription& table, const container::SegmentHeader& segment,
                   const DecodedSegment& decoded, const Sink& sink) {
  constexpr std::size_t block_bytes = std::size_t{256} << 10;
  MalformedRows rest;
  if (const Status status = rest.open(decoded.malformed, segment.count); !status.ok()) return status;
  if (rest.first_at(segment.count) != 0) return corrupt("bytes between records");
  std::size_t record_bytes = table.padding_bytes;
  for (const Column& column : table.schema) record_bytes += size_of(column.type);
  const std::size_t block_rows = std::min<std::size_t>(
      segment.count, std::max<std::size_t>(1, block_bytes / std::max<std::size_t>(1, record_bytes)));
  std::vector<std::uint8_t> records(block_rows * record_bytes);
  for (std::size_t first = 0; first < segment.count; first += block_rows) {
    const std::size_t count = std::min(block_rows, segment.count - first);
    const auto block = std::span(records).first(count * record_bytes);
    fill_records(decoded, table.padding_bytes, first, count, block);
    if (const Status status = sink(std::as_bytes(block)); !status.ok()) return status;
  }
  return decoded.malformed.empty() ? Status{} : sink(std::as_bytes(decoded.malformed[2].bytes()));
}

/// Prints the decoded columns of a segment as the text or the records that they came from: calls `sink` with
/// the bytes in order.
Status print_segment(const container::TableDescription& table, const container::SegmentHeader& segment,
                     const DecodedSegment& decoded, core::Workers& workers, const Sink& sink) {
  return table.source == TableSource::csv ? print_rows(table, segment, decoded, workers, sink)
                                          : put_records(table, segment, decoded, sink);
}

}  // namespace

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

Status Restorer::deliver(const Waiting& waiting, std::uint64_t payload_offset) {
  if (header_.content == Content::array)
    return sink_(std::as_bytes(waiting.decoded.columns[0].streams[0].bytes()));
  Status status = print_segment(header_.table, waiting.segment, waiting.decoded, workers_, sink_);
  if (status.code == ErrorCode::corrupt_frame) status.byte_offset += payload_offset;
  return status;
}

}  // namespace floe::pipeline
