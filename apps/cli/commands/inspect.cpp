// floe inspect: what compressed files hold and how, without decoding them.
#include <fmt/core.h>

#include <algorithm>

#include "base/text.hpp"
#include "commands/commands.hpp"
#include "commands/for_each_file.hpp"
#include "frames/file_frame.hpp"
#include "report/frame_facts.hpp"
#include "tensors/packed_facts.hpp"

namespace floe::cli {
namespace {

void print_line(std::string_view what, const std::string& text) { fmt::print("  {:<10} {}\n", what, text); }

void print_content(const FrameInfo& info) {
  if (info.content == Content::array) {
    print_line("array", fmt::format("{} {}: {}, {}", name_of(info.dtype), shape_text(info), count_text(info),
                                    bytes_text(info.array_bytes())));
    if (!info.prefix.empty())
      print_line("prefix", fmt::format("{} kept before the elements", plural(info.prefix.size(), "byte")));
    return;
  }
  print_line("table", fmt::format("{}, from {}", count_text(info), source_text(info.source)));
  for (std::size_t i = 0; i < info.columns.size(); ++i)
    print_line(i == 0 ? "columns" : "",
               fmt::format("{:<20} {}", printable(info.columns[i].name), name_of(info.columns[i].type)));
  if (info.padding_bytes != 0)
    print_line("padding", fmt::format("{} behind each record", plural(info.padding_bytes, "byte")));
}

void print_storage(const FrameInfo& info, const ChunkCounts& chunks) {
  const auto original = original_bytes(info);
  print_line("stored",
             bytes_text(info.frame_bytes) +
                 (original ? fmt::format(", ratio {:.3f}", ratio_of(*original, info.frame_bytes)) : ""));
  print_line("segments", fmt::format("{} of up to {}", info.segment_count,
                                     plural(info.max_segment_length,
                                            info.content == Content::array ? "element" : "row")));
  if (chunks.chunks != 0)
    print_line("chunks", fmt::format("{}: {} coded, {} raw; {} of payload", chunks.chunks, chunks.coded,
                                     chunks.raw, bytes_text(chunks.payload_bytes)));
  print_line("checksums",
             info.has_checksums ? fmt::format("of all streams, digest {:016x}", info.digest) : "none");
  print_line("format", fmt::format("version {}", info.format_version));
}

void print_segment(const FrameInfo& info, const StoredSegment& segment, std::uint64_t index) {
  const bool is_table = info.content == Content::table;
  fmt::print("  segment {}: {} {} to {}, {} at byte {}\n", index, is_table ? "rows" : "elements",
             segment.first, segment.first + segment.count, bytes_text(segment.stored_bytes), segment.offset);
  for (std::size_t i = 0; i < segment.columns.size(); ++i) {
    const StoredColumn& column = segment.columns[i];
    fmt::print("    {:<20} {:>10}  {}\n", is_table ? printable(info.columns[i].name) : "",
               column.stored_bytes, column_text(info, column, segment.count));
    for (const std::string& tree : column.trees) fmt::print("    {:<20} {:>10}  {}\n", "", "", tree);
  }
}

void add(ChunkCounts& sum, const ChunkCounts& more) {
  sum.chunks += more.chunks;
  sum.raw += more.raw;
  sum.coded += more.coded;
  sum.payload_bytes += more.payload_bytes;
}

void print_frame(const Arguments& arguments, const std::string& file, FileFrame& frame) {
  const FrameInfo& info = frame.info();
  std::vector<StoredSegment> shown;
  ChunkCounts chunks;
  for (std::uint64_t i = 0; i < info.segment_count; ++i) {
    StoredSegment segment = frame.segment(i);
    add(chunks, segment.chunks);
    if (i == 0 || arguments.verbose) shown.push_back(std::move(segment));
  }
  fmt::print("{}\n", printable(file));
  print_content(info);
  print_storage(info, chunks);
  for (std::size_t i = 0; i < shown.size(); ++i) print_segment(info, shown[i], i);
  if (shown.size() < info.segment_count)
    fmt::print("  ({}; -v prints them)\n", plural(info.segment_count - shown.size(), "more segment"));
}

Json frame_as_json(const std::string& file, FileFrame& frame) {
  Json facts = facts_as_json(file, frame.info());
  Json segments = Json::array();
  ChunkCounts chunks;
  for (std::uint64_t i = 0; i < frame.info().segment_count; ++i) {
    const StoredSegment segment = frame.segment(i);
    add(chunks, segment.chunks);
    segments.push(segment_as_json(segment));
  }
  facts.set("chunk_count", chunks.chunks);
  facts.set("chunks_raw", chunks.raw);
  facts.set("chunks_coded", chunks.coded);
  facts.set("payload_bytes", chunks.payload_bytes);
  facts.set("segments", std::move(segments));
  return facts;
}

}  // namespace

ExitCode run_inspect(const Arguments& arguments) {
  refuse_folders(arguments.files, "floe inspect", ".floe");
  Json all = Json::array();
  const ExitCode code = for_each_file(arguments.files, [&](const std::string& file) {
    const InputFile source = InputFile::open(file, false);
    if (const auto packed = packed_tensors_in(source)) {
      if (arguments.json)
        return all.push(inspected_as_json(file, source, *packed, arguments.memory_limit_bytes));
      return print_inspected(source, *packed, arguments.memory_limit_bytes);
    }
    FileFrame frame(source, arguments.memory_limit_bytes);
    if (arguments.json) return all.push(frame_as_json(file, frame));
    print_frame(arguments, source.label(), frame);
  });
  if (arguments.json) print_json(all);
  return code;
}

}  // namespace floe::cli
