#include "pipeline/tables/segment_decoder.hpp"

#include <algorithm>
#include <cstring>

#include "core/crc32c.hpp"
#include "pipeline/column_codec.hpp"
#include "rows/cells/column_printer.hpp"
#include "pipeline/tables/parallel_tasks.hpp"
#include "rows/cells/text_blocks.hpp"

namespace floe::tables {
namespace {

constexpr Status corrupt(const char* detail) { return {ErrorCode::corrupt_frame, 0, detail}; }

/// Lines that are no rows, in the order of the rows that they stand before.
struct Strays {
  std::span<const std::uint32_t> before_rows;
  TextTable lines;

  Status open(const std::vector<Words>& streams, std::uint32_t row_count) {
    if (streams.empty()) return {};
    before_rows = streams[0].as<std::uint32_t>();
    if (!std::is_sorted(before_rows.begin(), before_rows.end()) || (!before_rows.empty() && before_rows.back() > row_count))
      return corrupt("lines that are no rows lie outside of their segment");
    return lines.build(streams[1], streams[2]);
  }
  /// The first line that stands before `row` or behind it.
  [[nodiscard]] std::size_t first_at(std::uint32_t row) const {
    return static_cast<std::size_t>(std::lower_bound(before_rows.begin(), before_rows.end(), row) - before_rows.begin());
  }
};

/// Prints the rows of a segment in blocks.
class RowPrinter {
 public:
  RowPrinter(const TableHeader& header, const SegmentHead& head, const Strays& strays, std::span<const ColumnPrinter> columns)
      : header_(header), head_(head), strays_(strays), columns_(columns) {
    for (const ColumnPrinter& column : columns) longest_row_bytes_ += column.longest_bytes() + 2;
  }

  void print_block(std::uint32_t first, std::uint32_t end, TextBuffer& to) const {
    std::size_t stray = strays_.first_at(first);
    for (std::uint32_t row = first; row < end; ++row) {
      for (; stray < strays_.before_rows.size() && strays_.before_rows[stray] == row; ++stray) to.add(strays_.lines.text(stray));
      print_row(row, to);
    }
    if (end != head_.row_count) return;
    for (stray = strays_.first_at(end); stray < strays_.before_rows.size(); ++stray) to.add(strays_.lines.text(stray));
  }

 private:
  void print_row(std::uint32_t row, TextBuffer& to) const {
    char* at = to.room(longest_row_bytes_);
    for (const ColumnPrinter& column : columns_) {
      at = column.print(at, row);
      *at++ = header_.dialect.separator;
    }
    --at;
    if (row + 1 != head_.row_count || !head_.lacks_last_line_end) {
      if (header_.dialect.crlf) *at++ = '\r';
      *at++ = '\n';
    }
    to.add_until(at);
  }

