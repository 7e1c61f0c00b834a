// floe bench: ratio and speed of codecs, goals and trees on files, in memory.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/console.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "bench/measurement.hpp"
#include "commands/commands.hpp"
#include "commands/for_each_file.hpp"
#include "frames/devices.hpp"
#include "output/new_file.hpp"
#include "report/bench_page.hpp"
#include "tensors/each_tensor.hpp"

namespace floe::cli {
namespace {

/// What the rows of one headline have in common.
struct Conditions {
  const std::string& file;
  const Subject& subject;
  const std::string& device;
  std::uint32_t threads, callers;
};

const char* goal_name(Goal goal) {
  return goal == Goal::speed     ? "speed"
         : goal == Goal::balance ? "balance"
         : goal == Goal::ratio   ? "ratio"
                                 : "max";
}

/// The codecs that take the elements of an array.
void add_codecs(const Arguments& arguments, const Subject& subject, const Options& options,
                std::vector<Method>& methods) {
  const auto& wanted = arguments.bench.codecs;
  for (const CodecInfo& codec : codecs()) {
    const bool is_wanted =
        wanted.empty() || std::find(wanted.begin(), wanted.end(), codec.name) != wanted.end();
    if (!is_wanted || arguments.bench.without_codecs || codec.word_bits != 8 * size_of(subject.dtype()))
      continue;
    const std::string tree =
        codec.name == "gfc" ? fmt::format("gfc({})", arguments.dimensionality) : std::string(codec.name);
    methods.push_back({std::string(codec.name), options, tree});
  }
}

std::vector<Method> methods_for(const Arguments& arguments, const Subject& subject, const Options& options) {
  std::vector<Method> methods;
  const bool is_table = subject.dtype() == DType::text;
  add_codecs(arguments, subject, options, methods);
  std::vector<Goal> goals = arguments.bench.goals;
  if (is_table && goals.empty() && arguments.trees.empty())
    goals = {Goal::speed, Goal::balance, Goal::ratio, Goal::max};
  for (const Goal goal : goals) {
    Method method{goal_name(goal), options, ""};
    method.options.goal = goal;
    methods.push_back(std::move(method));
  }
  for (const GivenTree& given : arguments.trees) {
    if (is_table || check_tree(given.tree, subject.dtype()).ok())
      methods.push_back({given.tree, options, given.tree});
  }
  return methods;
}

void add_speeds(Json& entry, const std::string& name, const Speeds& speeds) {
  entry.set(name + "_gbps", speeds.median);
  entry.set(name + "_gbps_min", speeds.min);
  entry.set(name + "_gbps_max", speeds.max);
}

double measured_ratio(const Subject& subject, const Measurement& m) {
  return static_cast<double>(subject.bytes().size()) / static_cast<double>(m.stored_bytes);
}

Json measurement_as_json(const Conditions& conditions, const Method& method, const Measurement& m) {
  Json entry = Json::object({{"file", conditions.file},
                             {"dtype", conditions.subject.type()},
                             {"codec", method.name},
                             {"device", conditions.device},
                             {"isa", floe::instruction_set()},
                             {"threads", conditions.threads},
                             {"callers", conditions.callers},
                             {"runs", m.runs},
                             {"input_bytes", conditions.subject.bytes().size()},
                             {"stored_bytes", m.stored_bytes},
                             {"ratio", measured_ratio(conditions.subject, m)}});
  add_speeds(entry, "compress", m.compress);
  add_speeds(entry, "decompress", m.decompress);
  add_speeds(entry, "memcpy", m.yardsticks.copy);
  add_speeds(entry, "stream_copy", m.yardsticks.stream_copy);
  add_speeds(entry, "read", m.yardsticks.read);
  return entry;
}

std::string speeds_text(const Speeds& s) {
  return fmt::format("{:>6} ({}-{})", speed_text(s.median), speed_text(s.min), speed_text(s.max));
}

/// Rows with names of up to so many characters.
class RowPrinter {
 public:
  explicit RowPrinter(const std::vector<Method>& methods) {
    for (const Method& method : methods) width_ = std::max(width_, method.name.size());
  }
  void print(std::string_view name, const std::string& ratio, const std::string& compress,
             const std::string& decompress) const {
    fmt::print("  {:<{}} {:>7}  {:<22} {}\n", name, width_, ratio, compress, decompress);
    std::fflush(stdout);
  }

