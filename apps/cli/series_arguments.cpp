#include "series_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "command_line.hpp"
#include "option_values.hpp"
#include "text.hpp"

namespace floe::cli {
namespace {

constexpr std::array command_names = {"compress", "decompress", "inspect", "generate", "plan", "calibrate"};

constexpr Commands only(SeriesCommand command) { return 1u << static_cast<unsigned>(command); }
constexpr Commands compress = only(SeriesCommand::compress), decompress = only(SeriesCommand::decompress),
                   inspect = only(SeriesCommand::inspect), generate = only(SeriesCommand::generate),
                   plan = only(SeriesCommand::plan), calibrate = only(SeriesCommand::calibrate);

constexpr const char* csv_help =
    "CSV text comes back byte by byte, with whatever stands in it. Types come from a header file (a line "
    "name,type,precision for each\n"
    "column; types time char short int unsigned float double bool and those of floe), else they are those "
    "that the cells seem to have.\n"
    "Binary records (-f bin) need a header file.\n";

HelpText help_without_command() {
  return {"floe series: lossless compression of tables of time series, CSV text or binary records",
          "floe series COMMAND [OPTIONS] [FILE...]      (floe series COMMAND --help says more)\n"
          "       floe series -c|-d|-g [OPTIONS] [INPUT [OUTPUT]]\n\n"
          "Commands:\n"
          "  compress                 Write FILE.fts for each FILE\n"
          "  decompress               Write FILE for each FILE.fts, or only some columns or rows of it\n"
          "  inspect                  Say what compressed tables hold, and how each column is encoded\n"
          "  plan                     Say how the columns of a table would be encoded, and why\n"
          "  generate                 Write a table of random series to try it with\n"
          "  calibrate                Measure how long encodings take on this machine",
          csv_help, "--help"};
}

HelpText help_of(SeriesCommand command) {
  switch (command) {
    case SeriesCommand::compress:
      return {"floe series compress: writes FILE.fts for each FILE and keeps FILE",
              "floe series compress [OPTIONS] [FILE...]",
              std::string(csv_help) +
                  "\nExamples:\n"
                  "  floe series compress sensors.csv\n"
                  "  floe series compress -f bin -h record.inf -p 4 -o log.fts log.bin\n"
                  "  floe series compress --tree voltage=delta,entropy sensors.csv\n"
                  "  gunzip < trades.csv.gz | floe series compress > trades.fts\n",
              "--help"};
    case SeriesCommand::decompress:
      return {"floe series decompress: writes FILE for each FILE.fts and keeps FILE.fts",
              "floe series decompress [OPTIONS] [FILE...]",
              "The text or the records come back as they were. --columns and --rows give text, with a row of "
              "names.\n"
              "\nExamples:\n"
              "  floe series decompress sensors.csv.fts\n"
              "  floe series decompress --columns time,voltage --rows 5000:100 -o - sensors.csv.fts\n",
              "--help"};
    case SeriesCommand::inspect:
      return {"floe series inspect: says what compressed tables hold, and how each column is encoded",
              "floe series inspect [OPTIONS] FILE...", "", "--help"};
    case SeriesCommand::generate:
      return {
          "floe series generate: writes a table of random series, the same on every machine, and its header "
          "file",
          "floe series generate [OPTIONS] [ROWS]",
          "Without -o the files are sample_data/generated.csv and sample_data/generated.inf.\n", "--help"};
    case SeriesCommand::calibrate:
      return {
          "floe series calibrate: measures how long every encoding takes on this machine, in some seconds",
          "floe series calibrate [OPTIONS]",
          "Printed beside the times that are built in, in picoseconds per word. With -o also as a file for "
          "--times: compress and plan\n"
          "then weigh time as on this machine. Without --times bytes never depend on the machine.\n"
          "\nExamples:\n"
          "  floe series calibrate -o times.csv\n"
          "  floe series compress --times times.csv --decode-speed 2 sensors.csv\n",
          "--help"};
    case SeriesCommand::plan:
      return {
          "floe series plan: says how the columns of a table would be encoded, and why; writes nothing but a "
          "picture",
          "floe series plan [OPTIONS] [FILE...]",
          std::string(csv_help) +
              "\nFor each stream of words: the trees that could encode it, smallest estimate first, what a "
              "sample lets expect of them,\n"
              "and what they make of the whole segment, and how fast one thread encodes and decodes the "
              "words with them, by the times of\n"
              "encodings and measured now. * marks the tree that is used, + those that no other beats in "
              "size and speed of decoding.\n"
              "\nExamples:\n"
              "  floe series plan sensors.csv\n"
              "  floe series plan --picture sensors.html --segment-rows 65536 sensors.csv\n",
          "--help"};
  }
  return {};
}

tables::TableSource source_value(std::string_view text) {
  if (text == "csv") return tables::TableSource::csv;
  if (text == "bin") return tables::TableSource::records;
  throw UsageError("--format: this is csv or bin");
}

char separator_value(std::string_view text) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() == 1 && text != "\"" && text != "\n" && text != "\r") return text.front();
  throw UsageError("--separator: this is one character, or tab");
}