  const TableHeader& header_;
  const SegmentHead& head_;
  const Strays& strays_;
  std::span<const ColumnPrinter> columns_;
  std::size_t longest_row_bytes_ = 0;
};

template <class T>
void scatter(const Words& words, std::uint8_t* to, std::size_t stride_bytes) {
  for (const T value : words.as<T>()) {
    std::memcpy(to, &value, sizeof value);
    to += stride_bytes;
  }
}

void scatter_any(const Words& words, std::uint8_t* to, std::size_t stride_bytes) {
  with_word(size_of(words.type()), [&](auto word) { scatter<decltype(word)>(words, to, stride_bytes); });
}

}  // namespace

Status check_memory(std::span<const StreamEntry> streams, std::uint64_t& taken_bytes, std::uint64_t limit_bytes) {
  for (const StreamEntry& stream : streams) {
    const std::uint64_t room = limit_bytes - taken_bytes;
    if (stream.count > room / size_of(stream.type))
      return {ErrorCode::out_of_memory, 0, "a segment is larger than memory_limit_bytes"};
    taken_bytes += stream.count * size_of(stream.type);
  }
  return {};
}

Status decode_streams(std::span<const StreamEntry> entries, std::span<const std::uint8_t> stored, std::vector<Words>& streams) {
  streams.clear();
  for (const StreamEntry& entry : entries) {
    if (entry.stored_bytes > stored.size()) return corrupt("a stream is longer than its segment");
    const auto bytes = stored.first(entry.stored_bytes);
    stored = stored.subspan(entry.stored_bytes);
    if (format::crc32c(bytes) != entry.checksum) return corrupt("the checksum of a column does not match");
    streams.emplace_back(entry.type, entry.count);
    if (const Status status = series::decode_column(bytes, entry.type, entry.count, streams.back().data()); !status.ok()) return status;
  }
  return {};
}

Result<ColumnContent> decode_content(const ColumnEntry& entry, std::span<const std::uint8_t> stored) {
  ColumnContent content;
  content.writing = entry.writing;
  content.range = entry.range;
  if (const Status status = decode_streams(entry.streams, stored, content.streams); !status.ok()) return status;
  return content;
}

Status SegmentDecoder::check_memory_of(const SegmentHead& head) const {
  std::uint64_t taken_bytes = 0;
  Status status = check_memory(head.strays, taken_bytes, options_.memory_limit_bytes);
  if (status.ok()) status = check_memory(head.padding, taken_bytes, options_.memory_limit_bytes);
  for (const ColumnEntry& column : head.columns) {
    if (status.ok()) status = check_memory(column.streams, taken_bytes, options_.memory_limit_bytes);
  }
  return status;
}

Status SegmentDecoder::decode(const SegmentHead& head, std::span<const std::uint8_t> payload, const Sink& sink) const {
  DecodedSegment segment;
  Status status = check_memory_of(head);
  if (status.ok()) status = decode_columns(head, payload, segment);
  return status.ok() ? print(head, segment, sink) : status;
}

Status SegmentDecoder::print(const SegmentHead& head, const DecodedSegment& segment, const Sink& sink) const {
  return header_.source == TableSource::csv ? print_rows(head, segment, sink) : put_records(head, segment, sink);
}

Status SegmentDecoder::decode_columns(const SegmentHead& head, std::span<const std::uint8_t> payload, DecodedSegment& to) const {
  const auto take = [&payload](std::span<const StreamEntry> streams) {
    std::uint64_t bytes = 0;
    for (const StreamEntry& stream : streams) bytes += stream.stored_bytes;
    const auto part = payload.first(bytes);
    payload = payload.subspan(bytes);
    return part;
  };
  if (const Status status = decode_streams(head.strays, take(head.strays), to.strays); !status.ok()) return status;
  if (const Status status = decode_streams(head.padding, take(head.padding), to.padding); !status.ok()) return status;
  std::vector<std::span<const std::uint8_t>> parts;
  for (const ColumnEntry& column : head.columns) parts.push_back(take(column.streams));
  to.columns.assign(head.columns.size(), {});
  std::vector<Status> outcomes(head.columns.size());
  run_tasks(static_cast<std::uint32_t>(parts.size()), options_.threads, [&](std::uint32_t i) {
    Result<ColumnContent> content = decode_content(head.columns[i], parts[i]);
    outcomes[i] = content.status();
    if (content) to.columns[i] = std::move(*content);
  });
  const auto failed = std::find_if(outcomes.begin(), outcomes.end(), [](const Status& outcome) { return !outcome.ok(); });
  return failed == outcomes.end() ? Status{} : *failed;
}

Status SegmentDecoder::print_rows(const SegmentHead& head, const DecodedSegment& segment, const Sink& sink) const {
  Strays strays;
  if (const Status status = strays.open(segment.strays, head.row_count); !status.ok()) return status;
  std::vector<ColumnPrinter> printers(segment.columns.size());
  for (std::size_t i = 0; i < segment.columns.size(); ++i) {
    if (const Status status = printers[i].open(segment.columns[i], head.row_count); !status.ok()) return status;
  }
  const RowPrinter rows(header_, head, strays, printers);
  return print_in_blocks(0, head.row_count, options_.threads, sink,
                         [&rows](std::uint32_t first, std::uint32_t end, TextBuffer& to) { rows.print_block(first, end, to); });
}

Status SegmentDecoder::put_records(const SegmentHead& head, const DecodedSegment& segment, const Sink& sink) const {
  std::size_t record_bytes = header_.padding_bytes;
  for (const Column& column : header_.schema) record_bytes += size_of(column.type);
  const std::uint64_t all_bytes = std::uint64_t{head.row_count} * record_bytes;
  if (all_bytes > options_.memory_limit_bytes) return {ErrorCode::out_of_memory, 0, "a segment is larger than memory_limit_bytes"};
  std::vector<std::uint8_t> records(all_bytes);
  std::size_t offset = 0;
  for (const ColumnContent& column : segment.columns) {
    if (!records.empty()) scatter_any(column.streams[0], records.data() + offset, record_bytes);
    offset += size_of(column.streams[0].type());
  }
  for (std::uint32_t row = 0; !segment.padding.empty() && row < head.row_count; ++row) {
    std::memcpy(records.data() + row * record_bytes + offset, segment.padding[0].bytes().data() + std::size_t{row} * header_.padding_bytes,
                header_.padding_bytes);
  }
  if (const Status status = sink(std::as_bytes(std::span(records))); !status.ok()) return status;
  return segment.strays.empty() ? Status{} : sink(std::as_bytes(segment.strays[2].bytes()));
}

}  // namespace floe::tables
