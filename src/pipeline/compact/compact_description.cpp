// What a compact frame says of its table before the words: docs/format/compact.md, "Description".
#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <string_view>
#include <utility>

#include "pipeline/compact/compact_table.hpp"
#include "rows/row_source.hpp"

namespace floe::pipeline {
namespace {

using container::CellFormat;
using container::CellKind;
using container::ColumnEntry;
using container::StreamEntry;

constexpr std::uint8_t flag_crlf = 1, flag_keeps_text = 2, flag_lacks_last_line_end = 4, flag_malformed = 8,
                       flag_types = 16, known_flags = 31;
constexpr std::uint8_t flag_quoted = 8, flag_exceptions = 16, flag_base = 64;

Status malformed(const char* detail) { return {ErrorCode::corrupt_frame, 0, detail}; }

/// Bytes [first, end) of a cell format that a kind has (docs/format/cells.md, "Cell formats").
std::pair<std::size_t, std::size_t> bytes_of_kind(CellKind kind) {
  switch (kind) {
    case CellKind::decimal:
      return {3, 6};
    case CellKind::f32:
    case CellKind::f64:
      return {6, 8};
    case CellKind::time:
      return {8, 13};
    default:
      return {0, 0};
  }
}

/// Roles of the streams of a column, in their order.
std::vector<Role> roles_of(const CellFormat& format) {
  std::vector<Role> roles;
  switch (format.kind) {
    case CellKind::words:
      roles = {Role::lengths, Role::bytes, Role::codes};
      break;
    case CellKind::text:
      roles = {Role::lengths, Role::bytes};
      break;
    case CellKind::free_decimal:
      roles = {Role::numbers, Role::decimals};
      break;
    default:
      roles = {Role::numbers};
  }
  if (format.has_exceptions) roles.insert(roles.end(), {Role::marks, Role::lengths, Role::bytes});
  return roles;
}

/// Words of these roles have one of several widths.
bool has_width(Role role, CellKind kind) {
  return role == Role::lengths || role == Role::codes ||
         (role == Role::numbers && kind != CellKind::f32 && kind != CellKind::f64);
}
DType type_of_width(Role role, CellKind kind, unsigned log2_bytes) {
  constexpr std::array<DType, 4> signed_types{DType::i8, DType::i16, DType::i32, DType::i64};
  constexpr std::array<DType, 4> unsigned_types{DType::u8, DType::u16, DType::u32, DType::u64};
  if (role == Role::numbers && kind == CellKind::f32) return DType::f32;
  if (role == Role::numbers && kind == CellKind::f64) return DType::f64;
  if (role == Role::numbers) return signed_types[log2_bytes];
  return has_width(role, kind) ? unsigned_types[log2_bytes] : DType::u8;
}

/// Streams of these roles have a word per row, but for the lengths of words and of exceptions.
bool has_word_per_row(Role role, std::size_t position, CellKind kind) {
  return role != Role::bytes && (role != Role::lengths || (kind == CellKind::text && position == 0));
}

void put_text(core::ByteWriter& out, std::string_view text) {
  out.put_varint(text.size());
  out.put_bytes({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}
std::string get_text(core::ByteReader& in) {
  const auto bytes = in.get_bytes(in.get_varint());
  return {bytes.begin(), bytes.end()};
}

/// Those that are not in the line of names.
void put_names(core::ByteWriter& out, const container::Header& header) {
  const Schema& schema = header.table.schema;
  const auto cells = names_in_prefix(header, schema.size());
  const auto is_other = [&](std::size_t i) { return cells.empty() || cells[i] != schema[i].name; };
  std::size_t others = 0;
  for (std::size_t i = 0; i < schema.size(); ++i) others += is_other(i);
  out.put_varint(others);
  for (std::size_t i = 0; i < schema.size(); ++i) {
    if (!is_other(i)) continue;
    out.put_varint(i);
    put_text(out, schema[i].name);
  }
}

bool get_names(core::ByteReader& in, container::Header& header) {
  Schema& schema = header.table.schema;
  const auto cells = names_in_prefix(header, schema.size());
  for (std::size_t i = 0; i < cells.size(); ++i) schema[i].name = cells[i];
  std::uint64_t others = in.get_varint();
  for (std::uint64_t min_index = 0; others > 0; --others) {
    const std::uint64_t i = in.get_varint();
    if (i < min_index || i >= schema.size() || in.failed()) return false;
    schema[static_cast<std::size_t>(i)].name = get_text(in);
    min_index = i + 1;
  }
  return !in.failed() && std::all_of(schema.begin(), schema.end(), [](const Column& column) {
    return column.name.size() <= container::max_name_bytes;
  });
}

bool has_texts(CellKind kind) { return kind == CellKind::words || kind == CellKind::text; }

void put_column(core::ByteWriter& out, const ColumnEntry& column, bool has_quotes) {
  const CellFormat& format = column.format;
  core::ByteWriter fields;
  container::put_cell_format(fields, format);
  const unsigned flags = fields.bytes()[1];
  out.put_byte(static_cast<std::uint8_t>(static_cast<unsigned>(format.kind) | flags << 3 |
                                         (has_quotes ? flag_quoted : 0u) | (column.base ? flag_base : 0u)));
  if (format.has_exceptions) out.put_byte(format.listed_exceptions);
  const auto [first, end] = bytes_of_kind(format.kind);
  out.put_bytes(fields.bytes().subspan(first, end - first));
  const std::vector<Role> roles = roles_of(format);
  unsigned widths = 0, shift = 0;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    if (!has_width(roles[i], format.kind)) continue;
    widths |= static_cast<unsigned>(std::bit_width(size_of(column.streams[i].type)) - 1) << shift;
    shift += 2;
  }
  if (shift > 0) out.put_byte(static_cast<std::uint8_t>(widths));
  for (std::size_t i = 0; i < roles.size(); ++i) {
    if (!has_word_per_row(roles[i], i, format.kind)) out.put_varint(column.streams[i].count);
  }
  if (column.base) {
    out.put_varint(column.base->index);
    out.put_signed(static_cast<std::uint32_t>(column.base->multiplier));
    out.put_varint(static_cast<std::uint32_t>(column.base->divisor));
  }
}

/// What an ordinary segment header would not hold is found out when that is parsed.
Result<ColumnEntry> get_column(core::ByteReader& in, std::uint32_t rows) {
  const std::uint8_t front = in.get_byte();
  if (front > 127) return malformed("unknown flags of a column");
  const auto kind = static_cast<CellKind>(front & 7);
  if (kind == CellKind::native)
    return malformed("a cell format that does not go with the source of the rows");
  std::array<std::uint8_t, container::cell_format_bytes> fields{};
  fields[0] = front & 7;
  fields[1] = static_cast<std::uint8_t>(front >> 3 & (has_texts(kind) ? 6 : 7));
  if ((front & flag_exceptions) != 0) fields[2] = in.get_byte();
  const auto [first, end] = bytes_of_kind(kind);
  for (std::size_t i = first; i < end; ++i) fields[i] = in.get_byte();
  core::ByteReader format(fields);
  ColumnEntry column;
  if (const Status status = container::get_cell_format(format, column.format); !status.ok())
    return Status{status.code, 0, status.detail};
  const std::vector<Role> roles = roles_of(column.format);
  const bool has_widths =
      std::any_of(roles.begin(), roles.end(), [&](Role role) { return has_width(role, kind); });
  unsigned widths = has_widths ? in.get_byte() : 0;
  for (const Role role : roles) {
    StreamEntry& stream = column.streams.emplace_back();
    stream.type = type_of_width(role, kind, has_width(role, kind) ? widths & 3 : 0);
    stream.count = rows;
    if (has_width(role, kind)) widths >>= 2;
  }
  if (widths != 0) return malformed("unknown widths of words");
  for (std::size_t i = 0; i < roles.size(); ++i) {
    if (has_word_per_row(roles[i], i, kind)) continue;
    const std::uint64_t count = in.get_varint();
    if (count > max_compact_words_bytes) return malformed("a compact frame has more words than it may have");
    column.streams[i].count = static_cast<std::uint32_t>(count);
  }
  if ((front & flag_base) != 0) {
    const std::uint64_t index = in.get_varint();
    const auto multiplier = static_cast<std::int32_t>(in.get_signed<std::uint32_t>());
    const std::uint64_t divisor = in.get_varint();
    if (index >= max_compact_columns || divisor == 0 || divisor >> 31 != 0)
      return malformed("a base column that makes no sense");
    column.base = container::BaseColumn{static_cast<std::uint32_t>(index), multiplier,
                                        static_cast<std::int32_t>(divisor)};
  }
  return column;
}

/// The types of columns that no schema gave follow from their cells.
Column inferred_column(const ColumnEntry& column) {
  return {{}, rows::inferred_type(column), column.format.decimals};
}
bool are_types_inferred(const CompactTable& table) {
  return std::equal(table.segment.columns.begin(), table.segment.columns.end(),
                    table.header.table.schema.begin(), [](const ColumnEntry& entry, const Column& column) {
                      const Column inferred = inferred_column(entry);
                      return inferred.type == column.type && inferred.decimals == column.decimals;
                    });
}

bool get_types(core::ByteReader& in, bool are_listed, CompactTable& table) {
  for (const ColumnEntry& entry : table.segment.columns) {
    Column column = inferred_column(entry);
    if (are_listed) {
      column.type = static_cast<DType>(in.get_byte());
      column.decimals = in.get_byte();
    }
    table.header.table.schema.push_back(std::move(column));
  }
  return !in.failed();
}

}  // namespace

std::vector<std::string_view> names_in_prefix(const container::Header& header, std::size_t columns) {
  std::string_view text(reinterpret_cast<const char*>(header.prefix.data()), header.prefix.size());
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  text.remove_prefix(text.rfind('\n') + 1);  // npos + 1 is 0
  std::vector<std::string_view> cells;
  for (std::size_t end = 0; end != std::string_view::npos;
       text.remove_prefix(std::min(end, text.size() - 1) + 1)) {
    end = text.find(header.table.separator);
    std::string_view cell = text.substr(0, end);
    if (cell.size() >= 2 && cell.starts_with('"') && cell.ends_with('"'))
      cell = cell.substr(1, cell.size() - 2);
    cells.push_back(cell);
    if (end == std::string_view::npos) break;
  }
  if (cells.size() != columns) cells.clear();
  return cells;
}

std::vector<CompactStream> compact_order(const container::SegmentHeader& segment) {
  std::vector<CompactStream> streams;
  const auto add = [&](const StreamEntry& entry, Role role) {
    streams.push_back({streams.size(), role, entry.type, entry.count});
  };
  constexpr std::array<Role, 3> malformed{Role::codes, Role::lengths, Role::bytes};
  for (std::size_t i = 0; i < segment.malformed.size(); ++i) add(segment.malformed[i], malformed[i]);
  for (const ColumnEntry& column : segment.columns) {
    const std::vector<Role> roles = roles_of(column.format);
    for (std::size_t i = 0; i < roles.size(); ++i) add(column.streams[i], roles[i]);
  }
  std::stable_sort(streams.begin(), streams.end(), [](const CompactStream& a, const CompactStream& b) {
    return std::pair(a.type, a.role) < std::pair(b.type, b.role);
  });
  return streams;
}

bool can_be_compact(const CompactTable& table) {
  std::uint64_t words_bytes = 0;
  table.segment.for_each_stream([&](const StreamEntry& stream) { words_bytes += stream.words_bytes(); });
  return table.header.table.source == TableSource::csv && table.header.checksums &&
         table.header.max_segment_length == container::max_segment_rows &&
         table.segment.columns.size() <= max_compact_columns &&
         words_bytes + table.header.prefix.size() < max_compact_words_bytes / 2;
}

void put_description(core::ByteWriter& out, const CompactTable& table) {
  const container::TableDescription& description = table.header.table;
  const container::SegmentHeader& segment = table.segment;
  const bool lists_types = !are_types_inferred(table);
  out.put_byte(static_cast<std::uint8_t>(
      (description.crlf ? flag_crlf : 0) | (description.keeps_text ? flag_keeps_text : 0) |
      (segment.lacks_last_line_end ? flag_lacks_last_line_end : 0) |
      (segment.malformed.empty() ? 0 : flag_malformed) | (lists_types ? flag_types : 0)));
  out.put_byte(static_cast<std::uint8_t>(description.separator));
  out.put_varint(segment.count);
  out.put_varint(segment.columns.size());
  if (!segment.malformed.empty()) {
    out.put_varint(segment.malformed[0].count);
    out.put_varint(segment.malformed[2].count);
  }
  for (std::size_t i = 0; i < segment.columns.size(); ++i)
    put_column(out, segment.columns[i], table.has_quotes[i]);
  for (std::size_t i = 0; lists_types && i < description.schema.size(); ++i) {
    out.put_byte(static_cast<std::uint8_t>(description.schema[i].type));
    out.put_byte(description.schema[i].decimals);
  }
  put_text(out, {reinterpret_cast<const char*>(table.header.prefix.data()), table.header.prefix.size()});
  put_names(out, table.header);
}

Result<CompactTable> get_description(core::ByteReader& in, std::uint64_t memory_limit_bytes) {
  CompactTable table;
  container::TableDescription& description = table.header.table;
  table.header.content = Content::table;
  table.header.max_segment_length = container::max_segment_rows;
  table.header.dtype = DType{0};
  const std::uint8_t flags = in.get_byte();
  if (flags > known_flags) return malformed("unknown flags of a compact frame");
  description.crlf = (flags & flag_crlf) != 0;
  description.keeps_text = (flags & flag_keeps_text) != 0;
  description.separator = static_cast<char>(in.get_byte());
  const std::uint64_t rows = in.get_varint(), columns = in.get_varint();
  if (in.failed() || rows > container::max_segment_rows || columns == 0 || columns > max_compact_columns)
    return malformed("a compact frame of an impossible table");
  if (columns * memory_of_compact_column > memory_limit_bytes)
    return Status{ErrorCode::out_of_memory, 0, "a compact frame takes more than memory_limit_bytes"};
  table.segment.count = static_cast<std::uint32_t>(rows);
  table.segment.lacks_last_line_end = (flags & flag_lacks_last_line_end) != 0;
  if ((flags & flag_malformed) != 0) {
    const std::uint64_t lines = in.get_varint(), bytes = in.get_varint();
    if (std::max(lines, bytes) > max_compact_words_bytes)
      return malformed("a compact frame has more words than it may have");
    for (const auto& [type, count] : {std::pair{DType::u32, lines}, {DType::u32, lines}, {DType::u8, bytes}})
      table.segment.malformed.push_back({type, static_cast<std::uint32_t>(count), 0, 0});
  }
  for (std::uint64_t i = 0; i < columns; ++i) {
    const bool is_quoted = in.remaining() > 0 && (in.rest()[0] & flag_quoted) != 0;
    Result<ColumnEntry> column = get_column(in, table.segment.count);
    if (!column) return column.status();
    table.has_quotes.push_back(is_quoted && has_texts(column->format.kind));
    table.segment.columns.push_back(std::move(*column));
  }
  if (!get_types(in, (flags & flag_types) != 0, table))
    return malformed("the types of a compact frame are cut short");
  const auto prefix = in.get_bytes(in.get_varint());
  table.header.prefix.assign(prefix.begin(), prefix.end());
  if (!get_names(in, table.header)) return malformed("the names of a compact frame make no sense");
  return table;
}

}  // namespace floe::pipeline
