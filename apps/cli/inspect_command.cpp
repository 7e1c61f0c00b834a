// floe -l and floe inspect: what compressed files are, without decoding them.
#include <fmt/format.h>

#include <cstdio>

#include "commands.hpp"
#include "for_each_file.hpp"
#include "frame_facts.hpp"
#include "input_file.hpp"
#include "streaming.hpp"
#include "text.hpp"

namespace floe::cli {
namespace {

void print_line(const char* what, const std::string& text) { fmt::print("  {:<10} {}\n", what, text); }

std::string plural(std::uint64_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void print_facts(const InputFile& source, const FrameInfo& info, const ChunkCounts& counts) {
  fmt::print("{}\n", printable(source.label()));
  print_line("array", fmt::format("{} {}: {}, {}", name_of(info.dtype), shape_text(info),
                                  plural(info.element_count, "element"), bytes_text(info.array_bytes())));
  if (!info.prefix.empty())
    print_line("prefix", fmt::format("{} kept before the elements", plural(info.prefix.size(), "byte")));
  print_line("stored",
             fmt::format("{}, ratio {:.3f}: {} of payload, {} around it", bytes_text(info.frame_bytes),
                         ratio_of(info), bytes_text(counts.payload_bytes),
                         bytes_text(info.frame_bytes - counts.payload_bytes)));
  print_line("codec", fmt::format("{}: {}", info.codec.name, info.codec.summary));
  if (info.codec.name == "gfc") print_line("", fmt::format("dimensionality {}", info.dimensionality));
  print_line("chunks", fmt::format("{}: {} coded, {} raw", counts.chunks, counts.coded, counts.raw));
  print_line("segments", fmt::format("{} of up to {} bytes", info.segment_count, info.segment_bytes));
  if (counts.segments_without_history != 0)
    print_line("", fmt::format("{} without matches in their history", counts.segments_without_history));
  print_line("checksums",
             info.has_checksums ? fmt::format("one per chunk, digest {:016x}", info.digest) : "none");
  print_line("format", fmt::format("version {}", info.format_version));
}

}  // namespace

ExitCode run_inspect(const Arguments& arguments) {
  Json all = Json::array();
  const ExitCode code = for_each_file(arguments.files, [&](const std::string& file) {
    const InputFile source = InputFile::open(file, false);
    FileFrame frame(source);
    const ChunkCounts counts = frame.count_chunks();
    if (!arguments.json) return print_facts(source, frame.info(), counts);
    Json facts = facts_as_json(file, frame.info());
    facts["chunk_count"] = counts.chunks;
    facts["chunks_raw"] = counts.raw;
    facts["chunks_coded"] = counts.coded;
    facts["segments_without_history"] = counts.segments_without_history;
    facts["payload_bytes"] = counts.payload_bytes;
    all.push_back(std::move(facts));
  });
  if (arguments.json) print_json(all);
  return code;
}

ExitCode run_list(const Arguments& arguments) {
  Json all = Json::array();
  bool headline_wanted = !arguments.json;
  const ExitCode code = for_each_file(arguments.files, [&](const std::string& file) {
    const InputFile source = InputFile::open(file, false);
    const FileFrame frame(source);
    const FrameInfo& info = frame.info();
    if (arguments.json) return all.push_back(facts_as_json(file, info));
    if (std::exchange(headline_wanted, false)) {
      fmt::print("{:>10}  {:>10}  {:>8}  {:<8}  {:<4}  {:<18}  {}\n", "Stored", "Original", "Ratio", "Codec",
                 "Type", "Shape", "File");
    }
    fmt::print("{:>10}  {:>10}  {:>8.3f}  {:<8}  {:<4}  {:<18}  {}\n", bytes_text(info.frame_bytes),
               bytes_text(info.array_bytes() + info.prefix.size()), ratio_of(info), info.codec.name,
               name_of(info.dtype), shape_text(info), printable(source.label()));
  });
  if (arguments.json) print_json(all);
  return code;
}

}  // namespace floe::cli
