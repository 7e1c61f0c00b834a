#include "container/parts.hpp"

#include <algorithm>

#include "container/fields.hpp"
#include "core/type.hpp"

namespace floe::container {
namespace {

constexpr std::uint32_t flag_lacks_last_line_end = 1, flag_malformed = 2, flag_padding = 4,
                        known_segment_flags = 7;
constexpr std::size_t malformed_streams = 3;

void put_stream(core::ByteWriter& out, const StreamEntry& stream) {
  std::uint8_t* const entry = out.extend(stream_entry_bytes);
  entry[0] = static_cast<std::uint8_t>(stream.type);
  core::store(entry + stream_at::count, stream.count);
  core::store(entry + stream_at::stored_bytes, stream.stored_bytes);
  core::store(entry + stream_at::digest, stream.digest);
}

/// Appends `count` entries of streams to `streams`.
Status get_streams(core::ByteReader& in, std::uint64_t frame_offset, std::size_t count,
                   std::vector<StreamEntry>& streams) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t offset = frame_offset + in.position();
    StreamEntry stream;
    stream.type = static_cast<DType>(in.get_byte());
    in.zeros_until(in.position() + 3);
    stream.count = in.get_word<std::uint32_t>();
    stream.stored_bytes = in.get_word<std::uint64_t>();
    stream.digest = in.get_word<std::uint64_t>();
    if (in.failed()) return {ErrorCode::corrupt_frame, offset, "an entry of a stream makes no sense"};
    // No damage explains it, as the CRC matched: a later version wrote it.
    if (!is_element_type(stream.type))
      return {ErrorCode::unsupported_version, offset, "a stream has a type that this version does not know"};
    if ((stream.count == 0) != (stream.stored_bytes == 0))
      return {ErrorCode::corrupt_frame, offset, "a stream has words without bytes, or bytes without words"};
    streams.push_back(stream);
  }
  return {};
}

bool is_unsigned(DType type) { return type == DType::u8 || type == DType::u16 || type == DType::u32; }

/// Types that the streams of a cell format have, as far as it depends on the format.
bool are_types_right(const ColumnEntry& column, DType type) {
  const auto& s = column.streams;
  if (column.format.has_exceptions) {
    const std::size_t first = s.size() - 3;
    if (s[first].type != DType::u8 || !is_unsigned(s[first + 1].type) || s[first + 2].type != DType::u8)
      return false;
  }
  switch (column.format.kind) {
    case CellKind::native:
      return type != DType::text && s[0].type == word_type(type);
    case CellKind::decimal:
    case CellKind::time:
      return is_signed(s[0].type);
    case CellKind::free_decimal:
      return is_signed(s[0].type) && s[1].type == DType::u8;
    case CellKind::f32:
      return s[0].type == DType::f32;
    case CellKind::f64:
      return s[0].type == DType::f64;
    case CellKind::words:
      return is_unsigned(s[0].type) && s[1].type == DType::u8 && is_unsigned(s[2].type);
    case CellKind::text:
      return is_unsigned(s[0].type) && s[1].type == DType::u8;
  }
  return false;
}

/// Streams with a word for every row have no other number of words.
bool are_counts_right(const ColumnEntry& column, std::uint32_t rows) {
  const auto& s = column.streams;
  const CellFormat& format = column.format;
  if (format.has_exceptions && s[s.size() - 3].count != rows) return false;
  if (format.has_exceptions && s[s.size() - 2].count > std::uint64_t{rows} + max_listed_exceptions)
    return false;
  if (format.kind == CellKind::words) return s[0].count <= rows && s[2].count == rows;
  return s[0].count == rows && (format.kind != CellKind::free_decimal || s[1].count == rows);
}

/// Streams whose sizes add up beyond 64 bits would lie anywhere.
bool is_sum_possible(const SegmentHeader& segment) {
  std::uint64_t sum = 0;
  bool is_possible = true;
  segment.for_each_stream([&](const StreamEntry& stream) {
    is_possible = is_possible && stream.stored_bytes <= max_content_bytes - sum;
    sum += is_possible ? padded(stream.stored_bytes) : 0;
    is_possible = is_possible && sum <= max_content_bytes;
  });
  return is_possible;
}

