// `floe series`: the options of the thesis's program, for tables.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "arguments/help_texts.hpp"
#include "arguments/option_groups.hpp"
#include "arguments/option_values.hpp"

namespace floe::cli {
namespace {

constexpr Spelling series_spelling = {"-o,--output,--output-file", "--stdout",    "--force", "-f,--format",
                                      "-h,--header,--header-file", "-p,--padding"};
constexpr std::array series_commands = {Command::compress, Command::decompress, Command::inspect,
                                        Command::plan,     Command::generate,   Command::calibrate};
constexpr std::uint64_t max_rows = std::uint64_t{1} << 32;

/// What the flags of the thesis's program say, which stand for commands.
struct SeriesFlags {
  bool compress = false, decompress = false, generate = false;
};

void add_command_flags(CommandLine& line, SeriesFlags& flags, Arguments& a) {
  line.begin_group("Instead of a command");
  line.flag(compress, "-c,--compress", flags.compress, "Compress");
  line.flag(decompress, "-d,--decompress", flags.decompress, "Decompress");
  line.optional_value(generate, "-g,--generate", "ROWS",
                      "Write sample_data/generated.csv and .inf (default 1000000 rows)",
                      [&](std::string_view text) {
                        flags.generate = true;
                        if (!text.empty()) a.generated_rows = number_value("--generate", text, 0, max_rows);
                      });
}

void add_planner_options(CommandLine& line, Arguments& a) {
  line.value(compress | plan, "--times", "FILE",
             "Times of encodings that planning goes by, as calibrate writes them",
             [&a](std::string_view text) { a.table.times_file = text; });
  line.value(compress | plan, "--planner", "PLANNER",
             "default, or edgestat: the planner of the thesis, repaired, for comparison",
             [&a](std::string_view text) {
               if (text != "default" && text != "edgestat")
                 throw UsageError("--planner: this is default or edgestat");
               a.table.by_thesis = text == "edgestat";
             });
}

/// Positions say input and output where flags say the command, as in the thesis's program; otherwise all of
/// them are input.
void take_files(std::vector<std::string> files, std::string input, bool is_by_flag, Arguments& a) {
  if (!input.empty()) files.insert(files.begin(), std::move(input));
  if (a.command == Command::calibrate) {
    if (!files.empty()) throw UsageError("calibrate takes no files; -o says where to write the times");
    return;
  }
  if (a.command == Command::generate) {
    if (files.size() > 1) throw UsageError("generate takes one number of rows");
    if (!files.empty()) a.generated_rows = number_value("ROWS", files.front(), 0, max_rows);
    return;
  }
  if (is_by_flag && files.size() == 2 && a.output.empty()) {
    a.output = files.back();
    files.pop_back();
  }
  if (is_by_flag && files.size() > 1)
    throw UsageError("more than one input; floe series compress takes several");
  if (files.empty()) files.emplace_back("-");
  a.files = std::move(files);
}

/// Sources are tables, whatever they look like.
void choose_kind(Arguments& a) {
  if (a.kind == Kind::bytes || a.kind == Kind::array || a.kind == Kind::safetensors)
    throw UsageError("--format: this is csv or bin");
  const bool reads_tables = a.command == Command::compress || a.command == Command::plan;
  if (reads_tables && a.kind == Kind::automatic && a.table.schema_file.empty()) a.kind = Kind::csv;
}

}  // namespace

Arguments parse_series_arguments(std::vector<std::string> words) {
  const auto* const command = std::find_if(
      series_commands.begin(), series_commands.end(),
      [&words](Command candidate) { return !words.empty() && words.front() == name_of(candidate); });
  const bool has_command = command != series_commands.end();
  Arguments a;
  if (has_command) {
    a.command = *command;
    words.erase(words.begin());
  }
  CommandLine line(has_command ? commands(a.command) : compress | decompress | generate,
                   has_command ? series_help_of(a.command) : series_help());
  SeriesFlags flags;
  std::string input;
  if (!has_command) add_command_flags(line, flags, a);
  add_file_options(line, series_spelling, a);
  line.value(compress | decompress | plan, "-i,--input,--input-file", "FILE", "Read FILE",
             [&input](std::string_view text) { input = text; });
  add_content_options(line, series_spelling, a);
  add_part_options(line, a);
  add_method_options(line, a);
  add_planner_options(line, a);
  add_resource_options(line, a);
  add_message_options(line, a);
  std::vector<std::string> files = line.parse(std::move(words));
  if (!has_command) {
    if (flags.compress + flags.decompress + flags.generate != 1)
      throw UsageError("floe series: a command is missing (see floe series --help)");
    a.command = flags.compress     ? Command::compress
                : flags.decompress ? Command::decompress
                                   : Command::generate;
    line.check_options_belong_to(a.command);
  }
  take_files(std::move(files), std::move(input), !has_command, a);
  choose_kind(a);
  check_together(line, a);
  complete(a);
  return a;
}

}  // namespace floe::cli
