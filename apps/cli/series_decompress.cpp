// floe series decompress: how a compressed table, or some columns or rows of it, becomes text or records again.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "console.hpp"
#include "for_each_file.hpp"
#include "output_file.hpp"
#include "series_commands.hpp"
#include "streaming.hpp"
#include "text.hpp"

namespace floe::cli {
namespace {

Destination destination_of(const SeriesArguments& arguments, const std::string& file) {
  if (!arguments.output.empty()) return {arguments.output, true, arguments.force};
  if (file == "-") return {"-", true, arguments.force};
  const std::string_view suffix = table_suffix;
  if (file.size() > suffix.size() && file.ends_with(suffix)) return {file.substr(0, file.size() - suffix.size()), false, arguments.force};
  throw Failure(ExitCode::error, file, fmt::format("unknown suffix, expected {}; use -o FILE", suffix));
}

/// A header file is not needed; one that was made for another table is a mistake.
void check_schema(const SeriesArguments& arguments, const std::string& file, const tables::TableInfo& info) {
  if (arguments.schema_file.empty()) return;
  const tables::Schema schema = table_options(arguments, file).schema;
  if (schema.size() != info.columns.size())
    throw Failure(ExitCode::error, file, fmt::format("has {} columns, the header file {}", info.columns.size(), schema.size()));
}

void decompress_all(const SeriesArguments& arguments, InputFile& source, OutputFile& output) {
  Progress progress(source.label(), source.size_bytes(), !arguments.quiet);
  ThrowingSink sink([&output](std::span<const std::byte> bytes) { output.write(bytes); });
  tables::TableDecompressor decompressor(sink.sink(), {arguments.threads, arguments.memory_limit_bytes});
  std::uint64_t in_bytes = 0;
  for_each_block(source, {}, [&](std::span<const std::byte> bytes) {
    in_bytes += bytes.size();
    sink.check(decompressor.write(bytes), source.label());
    progress.show(in_bytes, output.written_bytes());
  });
  sink.check(decompressor.finish(), source.label());
  check_schema(arguments, source.label(), *decompressor.info());
  output.finish();
  output.commit(source, false);
  progress.wipe_out();
  if (arguments.quiet || (output.is_standard_output() && !arguments.verbose)) return;
  print_summary(fmt::format("{} : {} -> {} ({} rows of {} columns)", printable(source.label()), bytes_text(in_bytes),
                            bytes_text(output.written_bytes()), decompressor.info()->row_count, decompressor.info()->columns.size()));
}

std::vector<std::size_t> chosen_columns(const SeriesArguments& arguments, const std::string& file, const tables::Schema& schema) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; arguments.columns.empty() && i < schema.size(); ++i) chosen.push_back(i);
  for (const std::string& wanted : arguments.columns) {
    const auto found =
        std::find_if(schema.begin(), schema.end(), [&wanted](const tables::Column& column) { return column.name == wanted; });
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

/// Writes cells as they stand in the text, and binary values as text, with commas between them and a row of names.
void decompress_part(const SeriesArguments& arguments, const InputFile& source, OutputFile& output) {
  constexpr std::uint64_t rows_at_once = std::uint64_t{1} << 20;
  const DecodeOptions options{arguments.threads, arguments.memory_limit_bytes};
  ThrowingReader bytes(source);
  Result<tables::TableReader> reader = tables::TableReader::open(bytes.read_at(), source.file_bytes());
  bytes.check(reader.status());
  const tables::TableInfo& info = reader->info();
  check_schema(arguments, source.label(), info);
  const std::vector<std::size_t> columns = chosen_columns(arguments, source.label(), info.columns);
  const Slice rows = arguments.rows.value_or(Slice{0, info.row_count});
  if (rows.first > info.row_count || rows.count > info.row_count - rows.first)
    throw Failure(ExitCode::usage, source.label(),
                  fmt::format("--rows {}:{} reaches beyond its {} rows", rows.first, rows.count, info.row_count));

  std::string text;
  const auto put_row = [&](const auto& cell_of) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      text += cell_of(i);
      text += i + 1 == columns.size() ? '\n' : ',';
    }
  };
  put_row([&](std::size_t i) { return info.columns[columns[i]].name; });
  for (std::uint64_t first = rows.first; first < rows.first + rows.count; first += rows_at_once) {
    const Slice part{first, std::min(rows_at_once, rows.first + rows.count - first)};
    std::vector<std::vector<std::string>> cells;
    for (const std::size_t column : columns) {
      Result<std::vector<std::string>> read = reader->read_texts(column, part, options);
      bytes.check(read.status());
      cells.push_back(std::move(*read));
    }
    for (std::uint64_t row = 0; row < part.count; ++row) put_row([&](std::size_t i) -> const std::string& { return cells[i][row]; });
    output.write(std::as_bytes(std::span(text)));
    text.clear();
  }
  output.write(std::as_bytes(std::span(text)));
  output.finish();
  output.commit(source, false);
}

}  // namespace

ExitCode decompress_tables(const SeriesArguments& arguments) {
  return for_each_file(arguments.files, [&arguments](const std::string& file) {
    const Destination destination = destination_of(arguments, file);
    InputFile source = InputFile::open(file, arguments.force || !arguments.output.empty());
    if (source.is_terminal() && !arguments.force)
      throw Failure(ExitCode::error, source.label(), "compressed data are not read from a terminal; use --force to do it all the same");
    OutputFile output(destination, source);
    if (arguments.columns.empty() && !arguments.rows) return decompress_all(arguments, source, output);
    decompress_part(arguments, source, output);
  });
}

}  // namespace floe::cli
