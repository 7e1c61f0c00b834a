#include "series_commands.hpp"

#include <fmt/format.h>

#include "console.hpp"
#include "text.hpp"

namespace floe::cli {
namespace {

/// Larger files for options are none.
constexpr std::uint64_t max_schema_bytes = std::uint64_t{64} << 20;

/// Shorter than usual, so that GPUs have many segments to work on at the same time.
constexpr std::uint32_t segment_rows_for_gpus = 1u << 16;

/// Reads a small file that the library parses, which names lines in its errors.
template <class Parse>
auto read_small_file(const std::string& file, const Parse& parse) {
  InputFile source = InputFile::open(file, true);
  const std::vector<std::byte> bytes = source.read_all(max_schema_bytes);
  auto result = parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!result)
    throw Failure(ExitCode::error, source.label(),
                  fmt::format("line {}: {}", result.status().byte_offset, result.status().detail));
  return std::move(*result);
}

bool is_named_like_text(const std::string& file) {
  return file.ends_with(".csv") || file.ends_with(".tsv") || file.ends_with(".txt");
}

}  // namespace

ExitCode run_series(const SeriesArguments& arguments) {
  switch (arguments.command) {
    case SeriesCommand::compress:
      return compress_tables(arguments);
    case SeriesCommand::decompress:
      return decompress_tables(arguments);
    case SeriesCommand::inspect:
      return inspect_tables(arguments);
    case SeriesCommand::generate:
      return generate_tables(arguments);
    case SeriesCommand::plan:
      return plan_tables(arguments);
    case SeriesCommand::calibrate:
      return calibrate_encodings(arguments);
  }
  return ExitCode::usage;
}

tables::TableOptions table_options(const SeriesArguments& arguments, const std::string& file) {
  tables::TableOptions options;
  const bool has_schema = !arguments.schema_file.empty();
  options.source = arguments.source.value_or(
      !has_schema || is_named_like_text(file) ? tables::TableSource::csv : tables::TableSource::records);
  if (has_schema) options.schema = read_small_file(arguments.schema_file, tables::parse_schema);
  options.goal = arguments.goal;
  options.decode_megabytes_per_second = arguments.decode_megabytes_per_second;
  if (!arguments.times_file.empty())
    options.encoding_times = read_small_file(arguments.times_file, tables::parse_encoding_times);
  options.planner = arguments.planner;
  // The bytes of a table do not depend on whether there is a device: `--device` means a profile, not only who
  // does the work.
  const bool is_for_devices = arguments.device.kind != DeviceChoice::Kind::cpu;
  options.profile = arguments.profile.value_or(is_for_devices ? tables::Profile::gpu : tables::Profile::cpu);
  options.trees = arguments.trees;
  options.separator = arguments.separator;
  options.name_row = arguments.name_row;
  options.keep_text = !arguments.values_only;
  options.padding_bytes = arguments.padding_bytes;
  options.threads = arguments.threads;
  options.segment_rows = arguments.segment_rows.value_or(
      options.profile == tables::Profile::gpu ? segment_rows_for_gpus : options.segment_rows);
  if (!arguments.quiet) {
    options.on_bad_line = [name = printable(file),
                           count = std::uint64_t{0}](const tables::BadLine& bad) mutable {
      constexpr std::uint64_t max_notes = 10;
      if (++count > max_notes + 1) return;
      if (count == max_notes + 1) return print_note(fmt::format("{}: more such lines follow", name));
      print_note(fmt::format("{}: line {}, column {}: {} cells do not make a row; kept as it is", name,
                             bad.line, bad.column, bad.cell_count));
    };
  }
  return options;
}

std::string unfit_tree_text(const SeriesArguments& arguments, const tables::UnfitTree& unfit) {
  const std::string& given = arguments.tree_texts[unfit.index];
  if (unfit.words.empty()) return fmt::format("--tree {}: {}", printable(given), unfit.reason.detail);
  const std::size_t place =
      given.size() - arguments.trees[unfit.index].tree.size() + unfit.reason.byte_offset + 1;
  return fmt::format("--tree {}: segment {} has words of type {}: character {}: {}", printable(given),
                     unfit.segment, unfit.words, place, unfit.reason.detail);
}

}  // namespace floe::cli
