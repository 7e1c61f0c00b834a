// floe series compress, plan and generate: how text or records become compressed tables, and where to get some.
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <vector>

#include "console.hpp"
#include "for_each_file.hpp"
#include "output_file.hpp"
#include "series_commands.hpp"
#include "series_facts.hpp"
#include "streaming.hpp"
#include "text.hpp"

namespace floe::cli {
namespace {

Destination destination_of_table(const SeriesArguments& arguments, const std::string& file) {
  if (!arguments.output.empty()) return {arguments.output, true, arguments.force};
  if (file == "-") return {"-", true, arguments.force};
  return {file + table_suffix, false, arguments.force};
}

tables::TableCompressor make_compressor(const SeriesArguments& arguments, const std::string& file, ThrowingSink& sink) {
  Result<tables::TableCompressor> compressor = tables::TableCompressor::create(sink.sink(), table_options(arguments, file));
  if (!compressor) throw library_failure(file, compressor.status());
  return std::move(*compressor);
}

void compress_table(const SeriesArguments& arguments, const std::string& file) {
  InputFile source = InputFile::open(file, arguments.force || !arguments.output.empty());
  OutputFile output(destination_of_table(arguments, file), source);
  if (output.is_terminal() && !arguments.force)
    throw Failure(ExitCode::error, output.label(),
                  "compressed data are not written to a terminal; use -o FILE, or --force to do it all the same");
  Progress progress(source.label(), source.size_bytes(), !arguments.quiet);
  ThrowingSink sink([&output](std::span<const std::byte> bytes) { output.write(bytes); });
  tables::TableCompressor compressor = make_compressor(arguments, source.label(), sink);
  std::uint64_t in_bytes = 0;
  for_each_block(source, {}, [&](std::span<const std::byte> bytes) {
    in_bytes += bytes.size();
    sink.check(compressor.write(bytes), source.label());
    progress.show(in_bytes, output.written_bytes());
  });
  sink.check(compressor.finish(), source.label());
  output.finish();
  output.commit(source, false);
  progress.wipe_out();
  if (arguments.quiet || (output.is_standard_output() && !arguments.verbose)) return;
  const std::uint64_t out_bytes = output.written_bytes();
  const double ratio = static_cast<double>(in_bytes) / static_cast<double>(out_bytes);
  print_summary(fmt::format("{} : {} -> {} ({} rows of {} columns, ratio {:.2f})", printable(source.label()), bytes_text(in_bytes),
                            bytes_text(out_bytes), compressor.info().row_count, compressor.info().columns.size(), ratio));
}

/// Gives bytes in memory to a reader of tables.
ReadAt reader_of(const std::vector<std::byte>& table) {
  return [&table](std::uint64_t offset, std::span<std::byte> bytes) -> Status {
    std::copy_n(table.begin() + static_cast<std::ptrdiff_t>(offset), bytes.size(), bytes.begin());
    return {};
  };
}

std::string schema_file_of(const std::string& csv_file) { return std::filesystem::path(csv_file).replace_extension(".inf").string(); }

/// A new file without a source whose attributes it could take.
void write_file(const std::string& file, bool overwrite, const std::function<void(OutputFile&)>& write) {
  const InputFile nothing = InputFile::open("/dev/null", true);
  OutputFile output({file, true, overwrite}, nothing);
  write(output);
  output.finish();
  output.commit(nothing, false);
}

}  // namespace

ExitCode compress_tables(const SeriesArguments& arguments) {
  return for_each_file(arguments.files, [&arguments](const std::string& file) { compress_table(arguments, file); });
}

ExitCode plan_tables(const SeriesArguments& arguments) {
  Json all = Json::array();
  const ExitCode code = for_each_file(arguments.files, [&](const std::string& file) {
    InputFile source = InputFile::open(file, true);
    std::vector<std::byte> table;
    ThrowingSink sink([&table](std::span<const std::byte> bytes) { table.insert(table.end(), bytes.begin(), bytes.end()); });
    tables::TableCompressor compressor = make_compressor(arguments, source.label(), sink);
    for_each_block(source, {}, [&](std::span<const std::byte> bytes) { sink.check(compressor.write(bytes), source.label()); });
    sink.check(compressor.finish(), source.label());
    Result<tables::TableReader> reader = tables::TableReader::open(reader_of(table), table.size());
    if (!reader) throw library_failure(source.label(), reader.status());
    if (arguments.json) {
      all.push_back(table_as_json(source.label(), *reader));
    } else {
      print_table(source.label(), *reader, true);
    }
  });
  if (arguments.json) print_json(all);
  return code;
}

ExitCode generate_tables(const SeriesArguments& arguments) {
  const auto put_table = [&arguments](OutputFile& output) {
    ThrowingSink sink([&output](std::span<const std::byte> bytes) { output.write(bytes); });
    sink.check(tables::generate_table(arguments.generated_rows, sink.sink()), output.label());
  };
  const std::string csv_file = arguments.output.empty() ? "sample_data/generated.csv" : arguments.output;
  try {
    if (arguments.output.empty() && ::mkdir("sample_data", 0777) != 0 && errno != EEXIST) throw system_failure("sample_data", errno);
    write_file(csv_file, arguments.force, put_table);
    if (csv_file == "-") return ExitCode::ok;
    write_file(schema_file_of(csv_file), arguments.force, [](OutputFile& output) {
      const std::string schema = tables::schema_text(tables::generated_schema());
      output.write(std::as_bytes(std::span(schema)));
    });
  } catch (const Failure& failure) {
    print_error(failure.what());
    return failure.code();
  }
  return ExitCode::ok;
}

}  // namespace floe::cli