tables::NameRow name_row_value(std::string_view text) {
  if (text == "yes") return tables::NameRow::yes;
  if (text == "no") return tables::NameRow::no;
  if (text == "detect") return tables::NameRow::detect;
  throw UsageError("--names: this is yes, no or detect");
}

tables::TreePlanner planner_value(std::string_view text) {
  if (text == "default") return tables::TreePlanner::standard;
  if (text == "edgestat") return tables::TreePlanner::edge_statistics;
  throw UsageError("--planner: this is default or edgestat");
}

tables::Profile profile_value(std::string_view text) {
  if (text == "cpu") return tables::Profile::cpu;
  if (text == "gpu") return tables::Profile::gpu;
  throw UsageError("--profile: this is cpu or gpu");
}

/// "TREE", "COLUMN=TREE" or "COLUMN#STREAM=TREE", streams numbered from 1.
tables::GivenTree tree_value(const std::string& text) {
  const std::size_t end_of_name = text.rfind('=');
  tables::GivenTree given;
  if (end_of_name != std::string::npos) {
    given.column = text.substr(0, end_of_name);
    const std::size_t mark = given.column.rfind('#');
    const auto number = mark == std::string::npos
                            ? std::nullopt
                            : parse_number(std::string_view(given.column).substr(mark + 1));
    if (number) {
      if (*number == 0 || *number > 6)
        throw UsageError(fmt::format("--tree {}: streams are numbered from 1 to 6", printable(text)));
      given.stream = static_cast<std::uint32_t>(*number - 1);
      given.column.resize(mark);
    }
    if (given.column.empty())
      throw UsageError(fmt::format("--tree {}: the name of the column is missing", printable(text)));
  }
  given.tree = text.substr(end_of_name + 1);  // npos + 1 is 0
  if (const Status status = tables::check_tree(given.tree); !status.ok())
    throw UsageError(fmt::format("--tree {}: character {}: {}", printable(text),
                                 text.size() - given.tree.size() + status.byte_offset + 1, status.detail));
  return given;
}

/// What the flags of the thesis's program say, which stand for commands.
struct CommandFlags {
  bool compress = false, decompress = false, generate = false;
};

void add_file_options(CommandLine& line, SeriesArguments& a, std::string& input) {
  line.begin_group("Files");
  line.value(compress | decompress | plan, "-i,--input,--input-file", "FILE", "Read FILE",
             [&input](std::string_view text) { input = text; });
  line.value(compress | decompress | generate | calibrate, "-o,--output,--output-file", "FILE",
             "Write to FILE; - is standard output", [&a](std::string_view text) { a.output = text; });
  line.flag(compress | decompress | generate | plan | calibrate, "--force", a.force,
            "Overwrite; read and write fifos and devices; write binary to a terminal");
}

/// What an option does in the direction of `commands`, or in both.
std::string help_text(Commands commands, const char* encoding, const char* decoding) {
  if ((commands & decompress) == 0) return encoding;
  return commands == decompress ? decoding : fmt::format("{};\nwhen decompressing: {}", encoding, decoding);
}

