// floe series decompress: how a compressed table, or some columns or rows of it, becomes text or records
// again.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "console.hpp"
#include "for_each_file.hpp"
#include "output_file.hpp"
#include "series_commands.hpp"
#include "streaming.hpp"
#include "table_streams.hpp"
#include "text.hpp"

namespace floe::cli {
namespace {

Destination destination_of(const SeriesArguments& arguments, const std::string& file) {
  if (!arguments.output.empty()) return {arguments.output, true, arguments.force};
  if (file == "-") return {"-", true, arguments.force};
  const std::string_view suffix = table_suffix;
  if (file.size() > suffix.size() && file.ends_with(suffix))
    return {file.substr(0, file.size() - suffix.size()), false, arguments.force};
  throw Failure(ExitCode::error, file, fmt::format("unknown suffix, expected {}; use -o FILE", suffix));
}

/// Whether records shall become text.
bool is_text_of_records(const SeriesArguments& arguments, const tables::TableInfo& info) {
  return arguments.source == tables::TableSource::csv && info.source != tables::TableSource::csv;
}
/// Whether text shall become records.
bool is_records_of_text(const SeriesArguments& arguments, const tables::TableInfo& info) {
  return arguments.source == tables::TableSource::records && info.source == tables::TableSource::csv;
}

/// Header file, padding and format are not needed; those of another table are a mistake.
void check_expectations(const SeriesArguments& arguments, const std::string& file,
                        const tables::TableInfo& info) {
  const auto fail = [&file](const std::string& reason) { throw Failure(ExitCode::error, file, reason); };
  if (!arguments.schema_file.empty()) {
    const tables::Schema schema = table_options(arguments, file).schema;
    if (schema.size() != info.columns.size())
      fail(fmt::format("has {} columns, the header file {}", info.columns.size(), schema.size()));
  }
  if (arguments.padding_bytes != 0 && arguments.padding_bytes != info.padding_bytes)
    fail(fmt::format("has {} bytes of padding, --padding says {}", info.padding_bytes,
                     arguments.padding_bytes));
  for (const tables::Column& column : info.columns) {
    if (is_records_of_text(arguments, info) && column.type == DType::text)
      fail(
          fmt::format("-f bin makes no records of it, as column {} holds texts; a header file (-h) gives "
                      "types when compressing",
                      printable(column.name)));
  }
}

void tell_result(const SeriesArguments& arguments, const InputFile& source, std::uint64_t in_bytes,
                 const tables::TableInfo& info, const OutputFile& output) {
  if (arguments.quiet || (output.is_standard_output() && !arguments.verbose)) return;
  print_summary(fmt::format("{} : {} -> {} ({} rows of {} columns)", printable(source.label()),
                            bytes_text(in_bytes), bytes_text(output.written_bytes()), info.row_count,
                            info.columns.size()));
}

void decompress_all(const SeriesArguments& arguments, InputFile& source, OutputFile& output,
                    tables::StreamDecoder* streams) {
  Progress progress(source.label(), source.size_bytes(), !arguments.quiet);
  const auto check = [&](const tables::TableInfo& info) {
    check_expectations(arguments, source.label(), info);
    if (is_text_of_records(arguments, info))
      throw Failure(ExitCode::error, source.label(),
                    "holds binary records, of which -f csv makes text only from a file on disk");
    if (is_records_of_text(arguments, info))
      throw Failure(ExitCode::error, source.label(),
                    "holds CSV text, of which -f bin makes records only from a file on disk");
  };
  std::optional<tables::TableDecompressor> decompressor;
  bool is_checked = false;
  ThrowingSink sink([&](std::span<const std::byte> bytes) {
    if (!std::exchange(is_checked, true)) check(*decompressor->info());
    output.write(bytes);
  });
  decompressor.emplace(sink.sink(), DecodeOptions{arguments.threads, arguments.memory_limit_bytes}, streams);
  std::uint64_t in_bytes = 0;
  for_each_block(source, {}, [&](std::span<const std::byte> bytes) {
    in_bytes += bytes.size();
    sink.check(decompressor->write(bytes), source.label());
    progress.show(in_bytes, output.written_bytes());
  });
  sink.check(decompressor->finish(), source.label());
  const tables::TableInfo& info = *decompressor->info();
  if (!is_checked) check(info);
  output.finish();
  output.commit(source, false);
  progress.wipe_out();
  tell_result(arguments, source, in_bytes, info, output);
}

std::vector<std::size_t> chosen_columns(const SeriesArguments& arguments, const std::string& file,
                                        const tables::Schema& schema) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; arguments.columns.empty() && i < schema.size(); ++i) chosen.push_back(i);
  for (const std::string& wanted : arguments.columns) {
    const auto found = std::find_if(schema.begin(), schema.end(), [&wanted](const tables::Column& column) {
      return column.name == wanted;
    });
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

/// A table on disk whose failures name their cause.
struct FileTable {
  explicit FileTable(const InputFile& source, std::uint64_t memory_limit_bytes) : bytes(source) {
    Result<tables::TableReader> opened =
        tables::TableReader::open(bytes.read_at(), source.file_bytes(), memory_limit_bytes);
    bytes.check(opened.status());
    reader = std::move(*opened);
  }
  ThrowingReader bytes;
  std::optional<tables::TableReader> reader;
};

/// Writes cells as they stand in the text, and binary values as text, with a row of names.
void decompress_part(const SeriesArguments& arguments, const InputFile& source, FileTable& table,
                     OutputFile& output) {
  const tables::TableInfo& info = table.reader->info();
  check_expectations(arguments, source.label(), info);
  const std::vector<std::size_t> columns = chosen_columns(arguments, source.label(), info.columns);
  const Slice rows = arguments.rows.value_or(Slice{0, info.row_count});
  if (rows.first > info.row_count || rows.count > info.row_count - rows.first)
    throw Failure(
        ExitCode::usage, source.label(),
        fmt::format("--rows {}:{} reaches beyond its {} rows", rows.first, rows.count, info.row_count));
  ThrowingSink sink([&output](std::span<const std::byte> text) { output.write(text); });
  const Status status =
      table.reader->print_rows(columns, rows, sink.sink(), {arguments.threads, arguments.memory_limit_bytes});
  sink.check(Status{}, source.label());
  table.bytes.check(status);
  output.finish();
  output.commit(source, false);
  if (arguments.columns.empty() && !arguments.rows)
    tell_result(arguments, source, source.file_bytes(), info, output);
}

/// Writes the values of a text's cells as binary records.
void decompress_to_records(const SeriesArguments& arguments, const InputFile& source, FileTable& table,
                           OutputFile& output) {
  const tables::TableInfo& info = table.reader->info();
  check_expectations(arguments, source.label(), info);
  const std::vector<std::size_t> columns = chosen_columns(arguments, source.label(), info.columns);
  ThrowingSink sink([&output](std::span<const std::byte> records) { output.write(records); });
  tables::MissingValue missing;
  const DecodeOptions options{arguments.threads, arguments.memory_limit_bytes};
  const Status status =
      table.reader->write_records(columns, {0, info.row_count}, sink.sink(), options, &missing);
  sink.check(Status{}, source.label());
  if (status.code == ErrorCode::invalid_argument) {
    const auto cell = table.reader->read_texts(missing.column, {missing.row, 1}, options);
    throw Failure(ExitCode::error, source.label(),
                  fmt::format("row {} of column {} is \"{}\", no value of type {}", missing.row,
                              printable(info.columns[missing.column].name), cell ? printable((*cell)[0]) : "",
                              name_of(info.columns[missing.column].type)));
  }
  table.bytes.check(status);
  output.finish();
  output.commit(source, false);
  tell_result(arguments, source, source.file_bytes(), info, output);
}

}  // namespace

ExitCode decompress_tables(const SeriesArguments& arguments) {
  const std::unique_ptr<tables::StreamDecoder> streams = stream_decoder_of(arguments.device);
  return for_each_file(arguments.files, [&](const std::string& file) {
    const Destination destination = destination_of(arguments, file);
    InputFile source = InputFile::open(file, arguments.force || !arguments.output.empty());
    if (source.is_terminal() && !arguments.force)
      throw Failure(ExitCode::error, source.label(),
                    "compressed data are not read from a terminal; use --force to do it all the same");
    std::optional<FileTable> table;
    const bool is_part = !arguments.columns.empty() || arguments.rows;
    if (is_part || (arguments.source && source.size_bytes()))
      table.emplace(source, arguments.memory_limit_bytes);
    OutputFile output(destination, source);
    if (is_part || (table && is_text_of_records(arguments, table->reader->info())))
      return decompress_part(arguments, source, *table, output);
    if (table && is_records_of_text(arguments, table->reader->info()))
      return decompress_to_records(arguments, source, *table, output);
    decompress_all(arguments, source, output, streams.get());
  });
}

}  // namespace floe::cli
