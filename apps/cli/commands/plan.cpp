// floe plan: how a file would be encoded, which trees were candidates, and what they are worth.
#include <fmt/core.h>

#include <functional>
#include <limits>
#include <optional>

#include "base/console.hpp"
#include "base/text.hpp"
#include "commands/commands.hpp"
#include "commands/for_each_file.hpp"
#include "frames/frame_writer.hpp"
#include "input/blocks.hpp"
#include "input/packed_files.hpp"
#include "output/new_file.hpp"
#include "report/frame_facts.hpp"
#include "report/plan_page.hpp"
#include "report/plans_as_json.hpp"
#include "tensors/each_tensor.hpp"

namespace floe::cli {
namespace {

void print_candidate(const PlannedStream& stream, const CandidateTree& candidate, bool is_used) {
  const auto speed = [&stream](double nanoseconds) { return gigabytes_per_second(stream, nanoseconds); };
  fmt::print(
      "    {} {:>12} {:>10}  {:>9.2f} {:>6.2f}  {:>9.2f} {:>6.2f} {} {}\n", is_used ? '*' : ' ',
      candidate.estimated_bytes, candidate.encoded_bytes, speed(candidate.estimated_speed.encode_nanoseconds),
      speed(candidate.measured_speed.encode_nanoseconds), speed(candidate.estimated_speed.decode_nanoseconds),
      speed(candidate.measured_speed.decode_nanoseconds), candidate.is_unbeaten ? '+' : ' ', candidate.tree);
  if (is_used && !candidate.keeps_speed)
    fmt::print("      this tree is slower than --decode-speed demands, like all that were found\n");
}

void print_stream(const PlannedStream& stream, const std::string& tree) {
  const std::string parts =
      stream.part_count > 1 ? fmt::format(" in {} parts; the first one's tree", stream.part_count) : "";
  fmt::print("      {} words of type {}, {} bytes{}\n", stream.word_count, name_of(stream.words),
             stream.stored_bytes, parts);
  if (stream.candidates.empty()) fmt::print("      {}\n", tree);
  if (!stream.candidates.empty()) {
    fmt::print("      {:>23}  {:>16}  {:>16}\n", "bytes", "encode, GB/s", "decode, GB/s");
    fmt::print("      {0:>12} {1:>10}  {0:>9} {1:>6}  {0:>9} {1:>6}\n", "estimate", "actual");
  }
  for (const CandidateTree& candidate : stream.candidates)
    print_candidate(stream, candidate, candidate.tree == tree);
}

void print_segment(const FrameInfo& info, const PlannedSegment& segment, std::uint64_t index,
                   bool has_columns) {
  const StoredSegment& stored = segment.stored;
  const bool is_table = info.content == Content::table;
  fmt::print("segment {}: {} {} to {}, {} -> {} (ratio {:.2f})\n", index, is_table ? "rows" : "elements",
             stored.first, stored.first + stored.count, bytes_text(segment.source_bytes),
             bytes_text(stored.stored_bytes), ratio_of(segment.source_bytes, stored.stored_bytes));
  for (std::size_t i = 0; has_columns && i < stored.columns.size(); ++i) {
    const StoredColumn& column = stored.columns[i];
    const std::uint64_t source_bytes = segment.columns[i].source_bytes;
    fmt::print("  {:<20} {} -> {} (ratio {:.2f}), {}\n",
               is_table ? printable(info.columns[i].name) : name_of(info.dtype), bytes_text(source_bytes),
               bytes_text(column.stored_bytes), ratio_of(source_bytes, column.stored_bytes),
               column_text(info, column, stored.count));
    for (std::size_t k = 0; k < column.trees.size(); ++k)
      print_stream(segment.columns[i].streams[k], column.trees[k]);
  }
}

void print_sum(const FramePlan& plan, bool all_segments) {
  const FrameInfo& info = plan.info;
  fmt::print("{}; {} -> {} in {} (ratio {:.2f})\n", short_description(info), bytes_text(plan.source_bytes),
             bytes_text(info.frame_bytes), plural(info.segment_count, "segment"),
             ratio_of(plan.source_bytes, info.frame_bytes));
  if (info.segment_count > 1 && !all_segments)
    fmt::print("(-v says of all segments what it says of the first)\n");
}

using TakeSegment = std::function<void(const FrameInfo&, const PlannedSegment&, std::uint64_t index)>;

/// Compresses into nothing.
FramePlan plan_of(const Arguments& arguments, InputFile& source, std::span<const std::byte> begin,
                  const SourceContent& content, const TakeSegment& take) {
  FramePlan plan;
  plan.file = source.label();
  std::optional<FrameWriter> frame;
  Options options = arguments.compress_options();
  options.explained_segments = arguments.verbose ? std::numeric_limits<std::uint64_t>::max() : 1;
  options.on_segment = [&](const PlannedSegment& segment) {
    take(frame->info(), segment, plan.segments.ratios.size());
    plan.add(segment);
  };
  frame.emplace(
      arguments, options, FrameWriter::Source{source.label(), content, begin},
      [](std::span<const std::byte>) {}, print_note);
  for_each_block(source, begin, [&](std::span<const std::byte> bytes) { frame->write(bytes); });
  frame->finish();
  plan.source_bytes = frame->source_bytes();
  plan.info = frame->info();
  return plan;
}

void plan_source(const Arguments& arguments, InputFile& source, std::span<const std::byte> begin,
                 const SourceContent& content, PlansAsJson& plans) {
  const bool is_text = !arguments.json && arguments.picture != "-";
  if (is_text) fmt::print("{}\n", printable(source.label()));
  if (arguments.json) plans.begin(source.label());
  const FramePlan plan =
      plan_of(arguments, source, begin, content,
              [&](const FrameInfo& info, const PlannedSegment& segment, std::uint64_t index) {
                if (arguments.json) plans.add(segment);
                if (is_text) print_segment(info, segment, index, index == 0 || arguments.verbose);
              });
  if (is_text) print_sum(plan, arguments.verbose);
  if (arguments.json) plans.finish(plan.info, plan.source_bytes);
  if (arguments.picture.empty()) return;
  write_new_file(arguments.picture, arguments.force, [&plan](OutputFile& output) {
    const std::string page = plan_page(plan);
    output.write(std::as_bytes(std::span(page)));
  });
}

void plan_tensors(const Arguments& arguments, const std::string& file, PlansAsJson& plans) {
  if (!arguments.picture.empty())
    throw Failure(ExitCode::usage, file, "--picture shows one array, and this file holds tensors");
  for_each_tensor(arguments, file,
                  [&plans](const Arguments& with, InputFile& source, const SourceContent& content) {
                    const std::vector<std::byte> begin = read_begin(source);
                    plan_source(with, source, begin, content, plans);
                  });
}

void plan_file(const Arguments& arguments, const std::string& file, PlansAsJson& plans) {
  InputFile source = open_content(arguments, file, true);
  const std::vector<std::byte> begin = read_begin(source);
  if (is_tensors(arguments, file, begin)) return plan_tensors(arguments, file, plans);
  plan_source(arguments, source, begin, recognize_content(arguments, source, begin), plans);
}

}  // namespace

ExitCode run_plan(const Arguments& arguments) {
  refuse_folders(arguments.files, "floe plan");
  PlansAsJson plans;
  const ExitCode code =
      for_each_file(arguments.files, [&](const std::string& file) { plan_file(arguments, file, plans); });
  if (arguments.json) plans.finish();
  return code;
}

}  // namespace floe::cli
