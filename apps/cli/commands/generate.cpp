// floe series generate: a table of random series to try it with, and its header file.
#include <sys/stat.h>

#include <cerrno>

#include "base/console.hpp"
#include "base/failure.hpp"
#include "commands/commands.hpp"
#include "frames/throwing_sink.hpp"
#include "output/new_file.hpp"
#include "research/generated_table.hpp"

namespace floe::cli {
namespace {

/// The same name with the suffix .inf.
std::string schema_file_of(const std::string& csv_file) {
  const std::size_t name = csv_file.rfind('/') + 1;  // npos + 1 is 0
  const std::size_t dot = csv_file.rfind('.');
  const bool has_suffix = dot != std::string::npos && dot > name;
  return csv_file.substr(0, has_suffix ? dot : csv_file.size()) + ".inf";
}

void put_table(std::uint64_t rows, OutputFile& output) {
  ThrowingSink sink([&output](std::span<const std::byte> bytes) { output.write(bytes); });
  sink.check(research::generate_table(rows, sink.sink()), output.label());
}

}  // namespace

ExitCode run_generate(const Arguments& arguments) {
  const std::string csv_file = arguments.output.empty() ? "sample_data/generated.csv" : arguments.output;
  if (arguments.output.empty() && ::mkdir("sample_data", 0777) != 0 && errno != EEXIST)
    throw system_failure("sample_data", errno);
  write_new_file(csv_file, arguments.force,
                 [&](OutputFile& output) { put_table(arguments.generated_rows, output); });
  if (csv_file == "-") return ExitCode::ok;
  write_new_file(schema_file_of(csv_file), arguments.force, [](OutputFile& output) {
    const std::string schema = schema_text(research::generated_schema());
    output.write(std::as_bytes(std::span(schema)));
  });
  return ExitCode::ok;
}

}  // namespace floe::cli
