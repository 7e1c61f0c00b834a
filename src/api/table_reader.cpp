// TableReader: one column or some rows of a table, without the rest.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/buffer.hpp"
#include "core/guard.hpp"
#include "core/checked_math.hpp"
#include "pipeline/column_codec.hpp"
#include "pipeline/tables/column_facts.hpp"
#include "rows/cells/column_printer.hpp"
#include "rows/cells/column_values.hpp"
#include "rows/records/rows_records.hpp"
#include "rows/csv/rows_text.hpp"
#include "pipeline/tables/segment_decoder.hpp"

namespace floe::tables {
namespace {

constexpr Status corrupt(const char* detail, std::uint64_t offset) { return {ErrorCode::corrupt_frame, offset, detail}; }

}  // namespace

struct TableReader::State {
  ReadAt read_at;
  TableHeader header;
  std::uint32_t header_checksum = 0;
  TableFooter footer;
  std::uint64_t segments_end = 0;
  TableInfo info;

  Result<std::vector<std::uint8_t>> read(std::uint64_t offset, std::uint64_t bytes) {
    const auto end = core::checked_add(offset, bytes);
    if (!end || *end > info.table_bytes) return corrupt("a part lies outside of the table", offset);
    std::vector<std::uint8_t> part(bytes);
    const Status status = read_at(offset, std::as_writable_bytes(std::span(part)));
    if (!status.ok()) return status;
    return part;
  }

  Status open(std::uint64_t memory_limit_bytes) {
    auto begin = read(0, std::min<std::uint64_t>(fixed_header_bytes, info.table_bytes));
    if (!begin) return begin.status();
    const Result<std::uint32_t> length = header_length(*begin);
    if (!length) return length.status();
    const auto part = read(0, *length);
    if (!part) return part.status();
    Result<TableHeader> read_of_header = read_header(*part);
    if (!read_of_header) return read_of_header.status();
    header = std::move(*read_of_header);
    header_checksum = checksum_of(*part);
    return open_footer(*length, memory_limit_bytes);
  }

  Status open_footer(std::uint64_t header_bytes, std::uint64_t memory_limit_bytes) {
    const auto end = read(info.table_bytes - std::min<std::uint64_t>(16, info.table_bytes), std::min<std::uint64_t>(16, info.table_bytes));
    if (!end) return end.status();
    const Result<std::uint64_t> length = footer_length(*end);
    if (!length) return length.status();
    if (*length > info.table_bytes - header_bytes) return corrupt("the footer is longer than the table", info.table_bytes);
    if (*length > memory_limit_bytes / 2)  // its bytes, and the places of the segments
      return {ErrorCode::out_of_memory, info.table_bytes - *length, "the footer is larger than memory_limit_bytes"};
    segments_end = info.table_bytes - *length;
    const auto part = read(segments_end, *length);
    if (!part) return part.status();
    Result<TableFooter> read_of_footer = read_footer(*part, header_checksum);
    if (!read_of_footer) return read_of_footer.status();
    footer = std::move(*read_of_footer);
    const std::uint64_t first = footer.segments.empty() ? segments_end : footer.segments[0].offset;
    if (first != header_bytes || (!footer.segments.empty() && footer.segments.back().offset > segments_end))
      return corrupt("the segments do not lie between header and footer", segments_end);
    info.source = header.source;
    info.columns = header.schema;
    info.padding_bytes = header.padding_bytes;
    info.row_count = footer.row_count;
    info.segment_count = footer.segments.size();
    return {};
  }

  std::uint64_t end_of(std::uint64_t segment) const {
    return segment + 1 < footer.segments.size() ? footer.segments[segment + 1].offset : segments_end;
  }
  std::uint64_t rows_end_of(std::uint64_t segment) const {
    return segment + 1 < footer.segments.size() ? footer.segments[segment + 1].first_row : footer.row_count;
  }

  struct PlacedHead {
    SegmentHead head;
    std::uint64_t payload_offset = 0;
  };

  Result<PlacedHead> head_of(std::uint64_t segment) {
    const SegmentPlace place = footer.segments[segment];
    const auto begin = read(place.offset, 8);
    if (!begin) return begin.status();
    const Result<std::uint32_t> length = segment_head_length(*begin);
    if (!length) return length.status();
    if (*length > end_of(segment) - place.offset) return corrupt("a segment's head is longer than the segment", place.offset);
    const auto part = read(place.offset, *length);
    if (!part) return part.status();
    Result<SegmentHead> head = read_segment_head(*part, header, header_checksum);
    if (!head) return head.status();
    if (head->index != segment || head->first_row != place.first_row || head->row_count != rows_end_of(segment) - place.first_row ||
        head->payload_bytes() != end_of(segment) - place.offset - *length) {
      return corrupt("a segment contradicts the footer", place.offset);
    }
    return PlacedHead{std::move(*head), place.offset + *length};
  }

