#include "container/table_parts.hpp"

#include <algorithm>

#include "core/bits.hpp"
#include "core/checked_math.hpp"
#include "core/byte_io.hpp"
#include "core/crc32c.hpp"

namespace floe::tables {
namespace {

using format::FieldReader;
using format::FieldWriter;

constexpr std::uint8_t format_version = 1;
constexpr std::size_t column_entry_bytes = writing_bytes + 24, stream_entry_bytes = 24;
constexpr std::uint8_t flag_crlf = 1, flag_keeps_text = 2;
constexpr std::uint32_t flag_lacks_last_line_end = 1, flag_strays = 2, flag_padding = 4;
constexpr std::size_t stray_streams = 3;

constexpr Status corrupt(const char* detail) { return {ErrorCode::corrupt_frame, 0, detail}; }

void seal(FieldWriter& out, std::span<const std::uint8_t> part) { out.put(format::crc32c(part.first(part.size() - 4))); }

bool is_sealed(std::span<const std::uint8_t> part) {
  return part.size() >= 4 && format::crc32c(part.first(part.size() - 4)) == core::load<std::uint32_t>(part.data() + part.size() - 4);
}

bool is_stream_type(std::uint8_t number) { return is_element_type(static_cast<DType>(number)); }

void put_stream(FieldWriter& out, const StreamEntry& stream) {
  out.put(static_cast<std::uint8_t>(stream.type));
  out.zero_until(out.position() + 3);
  out.put(stream.checksum);
  out.put(stream.count);
  out.put(stream.stored_bytes);
}

Status get_streams(FieldReader& in, std::size_t count, std::vector<StreamEntry>& streams) {
  for (std::size_t i = 0; i < count; ++i) {
    StreamEntry stream;
    const auto type = in.get<std::uint8_t>();
    const bool zeros = in.zeros_until(in.position() + 3);
    stream.type = static_cast<DType>(type);
    stream.checksum = in.get<std::uint32_t>();
    stream.count = in.get<std::uint64_t>();
    stream.stored_bytes = in.get<std::uint64_t>();
    if (in.failed() || !zeros || !is_stream_type(type)) return corrupt("an entry of a stream that makes no sense");
    streams.push_back(stream);
  }
  return {};
}

std::uint64_t stored_bytes_of(const std::vector<StreamEntry>& streams) {
  std::uint64_t sum = 0;
  for (const StreamEntry& stream : streams) sum += stream.stored_bytes;
  return sum;
}

/// Streams whose sizes add up beyond 64 bits would lie anywhere.
bool is_sum_exact(const SegmentHead& head, std::uint64_t payload_bytes) {
  std::uint64_t sum = 0;
  const auto add = [&sum](const std::vector<StreamEntry>& streams) {
    return std::all_of(streams.begin(), streams.end(), [&sum](const StreamEntry& stream) {
      const auto next = core::checked_add(sum, stream.stored_bytes);
      sum = next.value_or(0);
      return next.has_value();
    });
  };
  return add(head.strays) && add(head.padding) &&
         std::all_of(head.columns.begin(), head.columns.end(), [&add](const ColumnEntry& column) { return add(column.streams); }) &&
         sum == payload_bytes;
}

/// Types that the streams of a writing have, as far as it depends on the writing.
bool are_types_right(const ColumnEntry& column, DType type) {
  const auto is_unsigned = [](DType t) { return t == DType::u8 || t == DType::u16 || t == DType::u32; };
  const auto& s = column.streams;
  const Writing& w = column.writing;
  if (w.has_marks) {
    const std::size_t first = s.size() - 3;
    if (s[first].type != DType::u8 || !is_unsigned(s[first + 1].type) || s[first + 2].type != DType::u8) return false;
  }
  switch (w.kind) {
    case WritingKind::native:
      return type != DType::text && s[0].type == word_type(type);
    case WritingKind::decimal:
    case WritingKind::time:
      return is_signed(s[0].type);
    case WritingKind::free_decimal:
      return is_signed(s[0].type) && s[1].type == DType::u8;
    case WritingKind::f32:
      return s[0].type == DType::f32;
    case WritingKind::f64:
      return s[0].type == DType::f64;
    case WritingKind::words:
      return is_unsigned(s[0].type) && s[1].type == DType::u8 && is_unsigned(s[2].type);
    case WritingKind::text:
      return is_unsigned(s[0].type) && s[1].type == DType::u8;
  }
  return false;
}

/// Streams with a word for every row have no other number of words.
bool are_counts_right(const ColumnEntry& column, std::uint32_t rows) {
  const auto& s = column.streams;
  const Writing& w = column.writing;
  if (w.has_marks && s[s.size() - 3].count != rows) return false;
  if (w.has_marks && s[s.size() - 2].count > std::uint64_t{rows} + last_literal_mark) return false;
  if (w.kind == WritingKind::words) return s[0].count <= rows && s[2].count == rows;
  return s[0].count == rows && (w.kind != WritingKind::free_decimal || s[1].count == rows);
}

constexpr Status no_end{ErrorCode::truncated_frame, 0, "the table has no end"};

}  // namespace

std::uint32_t checksum_of(std::span<const std::uint8_t> part) { return core::load<std::uint32_t>(part.data() + part.size() - 4); }

std::vector<std::uint8_t> write_header(const TableHeader& header) {
  std::size_t bytes = fixed_header_bytes + header.preamble.size() + 4;
  for (const Column& column : header.schema) bytes += 8 + column.name.size();
  std::vector<std::uint8_t> part(core::align_up(bytes, 16));
  FieldWriter out(part);
  out.put(header_magic);
  out.put(format_version);
  out.put(static_cast<std::uint8_t>(header.source));
  out.put(static_cast<std::uint8_t>((header.dialect.crlf ? flag_crlf : 0) | (header.keeps_text ? flag_keeps_text : 0)));
  out.put(static_cast<std::uint8_t>(header.dialect.separator));
  out.put(static_cast<std::uint32_t>(part.size()));
  out.put(std::uint32_t{0});  // required features
  out.put(static_cast<std::uint32_t>(header.schema.size()));
  out.put(header.padding_bytes);
  out.put(static_cast<std::uint32_t>(header.preamble.size()));
  out.zero_until(fixed_header_bytes);
  for (const Column& column : header.schema) {
    out.put(static_cast<std::uint8_t>(column.type));
    out.put(column.decimals);
    out.put(std::uint16_t{0});
    out.put(static_cast<std::uint32_t>(column.name.size()));
    out.put_bytes({reinterpret_cast<const std::uint8_t*>(column.name.data()), column.name.size()});
  }
  out.put_bytes({reinterpret_cast<const std::uint8_t*>(header.preamble.data()), header.preamble.size()});
  out.zero_until(part.size() - 4);
  seal(out, part);
  return part;
}

Result<std::uint32_t> header_length(std::span<const std::uint8_t> begin) {
  FieldReader in(begin);
  if (in.get<std::uint32_t>() != header_magic) return corrupt("this is no table");
  if (in.get<std::uint8_t>() != format_version) return Status{ErrorCode::unsupported_version, 0, "a table of another format version"};
  (void)in.get_bytes(3);
  const auto length = in.get<std::uint32_t>();
  if (in.failed() || length < fixed_header_bytes || length % 16 != 0 || length > most_header_bytes)
    return corrupt("the length of the header makes no sense");
  return length;
}

Result<TableHeader> read_header(std::span<const std::uint8_t> bytes) {
  if (!is_sealed(bytes)) return corrupt("the header's checksum does not match");
  TableHeader header;
  FieldReader in(bytes.first(bytes.size() - 4));
  (void)in.get_bytes(5);
  const auto source = in.get<std::uint8_t>();
  const auto flags = in.get<std::uint8_t>();
  header.dialect.separator = static_cast<char>(in.get<std::uint8_t>());
  (void)in.get<std::uint32_t>();  // header_length() has looked at it
  if (in.get<std::uint32_t>() != 0) return Status{ErrorCode::unsupported_version, 12, "the table needs a feature that is unknown"};
  const auto column_count = in.get<std::uint32_t>();
  header.padding_bytes = in.get<std::uint32_t>();
  const auto preamble_bytes = in.get<std::uint32_t>();
  if (source > static_cast<std::uint8_t>(TableSource::columns)) return corrupt("a source of rows that is unknown");
  header.source = static_cast<TableSource>(source);
  const bool is_csv = header.source == TableSource::csv;
  header.dialect.crlf = (flags & flag_crlf) != 0;
  header.keeps_text = (flags & flag_keeps_text) != 0;
  const bool separates = header.dialect.separator != '\0' && header.dialect.separator != '\n' && header.dialect.separator != '"';
  if (flags > 3 || (!is_csv && flags != 0) || separates != is_csv || !in.zeros_until(fixed_header_bytes))
    return corrupt("the header makes no sense");
  if (column_count == 0 || column_count > most_columns || preamble_bytes > most_preamble_bytes || (!is_csv && preamble_bytes != 0) ||
      header.padding_bytes > most_preamble_bytes || (header.source != TableSource::records && header.padding_bytes != 0)) {
    return corrupt("sizes in the header make no sense");
  }
  for (std::uint32_t i = 0; i < column_count && !in.failed(); ++i) {
    Column column;
    const auto type = in.get<std::uint8_t>();
    column.decimals = in.get<std::uint8_t>();
    const auto reserved = in.get<std::uint16_t>();
    const auto name_bytes = in.get<std::uint32_t>();
    if (type == 0 || type > static_cast<std::uint8_t>(DType::text) || column.decimals > most_float_digits || reserved != 0 ||
        name_bytes > most_name_bytes)
      return corrupt("a column in the header makes no sense");
    column.type = static_cast<DType>(type);
    if (!is_csv && column.type == DType::text) return corrupt("a column of texts among binary ones");
    const auto name = in.get_bytes(name_bytes);
    column.name.assign(name.begin(), name.end());
    header.schema.push_back(std::move(column));
  }
  const auto preamble = in.get_bytes(preamble_bytes);
  header.preamble.assign(preamble.begin(), preamble.end());
  if (in.failed() || in.remaining() >= 16 || !in.zeros_until(bytes.size() - 4))
    return corrupt("the header has another length than its fields");
  return header;
}

std::uint64_t SegmentHead::payload_bytes() const noexcept {
  std::uint64_t sum = stored_bytes_of(strays) + stored_bytes_of(padding);
  for (const ColumnEntry& column : columns) sum += stored_bytes_of(column.streams);
  return sum;
}

std::vector<std::uint8_t> write_segment_head(const SegmentHead& head, std::uint32_t header_checksum) {
  std::size_t stream_entries = head.strays.size() + head.padding.size();
  for (const ColumnEntry& column : head.columns) stream_entries += column.streams.size();
  const std::size_t bytes = fixed_segment_head_bytes + head.columns.size() * column_entry_bytes + stream_entries * stream_entry_bytes + 4;
  std::vector<std::uint8_t> part(core::align_up(bytes, 16));
  FieldWriter out(part);
  out.put(segment_magic);
  out.put(static_cast<std::uint32_t>(part.size()));
  out.put(head.index);
  out.put(head.first_row);
  out.put(head.payload_bytes());
  out.put(head.row_count);
  out.put((head.lacks_last_line_end ? flag_lacks_last_line_end : 0) | (head.strays.empty() ? 0 : flag_strays) |
          (head.padding.empty() ? 0 : flag_padding));
  out.put(static_cast<std::uint32_t>(head.columns.size()));
  out.put(header_checksum);
  out.zero_until(fixed_segment_head_bytes);
  for (const StreamEntry& stream : head.strays) put_stream(out, stream);
  for (const StreamEntry& stream : head.padding) put_stream(out, stream);
  for (const ColumnEntry& column : head.columns) {
    put_writing(out, column.writing);
    out.put(static_cast<std::uint8_t>(column.range.kind));
    out.zero_until(out.position() + 7);
    out.put(column.range.min);
    out.put(column.range.max);
    for (const StreamEntry& stream : column.streams) put_stream(out, stream);
  }
  out.zero_until(part.size() - 4);
  seal(out, part);
  return part;
}

Result<std::uint32_t> segment_head_length(std::span<const std::uint8_t> begin) {
  FieldReader in(begin);
  if (in.get<std::uint32_t>() != segment_magic) return corrupt("no segment where one must begin");
  const auto length = in.get<std::uint32_t>();
  if (in.failed() || length < fixed_segment_head_bytes || length % 16 != 0 || length > most_segment_head_bytes)
    return corrupt("the length of a segment's head makes no sense");
  return length;
}

Result<SegmentHead> read_segment_head(std::span<const std::uint8_t> bytes, const TableHeader& header, std::uint32_t header_checksum) {
  if (!is_sealed(bytes)) return corrupt("the checksum of a segment's head does not match");
  SegmentHead head;
  FieldReader in(bytes.first(bytes.size() - 4));
  (void)in.get_bytes(8);
  head.index = in.get<std::uint64_t>();
  head.first_row = in.get<std::uint64_t>();
  const auto payload_bytes = in.get<std::uint64_t>();
  head.row_count = in.get<std::uint32_t>();
  const auto flags = in.get<std::uint32_t>();
  const auto column_count = in.get<std::uint32_t>();
  if (in.get<std::uint32_t>() != header_checksum) return corrupt("a segment of another table");
  const bool is_csv = header.source == TableSource::csv;
  if (!in.zeros_until(fixed_segment_head_bytes) || flags > 7 || head.row_count > most_segment_rows ||
      column_count != header.schema.size() || ((flags & flag_padding) != 0 && header.padding_bytes == 0) ||
      ((flags & flag_lacks_last_line_end) != 0 && (!is_csv || head.row_count == 0))) {
    return corrupt("a segment's head makes no sense");
  }
  head.lacks_last_line_end = (flags & flag_lacks_last_line_end) != 0;
  Status status;
  if ((flags & flag_strays) != 0) status = get_streams(in, stray_streams, head.strays);
  if (status.ok() && (flags & flag_padding) != 0) status = get_streams(in, 1, head.padding);
  for (std::uint32_t i = 0; i < column_count && status.ok(); ++i) {
    ColumnEntry column;
    const Result<Writing> writing = get_writing(in);
    if (!writing) return writing.status();
    column.writing = *writing;
    if ((column.writing.kind == WritingKind::native) == is_csv)
      return corrupt("a way of writing that does not go with the source of the rows");
    const auto kind = in.get<std::uint8_t>();
    const bool zeros = in.zeros_until(in.position() + 7);
    column.range = {static_cast<RangeKind>(kind), in.get<std::uint64_t>(), in.get<std::uint64_t>()};
    if (!zeros || kind > static_cast<std::uint8_t>(RangeKind::floating)) return corrupt("a range that makes no sense");
    status = get_streams(in, stream_count(column.writing), column.streams);
    if (status.ok() && !are_types_right(column, header.schema[i].type))
      return corrupt("a stream of a type that does not go with its column");
    if (status.ok() && !are_counts_right(column, head.row_count)) return corrupt("a stream of a length that does not go with its segment");
    head.columns.push_back(std::move(column));
  }
  if (!status.ok()) return status;
  if (in.failed() || in.remaining() >= 16 || !in.zeros_until(bytes.size() - 4))
    return corrupt("a segment's head has another length than its fields");
  if (!head.strays.empty() && (head.strays[0].type != DType::u32 || head.strays[1].type != DType::u32 ||
                               head.strays[2].type != DType::u8 || head.strays[0].count != head.strays[1].count)) {
    return corrupt("the lines that are no rows make no sense");
  }
  if (!head.padding.empty() &&
      (head.padding[0].type != DType::u8 || head.padding[0].count != std::uint64_t{head.row_count} * header.padding_bytes)) {
    return corrupt("the padding makes no sense");
  }
  if (!is_sum_exact(head, payload_bytes)) return corrupt("a segment has another length than its streams");
  return head;
}

std::vector<std::uint8_t> write_footer(const TableFooter& footer, std::uint32_t header_checksum) {
  std::vector<std::uint8_t> part(fixed_footer_bytes + 16 * footer.segments.size());
  FieldWriter out(part);
  out.put(footer_magic);
  out.put(header_checksum);
  out.put(footer.row_count);
  out.put(static_cast<std::uint64_t>(footer.segments.size()));
  out.put(std::uint64_t{0});
  for (const SegmentPlace& place : footer.segments) {
    out.put(place.offset);
    out.put(place.first_row);
  }
  out.put(static_cast<std::uint64_t>(part.size()));
  out.put(end_magic);
  seal(out, part);
  return part;
}

Result<std::uint64_t> footer_length(std::span<const std::uint8_t> end) {
  if (end.size() < 16) return corrupt("the table ends too early");
  FieldReader in(end.last(16));
  const auto length = in.get<std::uint64_t>();
  if (in.get<std::uint32_t>() != end_magic) return no_end;
  if (length < fixed_footer_bytes || length % 16 != 0) return corrupt("the length of the footer makes no sense");
  return length;
}

Result<TableFooter> read_footer(std::span<const std::uint8_t> bytes, std::uint32_t header_checksum) {
  if (bytes.size() < fixed_footer_bytes || !is_sealed(bytes)) return corrupt("the footer's checksum does not match");
  TableFooter footer;
  FieldReader in(bytes);
  if (in.get<std::uint32_t>() != footer_magic) return corrupt("no footer where one must begin");
  if (in.get<std::uint32_t>() != header_checksum) return corrupt("the footer of another table");
  footer.row_count = in.get<std::uint64_t>();
  const auto count = in.get<std::uint64_t>();
  if (in.get<std::uint64_t>() != 0 || count != (bytes.size() - fixed_footer_bytes) / 16) return corrupt("the footer makes no sense");
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto offset = in.get<std::uint64_t>();
    footer.segments.push_back({offset, in.get<std::uint64_t>()});
    const bool ascends = i == 0
                             ? footer.segments[0].first_row == 0
                             : offset > footer.segments[i - 1].offset && footer.segments[i].first_row >= footer.segments[i - 1].first_row;
    if (!ascends || footer.segments[i].first_row > footer.row_count) return corrupt("the places of the segments make no sense");
  }
  if (in.get<std::uint64_t>() != bytes.size()) return corrupt("the footer has another length than it says");
  if (in.get<std::uint32_t>() != end_magic) return no_end;
  return footer;
}

}  // namespace floe::tables
