#include "pipeline/compact/text/compact_text.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "container/compact_frame.hpp"
#include "pipeline/compact/text/text_coder.hpp"
#include "pipeline/compact/text/text_model.hpp"
#include "rows/csv/cell_index.hpp"

namespace floe::pipeline {
namespace {

constexpr std::uint8_t text_body = 1;
constexpr std::uint8_t flag_crlf = 1, flag_names = 2, known_flags = 3;
constexpr std::uint8_t type_bits = 15;
/// The digit 0: fields before the prefix look like digits, which take few bits.
constexpr std::uint8_t zero = 0x30;
constexpr unsigned max_short_decimals = 14;
/// The code of a text has at least so many bytes for each of its own, less one: it bounds what a decoder
/// does.
constexpr std::uint64_t max_bytes_per_code_byte = 4096;
/// Texts are there as they were written, by columns, encoded by nothing, and in the ordinary frame; with
/// positions of cells.
constexpr std::uint64_t memory_of_text = 8, memory_of_cells = 24;
/// What is kept of each line that is no row while lines are looked for.
constexpr std::uint64_t memory_of_line = 96;
/// Of a frame around the code: magic, version, lengths, separator, checksum.
constexpr std::uint64_t frame_bytes_around = 14;

Status corrupt(const char* detail) { return {ErrorCode::corrupt_frame, 0, detail}; }

Status too_large() {
  return {ErrorCode::out_of_memory, 0, "a compact frame takes more than memory_limit_bytes"};
}

std::string_view text_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool are_names_in_prefix(const container::Header& header) {
  const Schema& schema = header.table.schema;
  const auto cells = names_in_prefix(header, schema.size());
  return std::equal(schema.begin(), schema.end(), cells.begin(), cells.end(),
                    [](const Column& column, std::string_view name) { return column.name == name; });
}

void put_text_description(core::ByteWriter& out, const container::Header& header) {
  const Schema& schema = header.table.schema;
  const bool lists_names = !are_names_in_prefix(header);
  out.put_byte(static_cast<std::uint8_t>(
      zero + ((header.table.crlf ? flag_crlf : 0) | (lists_names ? flag_names : 0))));
  out.put_varint(zero + schema.size());
  for (const Column& column : schema) {
    const unsigned front = std::min<unsigned>(column.decimals, max_short_decimals + 1);
    out.put_byte(static_cast<std::uint8_t>((front << 4 | static_cast<unsigned>(column.type)) ^ zero));
    if (front > max_short_decimals) out.put_byte(column.decimals);
  }
  for (std::size_t i = 0; lists_names && i < schema.size(); ++i) {
    out.put_varint(schema[i].name.size());
    out.put_bytes({reinterpret_cast<const std::uint8_t*>(schema[i].name.data()), schema[i].name.size()});
  }
  out.put_varint(header.prefix.size());
}

/// Up to the first row.
Status get_text_description(core::ByteReader& in, container::Header& header) {
  const auto flags = static_cast<std::uint8_t>(in.get_byte() - zero);
  if (flags > known_flags) return corrupt("unknown flags of a compact frame");
  header.content = Content::table;
  header.dtype = DType{0};
  header.max_segment_length = container::max_segment_rows;
  header.table.crlf = (flags & flag_crlf) != 0;
  header.table.keeps_text = true;
  const std::uint64_t columns = in.get_varint() - zero;
  if (in.failed() || columns == 0 || columns > max_compact_columns)
    return corrupt("a compact frame of an impossible table");
  for (std::uint64_t i = 0; i < columns; ++i) {
    const auto front = static_cast<std::uint8_t>(in.get_byte() ^ zero);
    Column& column = header.table.schema.emplace_back();
    column.type = static_cast<DType>(front & type_bits);
    column.decimals = front >> 4;
    if (column.decimals > max_short_decimals) column.decimals = in.get_byte();
  }
  for (Column& column : header.table.schema) {
    if ((flags & flag_names) == 0) break;
    column.name = text_of(in.get_bytes(in.get_varint()));
  }
  const std::uint64_t prefix_bytes = in.get_varint();
  if (in.failed() || prefix_bytes >= in.remaining()) return corrupt("a compact frame without rows");
  const auto prefix = in.get_bytes(prefix_bytes);
  header.prefix.assign(prefix.begin(), prefix.end());
  if ((flags & flag_names) == 0) {
    const auto names = names_in_prefix(header, header.table.schema.size());
    for (std::size_t i = 0; i < names.size(); ++i) header.table.schema[i].name = names[i];
  }
  return {};
}

/// Any line may be no row.
std::uint64_t memory_of_table(std::uint64_t columns, std::uint64_t content_bytes, std::string_view rows) {
  const auto lines = static_cast<std::uint64_t>(std::count(rows.begin(), rows.end(), '\n')) + 1;
  return memory_of_cells * content_bytes + memory_of_line * lines + memory_of_compact_column * columns;
}

/// Lengths and bytes of all cells of a column.
std::vector<rows::Words> cells_of(const rows::CellIndex& cells, std::uint32_t column) {
  rows::TextList texts;
  for (std::uint32_t row = 0; row < cells.row_count(); ++row) texts.add(cells.cell(row, column));
  std::vector<rows::Words> streams;
  texts.append_to(streams);
  return streams;
}

}  // namespace

bool is_text(std::span<const std::uint8_t> body) noexcept { return body.front() == text_body; }

bool can_be_text(const container::Header& header, std::string_view rows) {
  const container::TableDescription& table = header.table;
  return !rows.empty() && table.source == TableSource::csv && table.keeps_text && header.checksums &&
         header.max_segment_length == container::max_segment_rows &&
         table.schema.size() <= max_compact_columns &&
         header.prefix.size() + rows.size() <= max_compact_text_bytes;
}

std::vector<std::uint8_t> encode_text_frame(const container::Header& header, std::string_view rows,
                                            std::uint64_t max_bytes, bool ends_early) {
  core::ByteWriter content;
  put_text_description(content, header);
  content.put_bytes(header.prefix);
  content.put_bytes({reinterpret_cast<const std::uint8_t*>(rows.data()), rows.size()});
  const auto separator = static_cast<std::uint8_t>(header.table.separator);
  if (content.size() > max_compact_text_bytes || max_bytes < frame_bytes_around) return {};
  const TextKind kind = kind_of_text(content.bytes(), separator);
  const std::vector<std::uint8_t> code =
      encode_text(content.bytes(), separator, kind, max_bytes - frame_bytes_around, ends_early);
  if (content.size() > max_bytes_per_code_byte * code.size()) return {};
  core::ByteWriter body;
  body.put_varint(text_body);
  body.put_byte(separator);
  body.put_varint(2 * content.size() + static_cast<unsigned>(kind));
  body.put_bytes(code);
  return container::write_compact_frame(body.bytes());
}

OpenedTable table_of_text(container::Header header, std::string_view rows, std::uint64_t stored_bytes) {
  OpenedTable opened{{std::move(header), {}, {}}, {}, {}};
  const container::TableDescription& description = opened.table.header.table;
  container::SegmentHeader& segment = opened.table.segment;
  const auto columns = static_cast<std::uint32_t>(description.schema.size());
  rows::CellIndex cells;
  const auto row_limit = static_cast<std::uint32_t>(rows.size()) + 1;
  cells.build(rows, {description.separator, description.crlf}, columns, row_limit, true);
  segment.count = cells.row_count();
  segment.lacks_last_line_end = cells.lacks_last_line_end();
  const auto take = [&](std::vector<rows::Words> streams, std::vector<container::StreamEntry>& entries) {
    for (rows::Words& words : streams) {
      const std::uint64_t bytes = words.type() == DType::u8 ? words.count() : 0;
      entries.push_back({words.type(), static_cast<std::uint32_t>(words.count()), 0, 0});
      opened.shares.push_back({"text", bytes * stored_bytes / (2 * rows.size())});
      opened.streams.push_back(std::move(words));
    }
  };
  take(rows::malformed_words(rows, cells.malformed()), segment.malformed);
  for (std::uint32_t i = 0; i < columns; ++i) {
    container::ColumnEntry& column = segment.columns.emplace_back();
    column.format.kind = container::CellKind::text;
    take(cells_of(cells, i), column.streams);
    opened.table.has_quotes.push_back(false);
  }
  return opened;
}

Result<OpenedTable> open_text(std::span<const std::uint8_t> body, std::uint64_t memory_limit_bytes) {
  core::ByteReader in(body);
  in.get_varint();
  container::Header header;
  const std::uint8_t separator = in.get_byte();
  const std::uint64_t size_and_kind = in.get_varint(), content_bytes = size_and_kind / 2;
  if (in.failed() || content_bytes == 0 || content_bytes > max_compact_text_bytes ||
      content_bytes > max_bytes_per_code_byte * in.remaining())
    return corrupt("a compact frame of an impossible text");
  if (memory_of_text * content_bytes + TextModel::memory_bytes(content_bytes) > memory_limit_bytes)
    return too_large();
  const std::vector<std::uint8_t> content =
      decode_text(in.rest(), content_bytes, separator, static_cast<TextKind>(size_and_kind % 2));
  core::ByteReader description(content);
  header.table.separator = static_cast<char>(separator);
  if (const Status status = get_text_description(description, header); !status.ok()) return status;
  const std::string_view rows = text_of(description.rest());
  if (memory_of_table(header.table.schema.size(), content_bytes, rows) > memory_limit_bytes)
    return too_large();
  OpenedTable opened = table_of_text(std::move(header), rows, body.size());
  if (opened.table.segment.count > container::max_segment_rows)
    return corrupt("a compact frame of too many rows");
  return opened;
}

}  // namespace floe::pipeline
