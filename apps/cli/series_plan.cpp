// floe series plan: how the columns of a table would be encoded, which trees were candidates, and what they
// are worth.
#include <fmt/format.h>

#include <functional>
#include <limits>
#include <optional>

#include "for_each_file.hpp"
#include "input_file.hpp"
#include "plan_page.hpp"
#include "plans_as_json.hpp"
#include "series_commands.hpp"
#include "series_facts.hpp"
#include "streaming.hpp"
#include "table_writer.hpp"
#include "text.hpp"

namespace floe::cli {
namespace {

void print_stream(const tables::PlannedStream& stream, const std::string& tree) {
  const std::string parts =
      stream.part_count > 1 ? fmt::format(" in {} parts; the first one's tree", stream.part_count) : "";
  fmt::print("      {} words of type {}, {} bytes{}\n", stream.word_count, stream.words, stream.stored_bytes,
             parts);
  if (stream.candidates.empty()) fmt::print("      {}\n", tree);
  if (!stream.candidates.empty()) {
    fmt::print("      {:>23}  {:>16}  {:>16}\n", "bytes", "encode, GB/s", "decode, GB/s");
    fmt::print("      {0:>12} {1:>10}  {0:>9} {1:>6}  {0:>9} {1:>6}\n", "estimate", "actual");
  }
  const auto speed = [&stream](double nanoseconds) { return gigabytes_per_second(stream, nanoseconds); };
  for (const tables::CandidateTree& candidate : stream.candidates) {
    const bool is_used = candidate.tree == tree;
    fmt::print("    {} {:>12} {:>10}  {:>9.2f} {:>6.2f}  {:>9.2f} {:>6.2f} {} {}\n", is_used ? '*' : ' ',
               candidate.estimated_bytes, candidate.encoded_bytes,
               speed(candidate.estimated_speed.encode_nanoseconds),
               speed(candidate.measured_speed.encode_nanoseconds),
               speed(candidate.estimated_speed.decode_nanoseconds),
               speed(candidate.measured_speed.decode_nanoseconds), candidate.is_unbeaten ? '+' : ' ',
               candidate.tree);
    if (is_used && !candidate.keeps_speed)
      fmt::print("      this tree is slower than --decode-speed demands, like all that were found\n");
  }
}

void print_segment(const tables::Schema& schema, const tables::PlannedSegment& segment, std::uint64_t index,
                   bool has_columns) {
  const tables::StoredSegment& stored = segment.stored;
  fmt::print("segment {}: rows {} to {}, {} -> {} (ratio {:.2f})\n", index, stored.first_row,
             stored.first_row + stored.row_count, bytes_text(segment.source_bytes),
             bytes_text(stored.stored_bytes), ratio_of(segment.source_bytes, stored.stored_bytes));
  for (std::size_t i = 0; has_columns && i < stored.columns.size(); ++i) {
    const tables::StoredColumn& column = stored.columns[i];
    const std::uint64_t source_bytes = segment.columns[i].source_bytes;
    fmt::print("  {:<20} {} -> {} (ratio {:.2f}), {}\n", printable(schema[i].name), bytes_text(source_bytes),
               bytes_text(column.stored_bytes), ratio_of(source_bytes, column.stored_bytes),
               column_text(column, stored.row_count));
    for (std::size_t k = 0; k < column.trees.size(); ++k)
      print_stream(segment.columns[i].streams[k], column.trees[k]);
  }
}

void print_sum(const TablePlan& plan, bool all_segments) {
  const tables::TableInfo& info = plan.info;
  fmt::print("{} rows of {} columns, from {}; {} -> {} in {} segments (ratio {:.2f})\n", info.row_count,
             info.columns.size(), source_text(info.source), bytes_text(plan.source_bytes),
             bytes_text(info.table_bytes), info.segment_count, ratio_of(plan.source_bytes, info.table_bytes));
  if (info.segment_count > 1 && !all_segments)
    fmt::print("(-v says of all segments what it says of the first)\n");
}

using TakeSegment =
    std::function<void(const tables::Schema&, const tables::PlannedSegment&, std::uint64_t index)>;

/// Compresses into nothing.
TablePlan plan_of(const SeriesArguments& arguments, InputFile& source, const TakeSegment& take) {
  TablePlan plan;
  plan.file = source.label();
  std::optional<TableWriter> table;
  table.emplace(
      arguments, source.label(), [](std::span<const std::byte>) {},
      [&](tables::TableOptions& options) {
        options.explained_segments = arguments.verbose ? std::numeric_limits<std::uint64_t>::max() : 1;
        options.on_segment = [&](const tables::PlannedSegment& segment) {
          take(table->info().columns, segment, plan.segments.ratios.size());
          plan.add(segment);
        };
      });
  for_each_block(source, {}, [&](std::span<const std::byte> bytes) {
    plan.source_bytes += bytes.size();
    table->write(bytes);
  });
  table->finish();
  plan.info = table->info();
  return plan;
}

void plan_table(const SeriesArguments& arguments, const std::string& file, PlansAsJson& plans) {
  InputFile source = InputFile::open(file, true);
  const bool is_text = !arguments.json && arguments.picture != "-";
  if (is_text) fmt::print("{}\n", printable(source.label()));
  if (arguments.json) plans.begin(source.label());
  const TablePlan plan =
      plan_of(arguments, source,
              [&](const tables::Schema& schema, const tables::PlannedSegment& segment, std::uint64_t index) {
                if (arguments.json) plans.add(segment);
                if (is_text) print_segment(schema, segment, index, index == 0 || arguments.verbose);
              });
  if (is_text) print_sum(plan, arguments.verbose);
  if (arguments.json) plans.finish(plan.info, plan.source_bytes);
  if (arguments.picture.empty()) return;
  write_new_file(arguments.picture, arguments.force, [&plan](OutputFile& output) {
    const std::string page = plan_page(plan);
    output.write(std::as_bytes(std::span(page)));
  });
}

}  // namespace

ExitCode plan_tables(const SeriesArguments& arguments) {
  PlansAsJson plans;
  const ExitCode code =
      for_each_file(arguments.files, [&](const std::string& file) { plan_table(arguments, file, plans); });
  if (arguments.json) plans.finish();
  return code;
}

}  // namespace floe::cli
