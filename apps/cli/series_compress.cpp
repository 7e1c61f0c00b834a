// floe series compress and generate: how text or records become compressed tables, and where to get some.
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <vector>

#include "console.hpp"
#include "for_each_file.hpp"
#include "output_file.hpp"
#include "series_commands.hpp"
#include "streaming.hpp"
#include "table_streams.hpp"
#include "table_writer.hpp"
#include "text.hpp"

namespace floe::cli {
namespace {

Destination destination_of_table(const SeriesArguments& arguments, const std::string& file) {
  if (!arguments.output.empty()) return {arguments.output, true, arguments.force};
  if (file == "-") return {"-", true, arguments.force};
  return {file + table_suffix, false, arguments.force};
}

/// How much of the work devices did; nothing without them.
std::string share_text(const tables::EncoderShare& share) {
  if (share.words_bytes == 0) return "";
  return fmt::format(", {:.0f} % of the words encoded by devices",
                     100 * static_cast<double>(share.beside_bytes) / static_cast<double>(share.words_bytes));
}

void compress_table(const SeriesArguments& arguments, const std::string& file,
                    tables::StreamEncoder* streams) {
  InputFile source = InputFile::open(file, arguments.force || !arguments.output.empty());
  OutputFile output(destination_of_table(arguments, file), source);
  if (output.is_terminal() && !arguments.force)
    throw Failure(
        ExitCode::error, output.label(),
        "compressed data are not written to a terminal; use -o FILE, or --force to do it all the same");
  Progress progress(source.label(), source.size_bytes(), !arguments.quiet);
  TableWriter table(
      arguments, source.label(), [&output](std::span<const std::byte> bytes) { output.write(bytes); },
      [&progress](tables::TableOptions& options) {
        if (!options.on_bad_line) return;
        options.on_bad_line = [&progress, note = std::move(options.on_bad_line)](const tables::BadLine& bad) {
          progress.wipe_out();
          note(bad);
        };
      },
      streams);
  std::uint64_t in_bytes = 0;
  for_each_block(source, {}, [&](std::span<const std::byte> bytes) {
    in_bytes += bytes.size();
    table.write(bytes);
    progress.show(in_bytes, output.written_bytes());
  });
  table.finish();
  output.finish();
  output.commit(source, false);
  progress.wipe_out();
  if (arguments.quiet || (output.is_standard_output() && !arguments.verbose)) return;
  const std::uint64_t out_bytes = output.written_bytes();
  const double ratio = static_cast<double>(in_bytes) / static_cast<double>(out_bytes);
  print_summary(fmt::format("{} : {} -> {} ({} rows of {} columns, ratio {:.2f}{})",
                            printable(source.label()), bytes_text(in_bytes), bytes_text(out_bytes),
                            table.info().row_count, table.info().columns.size(), ratio,
                            arguments.verbose ? share_text(table.encoder_share()) : ""));
}

std::string schema_file_of(const std::string& csv_file) {
  return std::filesystem::path(csv_file).replace_extension(".inf").string();
}

}  // namespace

ExitCode compress_tables(const SeriesArguments& arguments) {
  const std::unique_ptr<tables::StreamEncoder> streams = stream_encoder_of(arguments.device);
  return for_each_file(arguments.files,
                       [&](const std::string& file) { compress_table(arguments, file, streams.get()); });
}

ExitCode generate_tables(const SeriesArguments& arguments) {
  const auto put_table = [&arguments](OutputFile& output) {
    ThrowingSink sink([&output](std::span<const std::byte> bytes) { output.write(bytes); });
    sink.check(tables::generate_table(arguments.generated_rows, sink.sink()), output.label());
  };
  const std::string csv_file = arguments.output.empty() ? "sample_data/generated.csv" : arguments.output;
  try {
    if (arguments.output.empty() && ::mkdir("sample_data", 0777) != 0 && errno != EEXIST)
      throw system_failure("sample_data", errno);
    write_new_file(csv_file, arguments.force, put_table);
    if (csv_file == "-") return ExitCode::ok;
    write_new_file(schema_file_of(csv_file), arguments.force, [](OutputFile& output) {
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