/// What kind of numbers the range of a column is about.
RangeKind range_kind(const ColumnEntry& column) {
  switch (column.format.kind) {
    case CellKind::native:
      return range_kind_of(column.streams[0].type);
    case CellKind::decimal:
    case CellKind::time:
      return RangeKind::integer;
    case CellKind::free_decimal:
    case CellKind::f32:
    case CellKind::f64:
      return RangeKind::floating;
    case CellKind::words:
    case CellKind::text:
      break;
  }
  return RangeKind::none;
}

Result<ColumnEntry> get_column(core::ByteReader& in, std::uint64_t frame_offset) {
  ColumnEntry column;
  if (Status status = get_cell_format(in, column.format); !status.ok()) {
    status.byte_offset += frame_offset;
    return status;
  }
  const std::uint64_t range_offset = frame_offset + in.position();
  column.range.kind = static_cast<RangeKind>(in.get_byte());
  in.zeros_until(in.position() + 2);
  column.range.min = in.get_word<std::uint64_t>();
  column.range.max = in.get_word<std::uint64_t>();
  const Status bad_range{ErrorCode::corrupt_frame, range_offset, "a range of values makes no sense"};
  if (in.failed()) return bad_range;
  if (const Status status = get_streams(in, frame_offset, stream_count(column.format), column.streams);
      !status.ok())
    return status;
  if (!is_valid(column.range, range_kind(column))) return bad_range;
  return column;
}

/// A column's index, its base column, multiplier and divisor.
constexpr std::size_t base_column_bytes = 16;

void put_base_columns(core::ByteWriter& out, const SegmentHeader& segment) {
  core::ByteWriter field;
  for (std::size_t i = 0; i < segment.columns.size(); ++i) {
    const auto& base = segment.columns[i].base;
    if (!base) continue;
    field.put_word(static_cast<std::uint32_t>(i));
    field.put_word(base->index);
    field.put_word(static_cast<std::uint32_t>(base->multiplier));
    field.put_word(static_cast<std::uint32_t>(base->divisor));
  }
  write_field(out, base_columns_tag, field.release());
}

/// The only field that this version knows of a table's segments; no bytes if it is not there.
Result<Field> find_base_columns(std::span<const std::uint8_t> fields, std::uint64_t frame_offset,
                                bool is_table) {
  Field found;
  const Result<std::size_t> used = read_fields(fields, frame_offset, [&](const Field& field) -> Result<bool> {
    const bool is_known = is_table && field.tag == base_columns_tag;
    if (is_known) found = field;
    return is_known;
  });
  if (!used) return used.status();
  if (*used != fields.size())
    return Status{ErrorCode::corrupt_frame, frame_offset + *used,
                  "fields do not fill the area that they are in"};
  return found;
}

/// Columns and their base columns have whole numbers, and no base column has one itself.
bool take_base_columns(const Field& field, SegmentHeader& segment) {
  const auto can_be_there = [&segment](std::uint64_t index) {
    if (index >= segment.columns.size()) return false;
    const ColumnEntry& column = segment.columns[static_cast<std::size_t>(index)];
    return has_whole_numbers(column.format.kind, column.streams[0].type);
  };
  if (field.bytes.size() % base_column_bytes != 0) return false;
  core::ByteReader in(field.bytes);
  for (std::uint64_t min_column = 0; in.remaining() > 0;) {
    const auto column = in.get_word<std::uint32_t>(), index = in.get_word<std::uint32_t>();
    const auto multiplier = static_cast<std::int32_t>(in.get_word<std::uint32_t>());
    const auto divisor = static_cast<std::int32_t>(in.get_word<std::uint32_t>());
    if (column < min_column || !can_be_there(column) || !can_be_there(index) || multiplier == 0 ||
        divisor < 1)
      return false;
    segment.columns[column].base = BaseColumn{index, multiplier, divisor};
    min_column = std::uint64_t{column} + 1;
  }
  return std::none_of(segment.columns.begin(), segment.columns.end(), [&](const ColumnEntry& column) {
    return column.base && segment.columns[column.base->index].base;
  });
}

