#include "pipeline/table_coder.hpp"

#include <algorithm>

#include "pipeline/array_plan.hpp"
#include "pipeline/base_choice.hpp"
#include "pipeline/base_column.hpp"
#include "pipeline/describe.hpp"

namespace floe::pipeline {
namespace {

using container::ColumnEntry;
using container::StreamEntry;
using rows::ColumnContent;
using rows::SegmentRows;
using rows::Words;

/// If columns have no more text on average, sketches say how to read them, since searches for all ways would
/// take too long; goals that are about size search, too, if there are no more columns than this.
constexpr std::uint64_t sketched_column_bytes = std::uint64_t{1} << 11, max_searched_columns = 128;
/// Tables of no more text are small. Parts of others can be read by themselves, which `ratio` gives up for so
/// much of their bytes.
constexpr std::uint64_t small_text_bytes = std::uint64_t{1} << 18, worthwhile_text_part = 32;
/// Words of a table of more text share trees only if an ordinary frame has headers of such a part of its
/// bytes.
constexpr std::uint64_t shared_text_bytes = std::uint64_t{1} << 20;
/// Streams of tables of no more text are encoded as faster goals do it, too.
constexpr std::uint64_t compared_text_bytes = std::uint64_t{1} << 21;

trees::ColumnView view_of(const Words& words) { return {words.type(), words.data(), words.count()}; }

}  // namespace

TableCoder::TableCoder(const TableOptions& table, const Options& options, core::Workers& workers)
    : table_(table), options_(options), workers_(workers), groups_(workers_, options) {
  const trees::Objective objective = trees::objective_of(trees::Preset::balanced),
                         of_columns = trees::objective_for_columns(objective);
  cost_ = [this, objective](const Words& words) {
    return reading_ == Reading::sketched ? bytes_among_others(words)
                                         : encode_alone(view_of(words), objective).size();
  };
  const auto reading_cost = [this, of_columns](const Words& words) {
    return reading_ == Reading::searched ? encode_alone(view_of(words), of_columns).size() : cost_(words);
  };
  source_ = table.source == TableSource::csv ? rows::make_csv_source(table, reading_cost)
                                             : rows::make_record_source(table);
}

void TableCoder::prepare(const Batch& batch, bool is_whole) {
  std::uint64_t bytes = 0;
  for (const auto& rows : batch) bytes += rows->source_bytes();
  const std::uint64_t columns = source_->description().schema.size();
  is_compact_ = is_whole && may_be_compact(batch);
  is_early_ = is_compact_ && (are_short(columns, bytes) || (is_about_size() && bytes <= small_text_bytes));
  const bool are_sketched = is_early_ && bytes <= sketched_column_bytes * columns;
  faster_reading_ = are_sketched ? Reading::sketched : Reading::hasty;
  const bool is_searched =
      are_sketched ? is_about_size() && columns <= max_searched_columns : options_.goal != Goal::speed;
  reading_ = is_searched ? Reading::searched : faster_reading_;
  if (!choice_) make_choice(batch);
}

void TableCoder::make_choice(const Batch& batch) {
  Result<trees::Objective> objective = objective_of(options_);
  // Of small tables nearly always a compact frame is smaller, which is searched by itself.
  const bool is_small = is_compact_ && batch[0]->source_bytes() <= small_text_bytes;
  if (is_small && options_.goal == Goal::max) *objective = trees::objective_of(trees::Preset::ratio);
  objective->compares_faster =
      is_compact_ && options_.goal != Goal::speed && batch[0]->source_bytes() <= compared_text_bytes;
  choice_.emplace(table_, source_->description().schema, trees::objective_for_columns(*objective));
}

StreamCoder& TableCoder::coder_of(const CoderKey& key, TreeOutcomes& outcomes) {
  auto& coder = coders_[key];
  if (coder == nullptr)
    coder = choice_->coder_for(std::get<0>(key), std::get<1>(key), std::get<3>(key), outcomes);
  return *coder;
}

/// Whether a batch is all of a table of CSV text, for which no trees are given.
bool TableCoder::may_be_compact(const Batch& batch) const {
  return coded_segments_ == 0 && batch.size() == 1 && table_.source == TableSource::csv &&
         options_.profile == Profile::cpu && table_.trees.empty() && table_.planners == nullptr;
}

/// All columns of all segments.
std::vector<ColumnContent> TableCoder::read(const Batch& batch) {
  const std::size_t column_count = source_->description().schema.size();
  std::vector<ColumnContent> contents(batch.size() * column_count);
  core::for_each_task(workers_, static_cast<std::uint32_t>(contents.size()), [&](std::uint32_t i) {
    contents[i] = batch[i / column_count]->column(static_cast<std::uint32_t>(i % column_count));
  });
  take_bases(contents);
  return contents;
}

TableCoder::Coded TableCoder::code(const Batch& batch) {
  const std::size_t column_count = source_->description().schema.size();
  std::vector<ColumnContent> contents = read(batch);
  std::vector<std::vector<Words>> malformed, padding;  // by segment
  for (std::size_t s = 0; s < batch.size(); ++s) {
    malformed.push_back(batch[s]->malformed());
    padding.push_back(batch[s]->padding());
  }
  if (is_early_) {
    Coded compact = code_early(batch, malformed[0], contents);
    if (!compact || !compact->empty()) return compact;
  }
  std::vector<StreamJob> jobs;
  std::vector<TreeOutcomes> outcomes(batch.size());
  for (std::size_t s = 0; s < batch.size(); ++s) {
    for (const Words& words : malformed[s]) jobs.push_back({nullptr, view_of(words), false, {}, 0});
    for (const Words& words : padding[s]) jobs.push_back({nullptr, view_of(words), false, {}, 0});
    for (std::uint32_t column = 0; column < column_count; ++column) {
      const ColumnContent& content = contents[s * column_count + column];
      for (std::size_t k = 0; k < content.streams.size(); ++k) {
        const Words& words = content.streams[k];
        jobs.push_back({&coder_of({column, k, content.format.kind, words.type()}, outcomes[s]),
                        view_of(words),
                        false,
                        {},
                        0});
      }
      choice_->find_trees_beyond(column, content.streams.size(), outcomes[s]);
    }
  }
  if (const Status status = groups_.encode(jobs); !status.ok()) return status;
  std::vector<CodedSegment> coded;
  StreamJob* job = jobs.data();
  for (std::size_t s = 0; s < batch.size(); ++s) {
    coded.push_back(assemble(*batch[s], malformed[s].size(), padding[s].size(),
                             std::span(contents).subspan(s * column_count, column_count), job,
                             coded_segments_++));
    coded.back().trees = std::move(outcomes[s]);
  }
  const std::uint64_t text_bytes = batch[0]->source_bytes();
  if (is_compact_ && !is_early_ && is_about_size() && text_bytes <= max_compared_text_bytes) {
    std::uint64_t max_bytes = frame_bytes_of(coded[0].header);
    const std::uint64_t header_bytes = max_bytes - coded[0].header.payload_bytes();
    const bool shares_trees =
        text_bytes <= shared_text_bytes || header_bytes >= max_bytes / worthwhile_text_part;
    if (options_.goal == Goal::ratio && text_bytes > small_text_bytes)
      max_bytes -= max_bytes / worthwhile_text_part;
    Coded compact = code_compact(*batch[0], malformed[0], contents, shares_trees, true, max_bytes);
    if (!compact || !compact->empty()) return compact;
  }
  return coded;
}

/// Columns with base columns become differences from these. Trees and planners that were given are for the
/// numbers themselves, so that such columns have none.
void TableCoder::take_bases(std::span<ColumnContent> contents) {
  const bool has_other_planner = table_.planners != nullptr && table_.planners->make() != nullptr;
  if (options_.goal == Goal::speed || has_other_planner) return;
  const std::size_t column_count = source_->description().schema.size();
  std::vector<bool> is_free(column_count);
  for (std::size_t i = 0; i < column_count; ++i)
    is_free[i] = !choice_->has_tree(static_cast<std::uint32_t>(i));
  for (; !contents.empty(); contents = contents.subspan(column_count)) {
    const std::span columns = contents.first(column_count);
    const auto bases = choose_bases(columns, is_free, cost_, workers_);
    for (std::size_t i = 0; i < column_count; ++i) {
      columns[i].base = bases[i];
      if (bases[i]) subtract_base(columns[i].streams[0], columns[bases[i]->index].streams[0], *bases[i]);
    }
  }
}

/// Takes the jobs of a segment.
CodedSegment TableCoder::assemble(const SegmentRows& rows, std::size_t malformed_streams,
                                  std::size_t padding_streams, std::span<const ColumnContent> columns,
                                  StreamJob*& job, std::uint64_t index) {
  CodedSegment segment;
  segment.header.count = rows.row_count();
  segment.header.lacks_last_line_end = rows.lacks_last_line_end();
  const auto take = [&](std::vector<StreamEntry>& entries) {
    entries.push_back(
        {job->words.type, static_cast<std::uint32_t>(job->words.count), job->bytes.size(), job->digest});
    segment.streams.push_back(std::move(job->bytes));
    ++job;
  };
  for (std::size_t i = 0; i < malformed_streams; ++i) take(segment.header.malformed);
  for (std::size_t i = 0; i < padding_streams; ++i) take(segment.header.padding);
  for (const ColumnContent& column : columns) {
    ColumnEntry& entry =
        segment.header.columns.emplace_back(ColumnEntry{column.format, column.range, {}, column.base});
    for (std::size_t k = 0; k < column.streams.size(); ++k) take(entry.streams);
  }
  if (!options_.on_segment) return segment;

  segment.planned.source_bytes = rows.source_bytes();
  std::size_t stream = malformed_streams + padding_streams;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::size_t count = columns[i].streams.size();
    const std::vector<std::span<const std::uint8_t>> stored(
        segment.streams.begin() + static_cast<std::ptrdiff_t>(stream),
        segment.streams.begin() + static_cast<std::ptrdiff_t>(stream + count));
    if (Result<StoredColumn> described = describe_column(
            segment.header.columns[i], source_->description().schema, options_.checksum, stored))
      segment.planned.stored.columns.push_back(std::move(*described));
    PlannedColumn& planned = segment.planned.columns.emplace_back();
    planned.source_bytes = rows.source_bytes(static_cast<std::uint32_t>(i));
    for (std::size_t k = 0; k < count; ++k)
      planned.streams.push_back(describe_stream(view_of(columns[i].streams[k]), stored[k],
                                                choice_->objective(), index < options_.explained_segments));
    stream += count;
  }
  return segment;
}

container::Header TableCoder::header_of(const container::SegmentHeader* first) const {
  container::Header header;
  header.content = Content::table;
  header.checksums = options_.checksum;
  header.max_segment_length = table_.segment_rows;
  header.table = source_->description();
  const std::string_view preamble = source_->preamble();
  header.prefix.assign(preamble.begin(), preamble.end());
  if (table_.schema.empty()) {
    for (std::size_t i = 0; first != nullptr && i < first->columns.size(); ++i) {
      header.table.schema[i].type = rows::inferred_type(first->columns[i]);
      header.table.schema[i].decimals = first->columns[i].format.decimals;
    }
  }
  return header;
}

}  // namespace floe::pipeline
