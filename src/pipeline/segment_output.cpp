#include "pipeline/segment_output.hpp"

#include <algorithm>
#include <cstring>

#include "core/type.hpp"
#include "rows/rows_output.hpp"

namespace floe::pipeline {
namespace {

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

}  // namespace

Status print_segment(const container::TableDescription& table, const container::SegmentHeader& segment,
                     const DecodedSegment& decoded, core::Workers& workers, const Sink& sink) {
  return table.source == TableSource::csv ? print_rows(table, segment, decoded, workers, sink)
                                          : put_records(table, segment, decoded, sink);
}

}  // namespace floe::pipeline