  /// The stored bytes of a column.
  Result<std::vector<std::uint8_t>> stored_column(const PlacedHead& placed, std::size_t column) {
    std::uint64_t offset = placed.payload_offset;
    const auto skip = [&offset](const std::vector<StreamEntry>& streams) {
      for (const StreamEntry& stream : streams) offset += stream.stored_bytes;
    };
    skip(placed.head.strays);
    skip(placed.head.padding);
    for (std::size_t i = 0; i < column; ++i) skip(placed.head.columns[i].streams);
    const std::uint64_t begin = offset;
    skip(placed.head.columns[column].streams);
    return read(begin, offset - begin);
  }

  Result<std::vector<std::vector<std::uint8_t>>> stored_columns(const PlacedHead& placed, std::span<const std::size_t> columns) {
    std::vector<std::vector<std::uint8_t>> stored;
    for (const std::size_t column : columns) {
      auto bytes = stored_column(placed, column);
      if (!bytes) return bytes.status();
      stored.push_back(std::move(*bytes));
    }
    return stored;
  }

  /// Calls use(head, first row in the segment, row count) for the segments that `rows` overlaps.
  template <class Use>
  Status for_each_part(Slice rows, const Use& use) {
    const std::uint64_t end = rows.first + rows.count;
    for (std::uint64_t segment = 0; segment < footer.segments.size(); ++segment) {
      const std::uint64_t first = std::max(rows.first, footer.segments[segment].first_row), last = std::min(end, rows_end_of(segment));
      if (first >= last) continue;
      const Result<PlacedHead> placed = head_of(segment);
      if (!placed) return placed.status();
      const auto from = static_cast<std::uint32_t>(first - placed->head.first_row);
      if (const Status status = use(*placed, from, static_cast<std::uint32_t>(last - first)); !status.ok()) return status;
    }
    return {};
  }

  /// Decodes the column of the segments that `rows` overlaps; calls use(content, printer, first row in the segment, row count) for each.
  template <class Use>
  Status for_each_part(std::size_t column, Slice rows, const DecodeOptions& options, const Use& use) {
    return for_each_part(rows, [&](const PlacedHead& placed, std::uint32_t first, std::uint32_t count) -> Status {
      std::uint64_t taken_bytes = 0;
      const ColumnEntry& entry = placed.head.columns[column];
      if (const Status status = check_memory(entry.streams, taken_bytes, options.memory_limit_bytes); !status.ok()) return status;
      const auto stored = stored_column(placed, column);
      if (!stored) return stored.status();
      const Result<ColumnContent> content = decode_content(entry, *stored);
      if (!content) return content.status();
      ColumnPrinter printer;
      if (const Status status = printer.open(*content, placed.head.row_count); !status.ok()) return status;
      return use(*content, printer, first, count);
    });
  }

  Status print_rows(std::span<const std::size_t> columns, Slice rows, const Sink& sink, const DecodeOptions& options) {
    RowsText text(header, columns);
    const std::string names = text.names();
    if (const Status status = sink(std::as_bytes(std::span(names))); !status.ok()) return status;
    return for_each_part(rows, [&](const PlacedHead& placed, std::uint32_t first, std::uint32_t count) -> Status {
      const auto stored = stored_columns(placed, columns);
      if (!stored) return stored.status();
      if (const Status status = text.open(placed.head, *stored, options); !status.ok()) return status;
      return text.print(first, first + count, options.threads, sink);
    });
  }

  Status write_records(std::span<const std::size_t> columns, Slice rows, const Sink& sink, const DecodeOptions& options,
                       MissingValue& missing) {
    RowsRecords records(header.schema, columns);
    return for_each_part(rows, [&](const PlacedHead& placed, std::uint32_t first, std::uint32_t count) -> Status {
      const auto stored = stored_columns(placed, columns);
      if (!stored) return stored.status();
      if (const Status status = records.open(placed.head, *stored, options); !status.ok()) return status;
      const Status status = records.write(first, first + count, options.threads, sink, missing);
      missing.row += placed.head.first_row;
      return status;
    });
  }

  Status check_request(std::size_t column, Slice rows) const {
    const auto end = core::checked_add(rows.first, rows.count);
    if (column >= header.schema.size()) return {ErrorCode::invalid_argument, 0, "the table has no such column"};
    if (!end || *end > footer.row_count) return {ErrorCode::invalid_argument, 0, "the rows reach beyond the end of the table"};
    return {};
  }

