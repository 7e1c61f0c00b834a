#include "container/parts.hpp"

#include <algorithm>
#include <cassert>
#include <string_view>

#include "container/fields.hpp"

namespace floe::container {
namespace {

constexpr std::uint8_t flag_crlf = 1, flag_keeps_text = 2, known_flags = 3;
constexpr std::uint8_t max_column_decimals = 40;

std::size_t inner_dimensions(std::uint32_t rank) { return rank == 0 ? 0 : rank - 1; }

Status corrupt(std::uint64_t offset, const char* detail) {
  return {ErrorCode::corrupt_frame, offset, detail};
}
/// For what no damage explains, as the CRC matched: a later version wrote it.
Status unsupported(std::uint64_t offset, const char* detail) {
  return {ErrorCode::unsupported_version, offset, detail};
}

std::vector<std::uint8_t> write_table(const TableDescription& table) {
  core::ByteWriter out;
  out.reserve(256);
  out.put_byte(static_cast<std::uint8_t>(table.source));
  out.put_byte(
      static_cast<std::uint8_t>((table.crlf ? flag_crlf : 0) | (table.keeps_text ? flag_keeps_text : 0)));
  out.put_byte(static_cast<std::uint8_t>(table.separator));
  out.put_byte(0);
  out.put_word(table.padding_bytes);
  out.put_word(static_cast<std::uint32_t>(table.schema.size()));
  for (const Column& column : table.schema) {
    out.put_byte(static_cast<std::uint8_t>(column.type));
    out.put_byte(column.decimals);
    out.put_word(std::uint16_t{0});
    out.put_word(static_cast<std::uint32_t>(column.name.size()));
    out.put_bytes({reinterpret_cast<const std::uint8_t*>(column.name.data()), column.name.size()});
  }
  return out.release();
}

/// The columns of a table, which fill the rest of the field `in`. It begins at `frame_offset`.
Status read_columns(core::ByteReader& in, std::uint64_t frame_offset, std::uint32_t count,
                    TableDescription& table) {
  const bool is_csv = table.source == TableSource::csv;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t offset = frame_offset + in.position();
    Column column;
    column.type = static_cast<DType>(in.get_byte());
    column.decimals = in.get_byte();
    const auto zero = in.get_word<std::uint16_t>();
    const auto name_bytes = in.get_word<std::uint32_t>();
    if (in.failed()) break;
    if (column.type != DType::text && size_of(column.type) == 0)
      return unsupported(offset, "a column has a type that this version does not know");
    const bool is_narrow_float = column.type == DType::f16 || column.type == DType::bf16;
    if (column.decimals > max_column_decimals || zero != 0 || name_bytes > max_name_bytes ||
        (is_csv ? is_narrow_float : column.type == DType::text))
      return corrupt(offset, "a column in the header makes no sense");
    const auto name = in.get_bytes(name_bytes);
    column.name.assign(name.begin(), name.end());
    table.schema.push_back(std::move(column));
  }
  if (in.failed() || in.remaining() != 0)
    return corrupt(frame_offset, "the description of a table has another length than its columns");
  return {};
}

Status read_table(const Field& field, TableDescription& table) {
  const std::uint64_t offset = field.frame_offset + field_header_bytes;
  core::ByteReader in(field.bytes);
  const std::uint8_t source = in.get_byte(), flags = in.get_byte();
  table.separator = static_cast<char>(in.get_byte());
  const std::uint8_t reserved = in.get_byte();
  table.padding_bytes = in.get_word<std::uint32_t>();
  const auto column_count = in.get_word<std::uint32_t>();
  if (source > static_cast<std::uint8_t>(TableSource::columns))
    return unsupported(offset, "a source of rows that this version does not know");
  table.source = static_cast<TableSource>(source);
  const bool is_csv = table.source == TableSource::csv;
  table.crlf = (flags & flag_crlf) != 0;
  table.keeps_text = (flags & flag_keeps_text) != 0;
  const bool separates = std::string_view("\0\r\n\"", 4).find(table.separator) == std::string_view::npos;
  if (flags > known_flags || (!is_csv && (flags != 0 || table.separator != '\0')) || separates != is_csv ||
      reserved != 0)
    return corrupt(offset, "the description of a table makes no sense");
  if (column_count == 0 || column_count > max_columns || table.padding_bytes > max_padding_bytes ||
      (table.source != TableSource::records && table.padding_bytes != 0)) {
    return corrupt(offset + 4, "sizes in the header make no sense");
  }
  return read_columns(in, offset, column_count, table);
}

/// Keeps a field of the header; false for an unknown one.
Result<bool> keep_field(Header& header, const Field& field) {
  if (field.tag == prefix_tag) {
    if (field.bytes.size() > max_prefix_bytes) return corrupt(field.frame_offset, "the prefix is too long");
    header.prefix.assign(field.bytes.begin(), field.bytes.end());
    return true;
  }
  if (field.tag != table_tag || header.content != Content::table) return false;
  if (const Status status = read_table(field, header.table); !status.ok()) return status;
  return true;
}

}  // namespace

std::uint32_t crc_of_part(std::span<const std::uint8_t> part) noexcept {
  return core::load<std::uint32_t>(part.data() + part.size() - 4);
}