/// Lines that are no rows, or what follows the last whole record.
bool is_malformed_sound(const SegmentHeader& segment) {
  const auto& streams = segment.malformed;
  return streams[0].type == DType::u32 && streams[1].type == DType::u32 && streams[2].type == DType::u8 &&
         streams[0].count == streams[1].count && streams[0].count > 0;
}

}  // namespace

bool has_whole_numbers(CellKind kind, DType words) noexcept {
  return kind == CellKind::decimal || kind == CellKind::time ||
         (kind == CellKind::native && (is_integer(words) || words == DType::boolean));
}

std::uint64_t SegmentHeader::payload_bytes() const noexcept {
  std::uint64_t sum = 0;
  for_each_stream([&](const StreamEntry& stream) { sum += padded(stream.stored_bytes); });
  return sum;
}

std::vector<std::uint8_t> write_segment_header(const SegmentHeader& segment, std::uint32_t header_crc) {
  std::uint32_t stream_entries = 0;
  segment.for_each_stream([&](const StreamEntry&) { ++stream_entries; });
  core::ByteWriter out;
  out.reserve(fixed_segment_bytes + segment.columns.size() * column_entry_bytes +
              stream_entries * stream_entry_bytes + 20);
  std::uint8_t* const fixed = out.extend(fixed_segment_bytes);
  core::store(fixed, segment_magic);
  core::store(fixed + segment_at::index, segment.index);
  core::store(fixed + segment_at::first, segment.first);
  core::store(fixed + segment_at::count, segment.count);
  core::store(fixed + segment_at::flags, (segment.lacks_last_line_end ? flag_lacks_last_line_end : 0) |
                                             (segment.malformed.empty() ? 0 : flag_malformed) |
                                             (segment.padding.empty() ? 0 : flag_padding));
  core::store(fixed + segment_at::header_crc, header_crc);
  core::store(fixed + segment_at::stream_count, stream_entries);
  core::store(fixed + segment_at::column_count, static_cast<std::uint32_t>(segment.columns.size()));
  put_base_columns(out, segment);
  out.put_word_at(segment_at::fields_bytes, static_cast<std::uint32_t>(out.size() - fixed_segment_bytes));
  for (const StreamEntry& stream : segment.malformed) put_stream(out, stream);
  for (const StreamEntry& stream : segment.padding) put_stream(out, stream);
  for (const ColumnEntry& column : segment.columns) {
    put_cell_format(out, column.format);
    std::uint8_t* const range = out.extend(column_entry_bytes - cell_format_bytes) - cell_format_bytes;
    range[column_at::range_kind] = static_cast<std::uint8_t>(column.range.kind);
    core::store(range + column_at::range_min, column.range.min);
    core::store(range + column_at::range_max, column.range.max);
    for (const StreamEntry& stream : column.streams) put_stream(out, stream);
  }
  return sealed(std::move(out), segment_at::header_bytes);
}

Result<std::uint32_t> segment_header_length(std::span<const std::uint8_t> begin, std::uint64_t frame_offset) {
  core::ByteReader in(begin);
  if (in.get_word<std::uint32_t>() != segment_magic)
    return Status{ErrorCode::corrupt_frame, frame_offset, "no segment where one must begin"};
  const auto length = in.get_word<std::uint32_t>();
  if (in.failed() || length < min_segment_header_bytes || length % alignment != 0 ||
      length > max_segment_header_bytes)
    return Status{ErrorCode::corrupt_frame, frame_offset + segment_at::header_bytes,
                  "the length of a segment's header is impossible"};
  return length;
}

