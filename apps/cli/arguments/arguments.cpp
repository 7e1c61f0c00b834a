#include "arguments/arguments.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "arguments/help_texts.hpp"
#include "arguments/option_groups.hpp"

namespace floe::cli {
namespace {

constexpr std::array all_commands = {Command::compress, Command::decompress, Command::test,   Command::list,
                                     Command::inspect,  Command::plan,       Command::codecs, Command::bench,
                                     Command::recover,  Command::doctor,     Command::hdf5};
/// What `floe` does without a command, chosen by -d, -t and -l.
constexpr Commands chosen_by_flags = compress | decompress | test | list;

/// What the flags that stand for commands say.
struct CommandFlags {
  bool decompress = false, test = false, list = false;

  [[nodiscard]] Command chosen() const {
    return decompress ? Command::decompress : test ? Command::test : list ? Command::list : Command::compress;
  }
};

void add_command_flags(CommandLine& line, CommandFlags& flags) {
  line.begin_group("Instead of compressing");
  line.flag(chosen_by_flags, "-d,--decompress", flags.decompress, "Write FILE for each FILE.floe");
  line.flag(chosen_by_flags, "-t,--test", flags.test, "Decode and check, write nothing");
  line.flag(chosen_by_flags, "-l,--list", flags.list, "Print one line per compressed file");
}

void refuse_if(bool senseless, const char* reason) {
  if (senseless) throw UsageError(reason);
}

void check_files(const CommandLine& line, const Arguments& a) {
  const bool several = a.files.size() > 1;
  const bool reads_stdin = std::find(a.files.begin(), a.files.end(), "-") != a.files.end();
  const bool names_target = a.to_stdout || !a.output.empty();
  refuse_if(line.given("--output") && a.output.empty(), "--output: the name is empty");
  refuse_if(line.given("--picture") && a.picture.empty(), "--picture: the name is empty");
  refuse_if(several && line.given("--output"), "--output takes the result of one file, not of several");
  refuse_if(several && a.to_stdout && a.command == Command::compress,
            "--stdout takes one compressed file: several could not be told apart");
  refuse_if(several && !a.picture.empty() && a.command == Command::plan,
            "--picture shows one file, not several");
  refuse_if(a.verify && a.table.values_only, "--verify compares texts, which --values does not keep");
  refuse_if(a.remove_source && reads_stdin, "--rm cannot delete standard input");
  refuse_if(a.wants_part() && !names_target && (several || !reads_stdin),
            "--slice, --rows and --columns need -o or -c, as the result is not the whole file");
  refuse_if(a.slice && (a.rows || !a.columns.empty()),
            "--slice is for elements of arrays; it does not go with --rows and --columns");
}

void check_content(const Arguments& a) {
  const bool is_csv = a.kind == Kind::csv, is_bin = a.kind == Kind::records;
  if (a.command == Command::decompress) {
    refuse_if(a.kind == Kind::bytes || a.kind == Kind::array || a.kind == Kind::safetensors,
              "--as says what a table becomes: csv or records");
    refuse_if(is_bin && a.wants_part(),
              "--rows and --columns give text; without them -f bin, or --as records, gives the records");
    return;
  }
  const bool is_table = is_csv || is_bin || !a.table.schema_file.empty();
  refuse_if(is_csv && a.table.padding_bytes != 0, "--padding goes only with records");
  refuse_if(is_bin && a.table.schema_file.empty(),
            "records need a header file that says what their columns are (--schema FILE)");
  refuse_if(is_table && (a.array.dtype || !a.array.shape.empty()),
            "--dtype and --shape are for arrays, not for tables");
  refuse_if(a.kind == Kind::bytes && (a.array.dtype || !a.array.shape.empty()),
            "--as bytes has no type and no shape");
  refuse_if(a.kind == Kind::safetensors && (a.array.dtype || !a.array.shape.empty()),
            "--as safetensors: each tensor has its own type and shape");
  refuse_if(!a.table.schema_file.empty() &&
                (a.kind == Kind::bytes || a.kind == Kind::array || a.kind == Kind::safetensors),
            "a header file is for tables");
}

void check_method(const CommandLine& line, const Arguments& a) {
  if (a.command != Command::bench) {
    line.check_at_most_one({"--codec", "--goal", "--fast", "--best"});
    line.check_at_most_one({"--codec", "--tree"});
  }
  const bool is_for_gpus = a.chosen_profile() == Profile::gpu;
  refuse_if(line.given("--times") && a.table.times_file.empty(), "--times: the name is empty");
  refuse_if((a.decode_megabytes_per_second > 0 || !a.table.times_file.empty()) && is_for_gpus,
            "--decode-speed and --times are those of CPUs; they do not go with --profile gpu");
  refuse_if(a.table.by_thesis && (a.decode_megabytes_per_second > 0 || !a.table.times_file.empty()),
            "--planner edgestat knows no time");
  refuse_if(a.table.by_thesis && a.device.kind != DeviceChoice::Kind::cpu,
            "--planner edgestat is done by the CPU");
}

void check_container(const CommandLine& line, const Arguments& a) {
  const bool fpcompress = a.container == Container::fpcompress, gfc = a.container == Container::gfc;
  refuse_if(fpcompress && a.codec.empty(),
            "--container fpcompress needs --codec NAME, as its stream does not say it");
  refuse_if(gfc && !a.codec.empty() && a.codec != "gfc", "--container gfc holds no other codec than gfc");
  refuse_if(!gfc && line.given("--chunks"), "--chunks goes only with --container gfc");
  refuse_if(a.command == Command::decompress && !fpcompress && !a.codec.empty(),
            "--codec: compressed files say themselves how they are encoded");
  refuse_if(line.given("--dim") && a.command != Command::bench && a.codec != "gfc" && !gfc,
            "--dim goes only with --codec gfc");
  if (!fpcompress && !gfc) return;
  refuse_if(a.device.kind != DeviceChoice::Kind::cpu,
            "--container: a publication's stream is made and read by the CPU");
  for (const char* option : {"--as", "--dtype", "--shape", "--schema", "--goal", "--fast", "--best", "--tree",
                             "--segment", "--no-checksum", "--slice", "--rows", "--columns"})
    refuse_if(line.given(option),
              "--container: a publication's stream has no type, shape, goal, tree, segments or checksums");
}

}  // namespace

void check_together(const CommandLine& line, const Arguments& a) {
  line.check_at_most_one({"--stdout", "--output"});
  line.check_at_most_one({"--quiet", "--verbose"});
  line.check_at_most_one({"--runs", "--seconds"});
  if (a.command == Command::recover) {
    line.check_at_most_one({"--quiet", "--json"});
    refuse_if(a.json && (a.to_stdout || a.output == "-"),
              "--json and --stdout both write to standard output");
    refuse_if(line.given("--like") && a.similar_file.empty(), "--like: the name is empty");
  }
  for (const char* other : {"--keep", "--stdout", "--slice", "--rows", "--columns"})
    line.check_at_most_one({"--rm", other});
  check_files(line, a);
  check_content(a);
  check_method(line, a);
  check_container(line, a);
}

void complete(Arguments& a) {
  if (a.fast) a.goal = Goal::speed;
  if (a.best) a.goal = Goal::max;
  if (a.output == "-") a.to_stdout = true;
  if (a.codec.empty()) return;
  a.trees.push_back({"", 0, a.codec == "gfc" ? fmt::format("gfc({})", a.dimensionality) : a.codec});
  a.tree_options.push_back("--codec " + a.codec);
}

Arguments parse_arguments(std::vector<std::string> words) {
  if (!words.empty() && words.front() == "series") {
    words.erase(words.begin());
    return parse_series_arguments(std::move(words));
  }
  const auto* const command = std::find_if(
      all_commands.begin(), all_commands.end(),
      [&words](Command candidate) { return !words.empty() && words.front() == name_of(candidate); });
  const bool has_command = command != all_commands.end();
  if (has_command) words.erase(words.begin());

  CommandLine line(has_command ? commands(*command) : chosen_by_flags,
                   has_command ? help_of(*command) : main_help());
  Arguments a;
  CommandFlags flags;
  if (!has_command) add_command_flags(line, flags);
  add_file_options(line, {}, a);
  add_content_options(line, {}, a);
  add_recovery_options(line, a);
  add_array_options(line, a);
  add_part_options(line, a);
  add_hdf5_options(line, a);
  add_method_options(line, a);
  add_container_options(line, a);
  add_resource_options(line, a);
  add_message_options(line, a);
  a.files = line.parse(std::move(words));
  a.command = has_command ? *command : flags.chosen();

  line.check_at_most_one({"--decompress", "--test", "--list"});
  line.check_options_belong_to(a.command);
  const bool takes_files = (commands(a.command) & (codec_list | doctor | hdf5)) == 0;
  if (!takes_files && !a.files.empty())
    throw UsageError(fmt::format("{} takes no files", name_of(a.command)));
  if (a.command == Command::bench && a.files.empty()) throw UsageError("bench needs at least one file");
  if (takes_files && a.files.empty()) a.files = {"-"};
  check_together(line, a);
  complete(a);
  return a;
}

Profile Arguments::chosen_profile() const {
  return profile.value_or(device.kind == DeviceChoice::Kind::cpu ? Profile::cpu : Profile::gpu);
}

Options Arguments::compress_options() const {
  Options options;
  options.goal = goal;
  options.profile = chosen_profile();
  options.threads = threads;
  options.checksum = !no_checksum;
  options.decode_megabytes_per_second = decode_megabytes_per_second;
  return options;
}

DecodeOptions Arguments::decode_options() const {
  DecodeOptions options;
  options.threads = threads;
  options.memory_limit_bytes = memory_limit_bytes;
  return options;
}

}  // namespace floe::cli