std::uint64_t array_header_bytes(const Header& header) noexcept {
  const std::uint64_t extent = inner_dimensions(header.rank) * sizeof(std::uint64_t),
                      prefix = header.prefix.empty() ? 0 : field_bytes(header.prefix.size());
  return std::max<std::uint64_t>(padded(fixed_header_bytes + extent + prefix + sizeof(std::uint32_t)),
                                 min_header_bytes);
}

std::vector<std::uint8_t> write_header(const Header& header) {
  const bool is_table = header.content == Content::table;
  core::ByteWriter out;
  out.reserve(256);
  out.put_word(header_magic);
  out.put_byte(version);
  out.put_byte(static_cast<std::uint8_t>(header.content));
  out.put_byte(is_table ? std::uint8_t{0} : static_cast<std::uint8_t>(header.dtype));
  out.put_byte(is_table ? std::uint8_t{1} : static_cast<std::uint8_t>(header.rank));
  out.put_word(header.checksums ? feature_checksums : std::uint32_t{0});
  out.put_word(std::uint32_t{0});  // optional features
  out.put_word(static_cast<std::uint32_t>(header.max_segment_length));
  const std::size_t length_at = out.size();
  out.put_word(std::uint32_t{0});
  for (std::size_t i = 0; !is_table && i < inner_dimensions(header.rank); ++i)
    out.put_word(header.inner_extent[i]);
  write_field(out, prefix_tag, header.prefix);
  if (is_table) write_field(out, table_tag, write_table(header.table));
  return sealed(std::move(out), length_at);
}

Result<std::size_t> header_length(std::span<const std::uint8_t> first_bytes) {
  assert(first_bytes.size() >= fixed_header_bytes);
  if (core::load<std::uint32_t>(first_bytes.data()) != header_magic)
    return corrupt(0, "this is no floe frame: it does not begin with FLOE");
  if (first_bytes[header_at::version] != version)
    return unsupported(header_at::version, "the frame has a format version that this program does not know");
  const std::size_t length = core::load<std::uint32_t>(first_bytes.data() + header_at::header_bytes);
  if (length < min_header_bytes || length > max_header_bytes || length % alignment != 0)
    return corrupt(header_at::header_bytes, "the header's length is impossible");
  return length;
}

Result<Header> parse_header(std::span<const std::uint8_t> bytes) {
  const Result<std::size_t> length = header_length(bytes);
  if (!length) return length.status();
  // Files may change after their header's length was read.
  if (bytes.size() != *length)
    return corrupt(header_at::header_bytes, "the header has another length than it says");
  const std::size_t end = *length - 4;
  if (!is_sealed(bytes)) return corrupt(end, "the header's checksum does not match");

  core::ByteReader in(bytes.first(end));
  Header header;
  in.get_bytes(header_at::content);
  const std::uint8_t content = in.get_byte();
  header.dtype = static_cast<DType>(in.get_byte());
  header.rank = in.get_byte();
  const auto required = in.get_word<std::uint32_t>();
  in.get_word<std::uint32_t>();  // optional features: none is known, all are ignored
  header.checksums = (required & feature_checksums) != 0;
  header.max_segment_length = in.get_word<std::uint32_t>();
  in.get_word<std::uint32_t>();  // the header's length, which is checked
  if ((required & ~known_required_features) != 0)
    return unsupported(header_at::required_features,
                       "the frame needs a feature that this version does not know");
  if (content > static_cast<std::uint8_t>(Content::table))
    return unsupported(header_at::content, "the frame holds what this version does not know");
  header.content = static_cast<Content>(content);
  const bool is_table = header.content == Content::table;
  if (is_table && header.dtype != DType{0}) return corrupt(header_at::dtype, "a table with an element type");
  if (!is_table && !is_element_type(header.dtype))
    return unsupported(header_at::dtype, "the frame has an element type that this version does not know");
  if (is_table ? header.rank != 1 : header.rank > max_rank)
    return corrupt(header_at::rank, "the number of dimensions is impossible");
  const std::uint64_t max_length = is_table ? max_segment_rows : max_segment_bytes / size_of(header.dtype);
  if (header.max_segment_length == 0 || header.max_segment_length > max_length)
    return corrupt(header_at::segment_length, "the length of segments is impossible");
  for (std::size_t i = 0; i < inner_dimensions(header.rank); ++i)
    header.inner_extent[i] = in.get_word<std::uint64_t>();
  if (in.failed()) return corrupt(header_at::rank, "the header is too short for its rank");
  const std::size_t fields = in.position();
  const auto used = read_fields(bytes.first(end).subspan(fields), fields,
                                [&](const Field& field) { return keep_field(header, field); });
  if (!used) return used.status();
  if (std::max<std::uint64_t>(padded(fields + *used + 4), min_header_bytes) != *length)
    return corrupt(header_at::header_bytes, "the header is longer than its fields");
  if (is_table && header.table.schema.empty())
    return corrupt(fields, "the header says nothing of the columns");
  if (is_table && header.table.source != TableSource::csv && !header.prefix.empty())
    return corrupt(fields, "text before binary rows");
  return header;
}

}  // namespace floe::container