Result<SegmentHeader> parse_segment_header(std::span<const std::uint8_t> bytes, const Header& header,
                                           std::uint32_t header_crc, std::uint64_t frame_offset) {
  const auto corrupt = [&](std::uint64_t offset, const char* detail) {
    return Status{ErrorCode::corrupt_frame, frame_offset + offset, detail};
  };
  if (!is_sealed(bytes))
    return corrupt(bytes.size() - 4, "the checksum of a segment's header does not match");
  SegmentHeader segment;
  core::ByteReader in(bytes.first(bytes.size() - 4));
  in.get_bytes(segment_at::index);
  segment.index = in.get_word<std::uint64_t>();
  segment.first = in.get_word<std::uint64_t>();
  segment.count = in.get_word<std::uint32_t>();
  const auto flags = in.get_word<std::uint32_t>();
  if (in.get_word<std::uint32_t>() != header_crc)
    return corrupt(segment_at::header_crc, "a segment of another frame");
  const auto stream_entries = in.get_word<std::uint32_t>(), column_count = in.get_word<std::uint32_t>();
  const auto fields_bytes = in.get_word<std::uint32_t>();
  const bool is_table = header.content == Content::table,
             is_csv = is_table && header.table.source == TableSource::csv;
  if (segment.count > header.max_segment_length)
    return corrupt(segment_at::count, "the length of a segment is impossible");
  const bool has_malformed = (flags & flag_malformed) != 0, has_padding = (flags & flag_padding) != 0;
  if (flags > known_segment_flags || (!is_table && flags != 0) ||
      (has_padding && header.table.padding_bytes == 0) ||
      (has_malformed && header.table.source == TableSource::columns) ||
      ((flags & flag_lacks_last_line_end) != 0 && (!is_csv || segment.count == 0))) {
    return corrupt(segment_at::flags, "the flags of a segment make no sense");
  }
  if (segment.count == 0 && !has_malformed) return corrupt(segment_at::count, "a segment of nothing");
  if (column_count != header.column_count())
    return corrupt(segment_at::column_count, "a segment has another number of columns than its frame");
  const auto fields = in.get_bytes(fields_bytes);
  if (fields_bytes % 8 != 0 || fields_bytes > max_fields_bytes || in.failed())
    return corrupt(segment_at::fields_bytes, "the fields of a segment have an impossible length");
  const Result<Field> base_columns = find_base_columns(fields, frame_offset + fixed_segment_bytes, is_table);
  if (!base_columns) return base_columns.status();

  segment.lacks_last_line_end = (flags & flag_lacks_last_line_end) != 0;
  const std::uint64_t first_entry = in.position();
  if (has_malformed) {
    if (const Status status = get_streams(in, frame_offset, malformed_streams, segment.malformed);
        !status.ok())
      return status;
    if (!is_malformed_sound(segment)) return corrupt(first_entry, "the malformed rows make no sense");
  }
  if (has_padding) {
    const std::uint64_t padding_entry = in.position();
    if (const Status status = get_streams(in, frame_offset, 1, segment.padding); !status.ok()) return status;
    if (segment.padding[0].type != DType::u8 ||
        segment.padding[0].count != std::uint64_t{segment.count} * header.table.padding_bytes)
      return corrupt(padding_entry, "the padding makes no sense");
  }
  for (std::uint32_t i = 0; i < column_count; ++i) {
    const std::uint64_t entry = in.position();
    Result<ColumnEntry> column = get_column(in, frame_offset);
    if (!column) return column.status();
    if ((column->format.kind == CellKind::native) == is_csv)
      return corrupt(entry, "a cell format that does not go with the source of the rows");
    if (!are_types_right(*column, is_table ? header.table.schema[i].type : header.dtype))
      return corrupt(entry, "a stream has a type that does not go with its column");
    if (!are_counts_right(*column, segment.count))
      return corrupt(entry, "a stream has a length that does not go with its segment");
    segment.columns.push_back(std::move(*column));
  }
  if (!take_base_columns(*base_columns, segment))
    return corrupt(base_columns->frame_offset - frame_offset, "the base columns make no sense");
  std::uint32_t found_entries = 0;
  segment.for_each_stream([&](const StreamEntry&) { ++found_entries; });
  if (found_entries != stream_entries)
    return corrupt(segment_at::stream_count, "the number of streams does not match the columns");
  if (in.remaining() >= alignment || !in.zeros_until(bytes.size() - 4))
    return corrupt(segment_at::header_bytes, "a segment's header has another length than its entries");
  if (!is_sum_possible(segment)) return corrupt(0, "the streams of a segment have an impossible length");
  return segment;
}

}  // namespace floe::container
