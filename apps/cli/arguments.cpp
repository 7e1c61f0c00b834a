#include "arguments.hpp"

#include <algorithm>
#include <array>

#include "command_line.hpp"
#include "help_texts.hpp"
#include "option_values.hpp"
#include "text.hpp"

namespace floe::cli {
namespace {

constexpr Commands compress = commands(Command::compress);
constexpr Commands decompress = commands(Command::decompress);
constexpr Commands test = commands(Command::test);
constexpr Commands list = commands(Command::list);
constexpr Commands inspect = commands(Command::inspect);
constexpr Commands codec_list = commands(Command::codecs);
constexpr Commands bench = commands(Command::bench);
/// What `floe` does without a command, chosen by -d, -t and -l.
constexpr Commands chosen_by_flags = compress | decompress | test | list;

void add_file_options(CommandLine& line, Arguments& a) {
  line.begin_group("Files");
  line.value(compress | decompress, "-o,--output", "FILE", "Write to FILE",
             [&a](std::string_view text) { a.output = text; });
  line.flag(compress | decompress, "-c,--stdout", a.to_stdout, "Write to standard output");
  line.flag(compress | decompress, "-f,--force", a.force,
            "Overwrite; read and write fifos and devices; write binary to a terminal");
  line.flag(compress | decompress, "-k,--keep", a.keep_source, "Keep the source (this is the default)");
  line.flag(compress | decompress, "--rm", a.remove_source, "Delete the source after success");
  line.flag(compress, "--verify", a.verify, "Read the result back and compare before it gets its name");
  line.flag(compress | decompress, "--fsync", a.synchronize, "Wait until the result has reached the disk");
}

void add_array_options(CommandLine& line, Arguments& a) {
  line.begin_group("Array");
  line.value(compress | bench, "--dtype", "TYPE", "Type of the elements, e.g. f32",
             [&a](std::string_view text) { a.array.dtype = dtype_value("--dtype", text); });
  line.value(compress | bench, "--shape", "SHAPE", "Dimensions, slowest first: 26x1800x3600 or 26,1800,3600",
             [&a](std::string_view text) { a.array.shape = shape_value("--shape", text); });
  line.value(decompress, "--slice", "FIRST:COUNT", "Decode only these elements; needs -o or -c",
             [&a](std::string_view text) { a.slice = slice_value("--slice", text); });
}

void add_method_options(CommandLine& line, Arguments& a) {
  line.begin_group("Method");
  line.value(compress, "--goal", "GOAL", "Aim: speed, balance (default) or ratio",
             [&a](std::string_view text) { a.goal = goal_value("--goal", text); });
  line.flag(compress, "--fast", a.fast, "As --goal speed");
  line.flag(compress, "--best", a.best, "As --goal ratio");
  if (line.offers(bench)) {
    line.value(bench, "--codec", "A,B,C", "Measure only these codecs; floe codecs lists them",
               [&a](std::string_view text) {
                 a.bench_codecs.clear();
                 for (const auto name : split(text, ','))
                   a.bench_codecs.push_back(codec_value("--codec", name));
               });
  } else {
    line.value(compress | decompress, "--codec", "NAME", "Choose the codec by name; floe codecs lists them",
               [&a](std::string_view text) { a.codec = codec_value("--codec", text); });
  }
  line.value(compress | bench, "--dim", "N", "Codec gfc: how many values belong together, 1 to 32",
             [&a](std::string_view text) {
               a.dimensionality = static_cast<std::uint32_t>(number_value("--dim", text, 1, 32));
             });
  line.value(compress | bench, "--segment", "SIZE",
             "Unit of streaming: a multiple of 16K up to 1G (default 64M)",
             [&a](std::string_view text) { a.segment_bytes = segment_value("--segment", text); });
  line.flag(compress | bench, "--no-checksum", a.no_checksum, "Store no checksums");
  line.value(compress | decompress, "--container", "KIND",
             "floe (default), or a publication's bare stream: fpcompress or gfc",
             [&a](std::string_view text) { a.container = container_value("--container", text); });
  line.value(compress, "--chunks", "N", "Container gfc: number of chunks, 1 to 65535 (default 1000)",
             [&a](std::string_view text) {
               a.chunk_count = static_cast<std::uint32_t>(number_value("--chunks", text, 1, 65535));
             });
}

void add_resource_options(CommandLine& line, Arguments& a) {
  line.begin_group("Resources");
  if (line.offers(bench)) {
    line.value(bench, "-T,--threads", "N,M",
               "Measure with so many threads, one number after the other; 0 is all (default 1)",
               [&a](std::string_view text) {
                 a.bench_threads.clear();
                 for (const auto number : split(text, ','))
                   a.bench_threads.push_back(threads_value("--threads", number));
               });
    line.value(bench, "--callers", "N",
               "Call the library from N threads at the same time, each with its own array (default 1)",
               [&a](std::string_view text) {
                 a.bench_callers =
                     static_cast<std::uint32_t>(number_value("--callers", text, 1, max_threads));
               });
  } else {
    line.value(compress | decompress | test, "-T,--threads", "N",
               "Threads; 0 is all, never changes the result (default 0)",
               [&a](std::string_view text) { a.threads = threads_value("--threads", text); });
  }
  line.value(compress | decompress | test | bench, "--device", "DEVICE",
             "What does the work: cpu (default), cuda, devices such as cuda:1 or cuda:0-7, or auto",
             [&a](std::string_view text) { a.device = device_value("--device", text); });
  line.value(compress | decompress | test, "--memory", "SIZE",
             "Most memory that decoding may take (default 4G)",
             [&a](std::string_view text) { a.memory_limit_bytes = size_value("--memory", text); });
  line.value(bench, "--runs", "N", "Measure N times", [&a](std::string_view text) {
    a.bench_runs = static_cast<std::uint32_t>(number_value("--runs", text, 1, 1000000));
  });
  line.value(bench, "--seconds", "S", "Measure each codec for S seconds, at least 3 times (default 1)",
             [&a](std::string_view text) { a.bench_seconds = seconds_value("--seconds", text); });
  line.value(
      bench, "--size", "A,B,C",
      "Measure with so many bytes, one size after the other: content is repeated, or taken from the middle",
      [&a](std::string_view text) {
        a.bench_sizes.clear();
        for (const auto size : split(text, ',')) a.bench_sizes.push_back(size_value("--size", size));
      });
  line.value(bench, "--size-limit", "SIZE", "Measure no more than the first SIZE bytes of each file",
             [&a](std::string_view text) { a.bench_limit_bytes = size_value("--size-limit", text); });
}

void add_message_options(CommandLine& line, Arguments& a) {
  line.begin_group("Messages");
  line.flag(compress | decompress | test, "-q,--quiet", a.quiet, "Print errors only");
  line.flag(compress | decompress | test | bench, "-v,--verbose", a.verbose,
            "Print notes, and a summary also with -c");
  line.flag(test | list | inspect | codec_list | bench, "--json", a.json,
            "Print a JSON array for other programs");
}

constexpr std::array all_commands = {Command::compress, Command::decompress, Command::test, Command::list,
                                     Command::inspect,  Command::codecs,     Command::bench};

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

/// What no single option can know.
void check_together(const CommandLine& line, const Arguments& a) {
  const auto refuse_if = [](bool senseless, const char* reason) {
    if (senseless) throw UsageError(reason);
  };
  line.check_at_most_one({"--stdout", "--output"});
  line.check_at_most_one({"--quiet", "--verbose"});
  line.check_at_most_one({"--codec", "--goal", "--fast", "--best"});
  line.check_at_most_one({"--runs", "--seconds"});
  for (const char* other : {"--keep", "--stdout", "--slice"}) line.check_at_most_one({"--rm", other});
  line.check_at_most_one({"--slice", "--container"});
  const bool on_devices = a.device.kind != DeviceChoice::Kind::cpu;

  const bool several = a.files.size() > 1;
  const bool reads_stdin = std::find(a.files.begin(), a.files.end(), "-") != a.files.end();
  const bool names_target = a.to_stdout || !a.output.empty();
  refuse_if(line.given("--output") && a.output.empty(), "--output: the name is empty");
  refuse_if(several && line.given("--output"), "--output takes the result of one file, not of several");
  refuse_if(several && a.to_stdout && a.command == Command::compress,
            "--stdout takes one compressed file: several could not be told apart");
  refuse_if(a.remove_source && reads_stdin, "--rm cannot delete standard input");
  refuse_if(a.slice && !names_target && (several || !reads_stdin),
            "--slice needs -o or -c, as the result is not the whole file");
  refuse_if(a.bench_callers > 1 && on_devices,
            "--callers is for the CPU, as devices serve one caller at a time");
  refuse_if(a.slice && on_devices, "--slice is done by the CPU");
  refuse_if(a.container != Container::floe && on_devices,
            "--container: a publication's stream is made and read by the CPU");
  const bool fpcompress = a.container == Container::fpcompress;
  refuse_if(fpcompress && a.codec.empty(),
            "--container fpcompress needs --codec NAME, as its stream does not say it");
  refuse_if(a.container == Container::gfc && !a.codec.empty() && a.codec != "gfc",
            "--container gfc holds no other codec than gfc");
  refuse_if(a.container != Container::gfc && line.given("--chunks"),
            "--chunks goes only with --container gfc");
  refuse_if(a.command == Command::decompress && !fpcompress && !a.codec.empty(),
            "--codec: compressed files name their codec themselves");
  if (a.container != Container::floe) {
    for (const char* option :
         {"--dtype", "--shape", "--goal", "--fast", "--best", "--segment", "--no-checksum"}) {
      refuse_if(line.given(option),
                "--container: a publication's stream has no type, shape, goal, segments or checksums");
    }
  }
}

}  // namespace

Arguments parse_arguments(std::vector<std::string> words) {
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
  add_file_options(line, a);
  add_array_options(line, a);
  add_method_options(line, a);
  add_resource_options(line, a);
  add_message_options(line, a);
  a.files = line.parse(std::move(words));
  a.command = has_command ? *command : flags.chosen();

  line.check_at_most_one({"--decompress", "--test", "--list"});
  line.check_options_belong_to(a.command);
  if (a.command == Command::codecs && !a.files.empty()) throw UsageError("codecs takes no files");
  if (a.command == Command::bench && a.files.empty()) throw UsageError("bench needs at least one file");
  if (a.command != Command::codecs && a.files.empty()) a.files = {"-"};
  check_together(line, a);
  if (a.fast) a.goal = Goal::speed;
  if (a.best) a.goal = Goal::ratio;
  if (a.output == "-") a.to_stdout = true;
  return a;
}

Options Arguments::compress_options() const {
  Options options;
  options.goal = goal;
  options.codec = codec;
  options.threads = threads;
  options.checksum = !no_checksum;
  options.dimensionality = dimensionality;
  options.segment_bytes = segment_bytes;
  return options;
}

DecodeOptions Arguments::decode_options() const { return {threads, memory_limit_bytes}; }

}  // namespace floe::cli
