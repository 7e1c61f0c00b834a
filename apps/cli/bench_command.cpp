// floe bench: ratio and speed of the codecs on files, in memory.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "array_description.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "frame_facts.hpp"
#include "input_file.hpp"
#include "measurement.hpp"
#include "text.hpp"

namespace floe::cli {
namespace {

/// The array of a file, or its begin if it is larger than the user wants.
struct LoadedArray {
  std::vector<std::byte> file;
  std::span<const std::byte> elements;
  DType dtype = DType::u8;
  Extent extent;
};

constexpr std::uint64_t room_for_prefix_bytes = std::uint64_t{1} << 20;

LoadedArray load(const Arguments& arguments, const std::string& file) {
  LoadedArray loaded;
  InputFile source = InputFile::open(file, true);
  const std::uint64_t limit_bytes = arguments.bench_limit_bytes;
  loaded.file = source.read_up_to(limit_bytes == 0 ? UINT64_MAX : limit_bytes + room_for_prefix_bytes);
  const std::uint64_t whole_bytes = std::max<std::uint64_t>(source.size_bytes().value_or(0), loaded.file.size());
  const ArrayDescription array = describe_array(arguments.array, source.label(), loaded.file, whole_bytes);
  if (arguments.verbose && !array.note.empty()) print_note(fmt::format("{}: {}", printable(source.label()), array.note));
  loaded.dtype = array.dtype;
  loaded.elements = std::span(loaded.file).subspan(array.prefix_bytes);
  loaded.extent = array.extent(loaded.elements.size() / size_of(array.dtype));
  if (limit_bytes != 0 && loaded.elements.size() > limit_bytes) {
    const std::uint64_t count = limit_bytes / size_of(array.dtype);
    loaded.elements = loaded.elements.first(count * size_of(array.dtype));
    loaded.extent = Extent::linear(count);
  }
  if (loaded.elements.empty()) throw Failure(ExitCode::error, file, "holds no elements, so there is nothing to measure");
  return loaded;
}

std::vector<std::string> codecs_for(const Arguments& arguments, DType dtype) {
  std::vector<std::string> names;
  for (const CodecInfo& codec : codecs()) {
    const auto& wanted = arguments.bench_codecs;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), codec.name) == wanted.end()) continue;
    Options options;
    options.codec = codec.name;
    const Result<CodecInfo> chosen = choose_codec(dtype, options);
    if (chosen && chosen->id == codec.id) names.emplace_back(codec.name);
  }
  return names;
}

void add_speeds(Json& entry, const std::string& name, const Speeds& speeds) {
  entry[name + "_gbps"] = speeds.median;
  entry[name + "_gbps_min"] = speeds.slowest;
  entry[name + "_gbps_max"] = speeds.fastest;
}

Json measurement_as_json(const std::string& file, const LoadedArray& array, const std::string& codec, std::uint32_t threads,
                         const Measurement& m) {
  Json entry;
  entry["file"] = file;
  entry["dtype"] = name_of(array.dtype);
  entry["codec"] = codec;
  entry["isa"] = floe::instruction_set();
  entry["threads"] = threads;
  entry["runs"] = m.runs;
  entry["input_bytes"] = array.elements.size();
  entry["stored_bytes"] = m.stored_bytes;
  entry["ratio"] = static_cast<double>(array.elements.size()) / static_cast<double>(m.stored_bytes);
  add_speeds(entry, "compress", m.compress);
  add_speeds(entry, "decompress", m.decompress);
  add_speeds(entry, "memcpy", m.memcpy);
  return entry;
}

std::string speeds_text(const Speeds& s) { return fmt::format("{:6.2f} ({:.2f}-{:.2f})", s.median, s.slowest, s.fastest); }

void print_row(const std::string& name, const std::string& ratio, const std::string& compress, const std::string& decompress) {
  fmt::print("  {:<9} {:>7}  {:<22} {}\n", name, ratio, compress, decompress);
  std::fflush(stdout);
}

void bench_file(const Arguments& arguments, const std::string& file, Json& all) {
  const LoadedArray array = load(arguments, file);
  const std::uint32_t threads = resolved_threads(arguments.threads);
  const std::vector<std::string> names = codecs_for(arguments, array.dtype);
  if (names.empty()) return print_note(fmt::format("{}: none of the chosen codecs takes {}", printable(file), name_of(array.dtype)));
  if (!arguments.json) {
    fmt::print("{}: {} {}, {}, {} thread{}\n", printable(file), name_of(array.dtype),
               shape_text(std::span(array.extent.size).first(array.extent.rank)), bytes_text(array.elements.size()), threads,
               threads == 1 ? "" : "s");
    print_row("codec", "ratio", "compress GB/s", "decompress GB/s");
  }
  Bench bench(file, array.elements, array.dtype, array.extent);
  for (const std::string& name : names) {
    Options options = arguments.compress_options();
    options.codec = name;
    const Measurement m = bench.measure(options, {arguments.bench_runs, arguments.bench_seconds});
    if (arguments.json) {
      all.push_back(measurement_as_json(file, array, name, threads, m));
    } else {
      print_row(name, fmt::format("{:.3f}", static_cast<double>(array.elements.size()) / static_cast<double>(m.stored_bytes)),
                speeds_text(m.compress), speeds_text(m.decompress));
    }
  }
  if (!arguments.json) print_row("memcpy", "", speeds_text(bench.memcpy_speeds()), "");
}

}  // namespace

ExitCode run_bench(const Arguments& arguments) {
  Json all = Json::array();
  const ExitCode code = for_each_file(arguments, [&](const std::string& file) { bench_file(arguments, file, all); });
  if (arguments.json) print_json(all);
  return code;
}

}  // namespace floe::cli