 private:
  std::size_t width_ = 11;
};

/// What is printed, or written when all is measured.
struct Report {
  Json all = Json::array();
  std::vector<BenchSection> sections;
};

std::string conditions_text(const Conditions& conditions) {
  const std::uint32_t callers = conditions.callers;
  return fmt::format("{}, {}, {}{}{}", conditions.subject.description(),
                     bytes_text(conditions.subject.bytes().size()), plural(conditions.threads, "thread"),
                     callers == 1 ? "" : fmt::format(", {}", plural(callers, "caller")),
                     conditions.device == "cpu" ? "" : ", " + conditions.device);
}

void bench_subject(const Arguments& arguments, const Devices& devices, const Conditions& conditions,
                   Report& report) {
  Options options = arguments.compress_options();
  options.threads = conditions.threads;
  options.segment_bytes = conditions.subject.dtype() == DType::text ? 0 : arguments.segment_bytes;
  devices.use_for(options);
  DecodeOptions decode_options;
  decode_options.threads = conditions.threads;
  devices.use_for(decode_options);
  const std::vector<Method> methods = methods_for(arguments, conditions.subject, options);
  if (methods.empty())
    return print_note(fmt::format("{}: none of what was chosen takes {}", printable(conditions.file),
                                  conditions.subject.type()));
  const RowPrinter row(methods);
  const bool is_text = !arguments.json && arguments.picture != "-";
  if (is_text) {
    fmt::print("{}: {}\n", printable(conditions.file), conditions_text(conditions));
    row.print("codec", "ratio", "compress GB/s", "decompress GB/s");
  }
  BenchSection section{conditions.file, conditions_text(conditions), {}, 0};
  Bench bench(conditions.file, conditions.subject, conditions.callers);
  for (const Method& method : methods) {
    const Measurement m =
        bench.measure(method, decode_options, {arguments.bench.runs, arguments.bench.seconds});
    section.rows.push_back(
        {method.name, measured_ratio(conditions.subject, m), m.compress.median, m.decompress.median});
    if (arguments.json) {
      report.all.push(measurement_as_json(conditions, method, m));
    } else if (is_text) {
      row.print(method.name, fmt::format("{:.3f}", measured_ratio(conditions.subject, m)),
                speeds_text(m.compress), speeds_text(m.decompress));
    }
  }
  const Yardsticks memory = bench.yardsticks();
  section.memcpy_speed = memory.copy.median;
  report.sections.push_back(std::move(section));
  if (!is_text) return;
  row.print("read", "", "", speeds_text(memory.read));
  row.print("stream copy", "", speeds_text(memory.stream_copy), "");
  row.print("memcpy", "", speeds_text(memory.copy), "");
}

void bench_all(const Arguments& arguments, const Devices& devices, const std::string& label,
               const Subject& subject, Report& report) {
  for (const std::uint32_t threads : arguments.bench.threads) {
    const std::uint32_t count = threads != 0 ? threads : available_threads();
    const auto measure = [&](const Subject& measured) {
      bench_subject(arguments, devices, {label, measured, devices.name(), count, arguments.bench.callers},
                    report);
    };
    if (arguments.bench.sizes.empty()) measure(subject);
    for (const std::uint64_t bytes : arguments.bench.sizes) measure(*subject.with_size(bytes));
  }
}

void bench_file(const Arguments& arguments, const Devices& devices, const std::string& file, Report& report) {
  if (!are_tensors(arguments, file))
    return bench_all(arguments, devices, file, *load_subject(arguments, file), report);
  for_each_tensor(arguments, file,
                  [&](const Arguments& with, InputFile& source, const SourceContent& content) {
                    bench_all(with, devices, source.label(), *load_subject(with, source, content), report);
                  });
}

}  // namespace

ExitCode run_bench(const Arguments& arguments) {
  refuse_folders(arguments.files, "floe bench");
  const Devices devices(arguments.device);
  Report report;
  const ExitCode code = for_each_file(
      arguments.files, [&](const std::string& file) { bench_file(arguments, devices, file, report); });
  if (arguments.json) print_json(report.all);
  if (!arguments.picture.empty() && !report.sections.empty()) {
    write_new_file(arguments.picture, arguments.force, [&report](OutputFile& output) {
      const std::string page = bench_page(report.sections);
      output.write(std::as_bytes(std::span(page)));
    });
  }
  return code;
}

}  // namespace floe::cli