void add_table_options(CommandLine& line, Commands commands, SeriesArguments& a) {
  const std::string header_help =
      help_text(commands, "Names and types of the columns: a line name,type,precision for each",
                "Check that the table has as many columns");
  const std::string format_help = help_text(
      commands, "csv or bin; else csv without a header file or for names such as x.csv, and bin otherwise",
      "csv: write records as text; bin: write the values of a text as records; else as it was");
  const std::string padding_help =
      help_text(commands, "Binary records: bytes behind each record that belong to no column",
                "Check that the table has so many bytes behind each record");
  line.begin_group("Table");
  line.value(compress | decompress | plan, "-h,--header,--header-file", "FILE", header_help.c_str(),
             [&a](std::string_view text) { a.schema_file = text; });
  line.value(compress | decompress | plan, "-f,--format", "KIND", format_help.c_str(),
             [&a](std::string_view text) { a.source = source_value(text); });
  line.value(compress | decompress | plan, "-p,--padding", "BYTES", padding_help.c_str(),
             [&a](std::string_view text) {
               a.padding_bytes = static_cast<std::uint32_t>(number_value("--padding", text, 0, 1u << 20));
             });
  line.value(compress | plan, "--separator", "C",
             "CSV: what stands between cells; else one of , ; tab | is detected",
             [&a](std::string_view text) { a.separator = separator_value(text); });
  line.value(compress | plan, "--names", "WHETHER",
             "CSV: whether the first line holds names: yes, no or detect (default)",
             [&a](std::string_view text) { a.name_row = name_row_value(text); });
  line.flag(compress | plan, "--values", a.values_only,
            "CSV: keep the values of numbers, not how each is written");
  line.value(compress | plan, "--goal", "GOAL", "Aim: speed, balance (default) or ratio",
             [&a](std::string_view text) { a.goal = goal_value("--goal", text); });
  line.value(
      compress | plan, "--decode-speed", "GB/S",
      "Trees that one thread decodes so fast, counted in words and by the times of encodings, or the fastest",
      [&a](std::string_view text) { a.decode_megabytes_per_second = speed_value("--decode-speed", text); });
  line.value(compress | plan, "--times", "FILE",
             "Times of encodings that planning goes by, as calibrate writes them",
             [&a](std::string_view text) { a.times_file = text; });
  line.value(compress | plan, "--planner", "PLANNER",
             "default, or edgestat: the planner of the thesis, repaired, for comparison",
             [&a](std::string_view text) { a.planner = planner_value(text); });
  line.value(compress | plan, "--profile", "PROFILE",
             "cpu, or gpu: only encodings that GPUs have, in segments of 65536 rows; else gpu if there is a "
             "--device",
             [&a](std::string_view text) { a.profile = profile_value(text); });
  line.values(compress | plan, "--tree", "[COLUMN[#N]=]TREE",
              "Encode the N-th stream (default 1) of a column, or of all that it fits, with this tree; as "
              "often as needed",
              [&a](const std::vector<std::string>& texts) {
                a.tree_texts = texts;
                for (const std::string& text : texts) a.trees.push_back(tree_value(text));
              });
  line.value(compress | plan, "--segment-rows", "N",
             "Rows that are encoded together, up to 1048576 (default, 65536 with --profile gpu)",
             [&a](std::string_view text) {
               a.segment_rows = static_cast<std::uint32_t>(number_value("--segment-rows", text, 1, 1u << 20));
             });
  line.value(decompress, "--columns", "A,B",
             "Only these columns, by name or number from 1; needs a file and -o",
             [&a](std::string_view text) {
               for (const auto name : split(text, ',')) a.columns.emplace_back(name);
             });
  line.value(decompress, "--rows", "FIRST:COUNT", "Only these rows, from 0; needs a file and -o",
             [&a](std::string_view text) { a.rows = slice_value("--rows", text); });
}

void add_other_options(CommandLine& line, Commands commands, SeriesArguments& a) {
  line.value(plan, "--picture", "FILE",
             "Write a page (HTML) with pictures of the trees and the ratios; needs one file",
             [&a](std::string_view text) { a.picture = text; });
  line.begin_group("Resources");
  line.value(compress | decompress | plan, "-T,--threads", "N",
             "Threads; 0 is all (default), never changes the result", [&a](std::string_view text) {
               a.threads = static_cast<std::uint32_t>(number_value("--threads", text, 0, 65535));
             });
  line.value(compress | decompress, "--device", "DEVICE",
             "What codes columns: cpu (default), cuda, devices such as cuda:1 or cuda:0-7, or auto: those "
             "that there are",
             [&a](std::string_view text) { a.device = device_value("--device", text); });
  line.value(decompress, "--memory", "SIZE", "Most memory that decoding may take (default 4G)",
             [&a](std::string_view text) { a.memory_limit_bytes = size_value("--memory", text); });
  line.begin_group("Messages");
  line.flag(compress | decompress, "-q,--quiet", a.quiet, "Print errors only");
  line.flag(compress | decompress | inspect | plan, "-v,--verbose", a.verbose,
            (commands & (inspect | plan)) != 0 ? "Print all segments"
                                               : "Print a summary also with -o -, and what devices did");
  line.flag(inspect | plan, "--json", a.json, "Print a JSON array for other programs");
}