  Result<StoredColumn> describe(const PlacedHead& placed, std::size_t column) {
    const ColumnEntry& entry = placed.head.columns[column];
    const auto stored = stored_column(placed, column);
    if (!stored) return stored.status();
    std::vector<std::span<const std::uint8_t>> payloads;
    std::span<const std::uint8_t> rest = *stored;
    for (const StreamEntry& stream : entry.streams) {
      payloads.push_back(rest.first(stream.stored_bytes));
      rest = rest.subspan(stream.stored_bytes);
    }
    return describe_column(entry, payloads);
  }
};

Result<TableReader> TableReader::open(ReadAt read_at, std::uint64_t table_bytes, std::uint64_t memory_limit_bytes) {
  return api::guarded([&]() -> Result<TableReader> {
    auto state = std::make_unique<State>();
    state->read_at = std::move(read_at);
    state->info.table_bytes = table_bytes;
    if (const Status status = state->open(memory_limit_bytes); !status.ok()) return status;
    return TableReader(std::move(state));
  });
}

const TableInfo& TableReader::info() const noexcept { return state_->info; }

Result<StoredSegment> TableReader::segment(std::uint64_t index) {
  if (index >= state_->footer.segments.size()) return Status{ErrorCode::invalid_argument, 0, "the table has no such segment"};
  return api::guarded([&]() -> Result<StoredSegment> {
    const Result<State::PlacedHead> placed = state_->head_of(index);
    if (!placed) return placed.status();
    StoredSegment segment{
        placed->head.first_row, placed->head.row_count, state_->end_of(index) - state_->footer.segments[index].offset, {}};
    for (std::size_t column = 0; column < placed->head.columns.size(); ++column) {
      Result<StoredColumn> described = state_->describe(*placed, column);
      if (!described) return described.status();
      segment.columns.push_back(std::move(*described));
    }
    return segment;
  });
}

Status TableReader::read_values(std::size_t column, Slice rows, std::span<std::byte> out, std::span<std::uint8_t> valid,
                                const DecodeOptions& options) {
  if (const Status status = state_->check_request(column, rows); !status.ok()) return status;
  const DType type = state_->header.schema[column].type;
  if (type == DType::text) return {ErrorCode::invalid_argument, 0, "a column of texts has no values"};
  if (out.size() / size_of(type) != rows.count || out.size() % size_of(type) != 0 || (!valid.empty() && valid.size() != rows.count))
    return {ErrorCode::invalid_argument, 0, "the output has another size than the values"};
  return api::guarded([&] {
    std::uint64_t done = 0;
    return state_->for_each_part(
        column, rows, options, [&](const ColumnContent& content, const ColumnPrinter& printer, std::uint32_t first, std::uint32_t count) {
          const auto part = out.subspan(done * size_of(type), count * size_of(type));
          const Status status =
              convert_values(content, printer, first, count, type, api::as_u8(part), valid.empty() ? valid : valid.subspan(done, count));
          done += count;
          return status;
        });
  });
}

Result<std::vector<std::string>> TableReader::read_texts(std::size_t column, Slice rows, const DecodeOptions& options) {
  if (const Status status = state_->check_request(column, rows); !status.ok()) return status;
  const bool is_native = state_->header.source != TableSource::csv;
  return api::guarded([&]() -> Result<std::vector<std::string>> {
    std::vector<std::string> texts;
    const Status status = state_->for_each_part(
        column, rows, options, [&](const ColumnContent& content, const ColumnPrinter& printer, std::uint32_t first, std::uint32_t count) {
          std::vector<char> cell(printer.longest_bytes());
          for (std::uint32_t row = first; row < first + count; ++row) {
            if (is_native) {
              texts.push_back(native_text(content, row, state_->header.schema[column]));
            } else {
              texts.emplace_back(cell.data(), printer.print(cell.data(), row));
            }
          }
          return Status{};
        });
    if (!status.ok()) return status;
    return texts;
  });
}

Status TableReader::print_rows(std::span<const std::size_t> columns, Slice rows, const Sink& sink, const DecodeOptions& options) {
  if (columns.empty() || !sink) return {ErrorCode::invalid_argument, 0, columns.empty() ? "no columns are chosen" : "there is no sink"};
  for (const std::size_t column : columns) {
    if (const Status status = state_->check_request(column, rows); !status.ok()) return status;
  }
  return api::guarded([&] { return state_->print_rows(columns, rows, sink, options); });
}

Status TableReader::write_records(std::span<const std::size_t> columns, Slice rows, const Sink& sink, const DecodeOptions& options,
                                  MissingValue* missing) {
  if (columns.empty() || !sink) return {ErrorCode::invalid_argument, 0, columns.empty() ? "no columns are chosen" : "there is no sink"};
  for (const std::size_t column : columns) {
    if (const Status status = state_->check_request(column, rows); !status.ok()) return status;
    if (state_->header.schema[column].type == DType::text) return {ErrorCode::invalid_argument, 0, "a column of texts has no values"};
  }
  MissingValue nowhere;
  return api::guarded([&] { return state_->write_records(columns, rows, sink, options, missing == nullptr ? nowhere : *missing); });
}

TableReader::TableReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
TableReader::TableReader(TableReader&&) noexcept = default;
TableReader& TableReader::operator=(TableReader&&) noexcept = default;
TableReader::~TableReader() = default;

}  // namespace floe::tables
