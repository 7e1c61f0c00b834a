#include "commands/frame_parts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/failure.hpp"
#include "base/text.hpp"
#include "frames/frame_restorer.hpp"
#include "frames/frame_writer.hpp"
#include "report/frame_facts.hpp"

namespace floe::cli {
namespace {

/// So much of an array is decoded at once.
constexpr std::uint64_t slice_step_bytes = std::uint64_t{64} << 20;

void check_range(const std::string& file, const char* option, Slice part, std::uint64_t count,
                 const char* noun) {
  if (part.first <= count && part.count <= count - part.first) return;
  throw Failure(
      ExitCode::error, file,
      fmt::format("{} {}:{} reaches beyond its {}", option, part.first, part.count, plural(count, noun)));
}

/// The elements that --slice or --rows name.
Slice wanted_elements(const Arguments& arguments, const std::string& file, const FrameInfo& info) {
  if (!arguments.columns.empty())
    throw Failure(ExitCode::usage, file, "is an array: --columns is for tables; --slice is for arrays");
  if (arguments.slice) {
    check_range(file, "--slice", *arguments.slice, info.element_count, "element");
    return *arguments.slice;
  }
  const std::uint64_t rows = info.extent.rank == 0 ? 1 : info.extent.size[0];
  check_range(file, "--rows", *arguments.rows, rows, "row");
  const std::uint64_t row_elements = rows == 0 ? 0 : info.element_count / rows;
  return {arguments.rows->first * row_elements, arguments.rows->count * row_elements};
}

std::string write_elements(const Arguments& arguments, const DecodeOptions& options, FileFrame& frame,
                           const std::string& file, OutputFile& output) {
  const FrameInfo& info = frame.info();
  const Slice slice = wanted_elements(arguments, file, info);
  const std::uint64_t word_bytes = size_of(info.dtype);
  // Goes by whole segments, so that none is decoded twice and memory stays bounded.
  const std::uint64_t segment = std::max<std::uint64_t>(info.max_segment_length, 1);
  const std::uint64_t step = std::max<std::uint64_t>(slice_step_bytes / (segment * word_bytes), 1) * segment;
  ByteOrderFilter byte_order(reversed_word_bytes(info));
  std::vector<std::byte> elements;
  const std::uint64_t end = slice.first + slice.count;
  for (std::uint64_t at = slice.first; at < end;) {
    const std::uint64_t next = std::min((at / step + 1) * step, end);
    elements.resize((next - at) * word_bytes);
    frame.check(frame.reader().decompress_slice(elements, {at, next - at}, options));
    output.write(byte_order.reverse(elements));
    at = next;
  }
  return fmt::format("{} of {}", plural(slice.count, "element"), short_description(info));
}

std::vector<std::size_t> chosen_columns(const Arguments& arguments, const std::string& file,
                                        const Schema& schema) {
  std::vector<std::size_t> chosen(arguments.columns.empty() ? schema.size() : 0);
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  for (const std::string& wanted : arguments.columns) {
    const auto found = std::find_if(schema.begin(), schema.end(),
                                    [&wanted](const Column& column) { return column.name == wanted; });
    const auto number = parse_number(wanted);
    if (found != schema.end()) {
      chosen.push_back(static_cast<std::size_t>(found - schema.begin()));
    } else if (number && *number >= 1 && *number <= schema.size()) {
      chosen.push_back(*number - 1);
    } else {
      throw Failure(ExitCode::usage, file, fmt::format("has no column {}", printable(wanted)));
    }
  }
  return chosen;
}

/// Writes cells as they stand in the text, and binary values as text, with a row of names.
std::string write_rows(const Arguments& arguments, const DecodeOptions& options, FileFrame& frame,
                       const std::string& file, OutputFile& output) {
  const FrameInfo& info = frame.info();
  const std::vector<std::size_t> columns = chosen_columns(arguments, file, info.columns);
  const Slice rows = arguments.rows.value_or(Slice{0, info.element_count});
  check_range(file, "--rows", rows, info.element_count, "row");
  ThrowingSink sink([&output](std::span<const std::byte> text) { output.write(text); });
  const Status status = frame.reader().print_rows(columns, rows, sink.sink(), options);
  sink.check({}, file);
  frame.check(status);
  return fmt::format("{} of {}, {}", plural(rows.count, "row"), plural(columns.size(), "column"),
                     source_text(info.source));
}

/// Writes the values of a text's cells as binary records.
std::string write_records(const DecodeOptions& options, FileFrame& frame, const std::string& file,
                          OutputFile& output) {
  const FrameInfo& info = frame.info();
  const std::vector<std::size_t> columns = chosen_columns({}, file, info.columns);
  ThrowingSink sink([&output](std::span<const std::byte> records) { output.write(records); });
  MissingValue missing;
  const Status status =
      frame.reader().write_records(columns, {0, info.element_count}, sink.sink(), options, &missing);
  sink.check({}, file);
  if (status.code == ErrorCode::invalid_argument) {
    const auto cell = frame.reader().read_texts(missing.column, {missing.row, 1}, options);
    throw Failure(ExitCode::error, file,
                  fmt::format("row {} of column {} is \"{}\", no value of type {}", missing.row,
                              printable(info.columns[missing.column].name), cell ? printable((*cell)[0]) : "",
                              name_of(info.columns[missing.column].type)));
  }
  frame.check(status);
  return fmt::format("{} of {}, as records", plural(info.element_count, "row"),
                     plural(info.columns.size(), "column"));
}

}  // namespace

bool becomes_other(const Arguments& arguments, const FrameInfo& info) {
  if (info.content != Content::table || arguments.kind == Kind::automatic) return false;
  return (arguments.kind == Kind::csv) != (info.source == TableSource::csv);
}

void check_expectations(const Arguments& arguments, const std::string& file, const FrameInfo& info) {
  const auto fail = [&file](const std::string& reason) { throw Failure(ExitCode::error, file, reason); };
  const bool is_table = info.content == Content::table;
  if (!is_table && arguments.kind != Kind::automatic) fail("is an array; --as is for tables");
  if (!arguments.table.schema_file.empty()) {
    const std::size_t expected = schema_of(arguments.table.schema_file).size();
    if (!is_table || expected != info.columns.size())
      fail(fmt::format("has {}, the header file {}", plural(info.columns.size(), "column"), expected));
  }
  if (arguments.table.padding_bytes != 0 && arguments.table.padding_bytes != info.padding_bytes)
    fail(fmt::format("has {} bytes of padding, --padding says {}", info.padding_bytes,
                     arguments.table.padding_bytes));
  if (!becomes_other(arguments, info) || info.source != TableSource::csv) return;
  for (const Column& column : info.columns) {
    if (column.type == DType::text)
      fail(fmt::format(
          "no records can be made of it, as column {} holds texts; a header file gives types when "
          "compressing",
          printable(column.name)));
  }
}

void refuse_terminal_for(const FrameInfo& info, const Arguments& arguments, const OutputFile& output) {
  // Plain bytes may well be text, numbers are not.
  const bool is_text = info.content == Content::array   ? info.dtype == DType::u8
                       : becomes_other(arguments, info) ? info.source != TableSource::csv
                                                        : info.source == TableSource::csv;
  if (is_text || !output.is_terminal() || arguments.force) return;
  throw Failure(
      ExitCode::error, output.label(),
      fmt::format("binary data ({}) are not written to a terminal; use -o FILE, or --force to do it "
                  "all the same",
                  short_description(info)));
}

std::string write_part(const Arguments& arguments, const DecodeOptions& options, const InputFile& source,
                       FileFrame& frame, OutputFile& output) {
  const FrameInfo& info = frame.info();
  const std::string& file = source.label();
  check_expectations(arguments, file, info);
  if (info.content == Content::array) {
    refuse_terminal_for(info, arguments, output);
    return write_elements(arguments, options, frame, file, output);
  }
  if (arguments.slice)
    throw Failure(ExitCode::usage, file,
                  "is a table: --slice is for arrays; --rows and --columns are for tables");
  if (arguments.wants_part() || info.source != TableSource::csv)
    return write_rows(arguments, options, frame, file, output);
  refuse_terminal_for(info, arguments, output);
  return write_records(options, frame, file, output);
}

}  // namespace floe::cli