void check_together(const CommandLine& line, const SeriesArguments& a) {
  const auto refuse_if = [](bool senseless, const char* reason) {
    if (senseless) throw UsageError(reason);
  };
  line.check_at_most_one({"--quiet", "--verbose"});
  refuse_if(line.given("--output") && a.output.empty(), "--output: the name is empty");
  refuse_if(a.files.size() > 1 && !a.output.empty(), "--output takes the result of one file, not of several");
  refuse_if(a.files.size() > 1 && !a.picture.empty(), "--picture shows one file, not several");
  refuse_if(line.given("--picture") && a.picture.empty(), "--picture: the name is empty");
  const bool is_part = !a.columns.empty() || a.rows.has_value();
  refuse_if(is_part && a.device.kind != DeviceChoice::Kind::cpu, "--columns and --rows are done by the CPU");
  refuse_if(is_part && a.output.empty(), "--columns and --rows need -o, as the result is not the whole file");
  refuse_if(a.planner == tables::TreePlanner::edge_statistics && a.device.kind != DeviceChoice::Kind::cpu,
            "--planner edgestat is done by the CPU");
  const bool is_for_gpus =
      a.profile == tables::Profile::gpu || (!a.profile && a.device.kind != DeviceChoice::Kind::cpu);
  const bool has_times = a.decode_megabytes_per_second > 0 || line.given("--times");
  refuse_if(line.given("--times") && a.times_file.empty(), "--times: the name is empty");
  refuse_if(has_times && is_for_gpus,
            "--decode-speed and --times are those of CPUs; they do not go with --profile gpu");
  refuse_if(has_times && a.planner == tables::TreePlanner::edge_statistics,
            "--planner edgestat knows no time");
  const bool is_csv = a.source == tables::TableSource::csv, is_bin = a.source == tables::TableSource::records;
  refuse_if(is_bin && is_part, "--columns and --rows give text; without them -f bin gives the records");
  if (a.command == SeriesCommand::decompress) return;
  refuse_if(is_csv && a.padding_bytes != 0, "--padding goes only with -f bin");
  refuse_if(is_bin && a.schema_file.empty(), "-f bin needs a header file (-h)");
}

/// Positions say input and output where flags say the command, as in the thesis's program; otherwise all of
/// them are input.
void take_files(std::vector<std::string> files, std::string input, bool is_by_flag, SeriesArguments& a) {
  if (!input.empty()) files.insert(files.begin(), std::move(input));
  if (a.command == SeriesCommand::calibrate) {
    if (!files.empty()) throw UsageError("calibrate takes no files; -o says where to write the times");
    return;
  }
  if (a.command == SeriesCommand::generate) {
    if (files.size() > 1) throw UsageError("generate takes one number of rows");
    if (!files.empty()) a.generated_rows = number_value("ROWS", files.front(), 0, std::uint64_t{1} << 32);
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

}  // namespace

SeriesArguments parse_series_arguments(std::vector<std::string> words) {
  const auto* const name =
      std::find_if(command_names.begin(), command_names.end(),
                   [&words](const char* candidate) { return !words.empty() && words.front() == candidate; });
  const bool has_command = name != command_names.end();
  SeriesArguments a;
  if (has_command) {
    a.command = static_cast<SeriesCommand>(name - command_names.begin());
    words.erase(words.begin());
  }
  const Commands commands = has_command ? only(a.command) : compress | decompress | generate;
  CommandLine line(commands, has_command ? help_of(a.command) : help_without_command());
  CommandFlags flags;
  std::string input;
  if (!has_command) {
    line.begin_group("Instead of a command");
    line.flag(compress, "-c,--compress", flags.compress, "Compress");
    line.flag(decompress, "-d,--decompress", flags.decompress, "Decompress");
    line.optional_value(generate, "-g,--generate", "ROWS",
                        "Write sample_data/generated.csv and .inf (default 1000000 rows)",
                        [&](std::string_view text) {
                          flags.generate = true;
                          if (!text.empty())
                            a.generated_rows = number_value("--generate", text, 0, std::uint64_t{1} << 32);
                        });
  }
  add_file_options(line, a, input);
  add_table_options(line, commands, a);
  add_other_options(line, commands, a);
  std::vector<std::string> files = line.parse(std::move(words));
  if (!has_command) {
    if (flags.compress + flags.decompress + flags.generate != 1)
      throw UsageError("floe series: a command is missing (see floe series --help)");
    a.command = flags.compress     ? SeriesCommand::compress
                : flags.decompress ? SeriesCommand::decompress
                                   : SeriesCommand::generate;
  }
  take_files(std::move(files), std::move(input), !has_command, a);
  check_together(line, a);
  return a;
}

}  // namespace floe::cli
