// floe bench: ratio and speed of the codecs on files, in memory.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "bench_array.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "engine.hpp"
#include "for_each_file.hpp"
#include "frame_facts.hpp"
#include "measurement.hpp"
#include "text.hpp"

namespace floe::cli {
namespace {

std::vector<std::string> codecs_for(const Arguments& arguments, const Engine& engine, DType dtype) {
  std::vector<std::string> names;
  for (const CodecInfo& codec : codecs()) {
    const auto& wanted = arguments.bench_codecs;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), codec.name) == wanted.end()) continue;
    Options options;
    options.codec = codec.name;
    const Result<CodecInfo> chosen = choose_codec(dtype, options);
    if (chosen && chosen->id == codec.id && engine.supports(dtype, options)) names.emplace_back(codec.name);
  }
  return names;
}

void add_speeds(Json& entry, const std::string& name, const Speeds& speeds) {
  entry[name + "_gbps"] = speeds.median;
  entry[name + "_gbps_min"] = speeds.slowest;
  entry[name + "_gbps_max"] = speeds.fastest;
}

Json measurement_as_json(const std::string& file, const BenchArray& array, const Engine& engine,
                         const std::string& codec, std::uint32_t threads, std::uint32_t callers,
                         const Measurement& m) {
  Json entry;
  entry["file"] = file;
  entry["dtype"] = name_of(array.dtype);
  entry["codec"] = codec;
  entry["device"] = engine.name();
  entry["isa"] = floe::instruction_set();
  entry["threads"] = threads;
  entry["callers"] = callers;
  entry["runs"] = m.runs;
  entry["input_bytes"] = array.elements.size();
  entry["stored_bytes"] = m.stored_bytes;
  entry["ratio"] = static_cast<double>(array.elements.size()) / static_cast<double>(m.stored_bytes);
  add_speeds(entry, "compress", m.compress);
  add_speeds(entry, "decompress", m.decompress);
  add_speeds(entry, "memcpy", m.yardsticks.copy);
  add_speeds(entry, "stream_copy", m.yardsticks.stream_copy);
  add_speeds(entry, "read", m.yardsticks.read);
  return entry;
}

std::string speeds_text(const Speeds& s) {
  return fmt::format("{:6.2f} ({:.2f}-{:.2f})", s.median, s.slowest, s.fastest);
}

void print_row(const std::string& name, const std::string& ratio, const std::string& compress,
               const std::string& decompress) {
  fmt::print("  {:<11} {:>7}  {:<22} {}\n", name, ratio, compress, decompress);
  std::fflush(stdout);
}

void print_headline(const std::string& file, const BenchArray& array, const Engine& engine,
                    std::uint32_t threads, std::uint32_t callers) {
  const auto plural = [](std::uint32_t count, const char* noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
  };
  fmt::print("{}: {} {}, {}, {}{}{}\n", printable(file), name_of(array.dtype),
             shape_text(std::span(array.extent.size).first(array.extent.rank)),
             bytes_text(array.elements.size()), plural(threads, "thread"),
             callers == 1 ? "" : fmt::format(", {}", plural(callers, "caller")),
             engine.name() == "cpu" ? "" : ", " + engine.name());
  print_row("codec", "ratio", "compress GB/s", "decompress GB/s");
}

void bench_array(const Arguments& arguments, Engine& engine, const std::string& file, const BenchArray& array,
                 std::uint32_t threads, Json& all) {
  const std::vector<std::string> names = codecs_for(arguments, engine, array.dtype);
  if (names.empty())
    return print_note(
        fmt::format("{}: none of the chosen codecs takes {}", printable(file), name_of(array.dtype)));
  const std::uint32_t callers = arguments.bench_callers;
  if (!arguments.json) print_headline(file, array, engine, threads, callers);
  Bench bench(file, engine, array.elements, array.dtype, array.extent, callers);
  for (const std::string& name : names) {
    Options options = arguments.compress_options();
    options.codec = name;
    options.threads = threads;
    const Measurement m = bench.measure(options, {arguments.bench_runs, arguments.bench_seconds});
    if (arguments.json) {
      all.push_back(measurement_as_json(file, array, engine, name, threads, callers, m));
    } else {
      print_row(name,
                fmt::format("{:.3f}",
                            static_cast<double>(array.elements.size()) / static_cast<double>(m.stored_bytes)),
                speeds_text(m.compress), speeds_text(m.decompress));
    }
  }
  if (arguments.json) return;
  const Yardsticks memory = bench.yardsticks();
  print_row("read", "", "", speeds_text(memory.read));
  print_row("stream copy", "", speeds_text(memory.stream_copy), "");
  print_row("memcpy", "", speeds_text(memory.copy), "");
}

void bench_file(const Arguments& arguments, Engine& engine, const std::string& file, Json& all) {
  const BenchArray array = load_array(arguments, file);
  for (const std::uint32_t threads : arguments.bench_threads) {
    const std::uint32_t count = threads != 0 ? threads : available_threads();
    if (arguments.bench_sizes.empty()) bench_array(arguments, engine, file, array, count, all);
    for (const std::uint64_t bytes : arguments.bench_sizes)
      bench_array(arguments, engine, file, repeated(array, bytes), count, all);
  }
}

}  // namespace

ExitCode run_bench(const Arguments& arguments) {
  Engines engines(arguments);
  Json all = Json::array();
  const ExitCode code = for_each_file(arguments.files, [&](const std::string& file) {
    bench_file(arguments, engines.for_decompression(), file, all);
  });
  if (arguments.json) print_json(all);
  return code;
}

}  // namespace floe::cli
