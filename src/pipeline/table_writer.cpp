#include "pipeline/table_writer.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <thread>

#include "pipeline/array_plan.hpp"
#include "pipeline/base_choice.hpp"
#include "pipeline/base_column.hpp"
#include "pipeline/compact/compact_choice.hpp"
#include "pipeline/describe.hpp"

namespace floe::pipeline {
namespace {

using container::ColumnEntry;
using container::StreamEntry;
using rows::ColumnContent;
using rows::SegmentRows;
using rows::Words;

/// Segments of so many bytes of text or records are coded as a batch, but no more segments than these.
constexpr std::uint64_t batch_bytes = std::uint64_t{64} << 20;
constexpr std::size_t max_batch_segments = 8;

trees::ColumnView view_of(const Words& words) { return {words.type(), words.data(), words.count()}; }

/// Rows of a table of columns, in the memory of the caller.
class BorrowedColumns final : public SegmentRows {
 public:
  BorrowedColumns(const Schema& schema, std::span<const void* const> values, std::uint64_t first,
                  std::uint32_t count)
      : schema_(schema), values_(values), first_(first), count_(count) {}
  [[nodiscard]] std::uint32_t row_count() const override { return count_; }
  [[nodiscard]] ColumnContent column(std::uint32_t index) const override {
    const std::size_t width = size_of(schema_[index].type);
    return rows::native_column(static_cast<const std::uint8_t*>(values_[index]) + first_ * width, count_,
                               width, schema_[index].type);
  }
  [[nodiscard]] std::uint64_t source_bytes() const override {
    std::uint64_t bytes = 0;
    for (std::uint32_t i = 0; i < schema_.size(); ++i) bytes += source_bytes(i);
    return bytes;
  }
  [[nodiscard]] std::uint64_t source_bytes(std::uint32_t column) const override {
    return count_ * size_of(schema_[column].type);
  }

 private:
  const Schema& schema_;
  std::span<const void* const> values_;
  std::uint64_t first_;
  std::uint32_t count_;
};

}  // namespace

/// A segment that is ready to be written.
struct TableWriter::CodedSegment {
  container::SegmentHeader header;
  std::vector<std::vector<std::uint8_t>> streams;  ///< In the order of the header's.
  std::vector<Words> words;  ///< Of the streams, if the table may become a compact frame.
  std::string text;          ///< All rows, likewise.
  TreeOutcomes trees;
  PlannedSegment
      planned;  ///< As far as it was to be found out; without the place of the segment and its stored bytes.
};

TableWriter::TableWriter(const TableOptions& table, const Options& options, container::FrameSink& sink)
    : table_(table),
      options_(options),
      sink_(sink),
      workers_(options.threads, options.executor),
      frame_(sink),
      groups_(workers_, options) {
  const auto cost_by = [](const trees::Objective& objective) {
    return [objective](const Words& words) { return encode_alone(view_of(words), objective).size(); };
  };
  const trees::Objective objective = trees::objective_of(trees::Preset::balanced);
  cost_ = cost_by(objective);
  source_ =
      table.source == TableSource::csv
          ? rows::make_csv_source(
                table, options.goal == Goal::speed ? cost_ : cost_by(trees::objective_for_columns(objective)))
          : rows::make_record_source(table);
}

TableWriter::~TableWriter() { stop(); }

Status TableWriter::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    if (const Status status = source_->take(bytes); !status.ok()) return status;
    if (const Status status = start_segments(false); !status.ok()) return status;
  }
  return {};
}

Status TableWriter::write_columns(std::span<const void* const> values, std::uint64_t row_count) {
  struct Stop {
    TableWriter& writer;
    ~Stop() { writer.stop(); }
  } const at_the_end{*this};  // even without memory, the values are the caller's again
  for (std::uint64_t first = 0; first < row_count; first += table_.segment_rows) {
    const auto count =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(table_.segment_rows, row_count - first));
    const Status status = start(std::make_shared<BorrowedColumns>(table_.schema, values, first, count));
    if (!status.ok()) return status;
  }
  return drain();
}

Status TableWriter::finish() {
  is_complete_ = true;
  if (const Status status = start_segments(true); !status.ok()) return status;
  if (const Status status = drain(); !status.ok()) return status;
  if (compact_info_) return {};
  if (!frame_.has_begun()) {
    make_header(nullptr);
    if (const Status status = frame_.begin(header_); !status.ok()) return status;
  }
  return frame_.finish(frame_.element_count());
}

/// All that are complete.
Status TableWriter::start_segments(bool is_last) {
  for (;;) {
    Result<std::unique_ptr<SegmentRows>> rows = source_->next_segment(is_last);
    if (!rows) return rows.status();
    if (!*rows) return {};
    if (const Status status = start(std::move(*rows)); !status.ok()) return status;
  }
}

/// Begins to code segments when there are enough of them: how many depends on their content alone.
Status TableWriter::start(std::shared_ptr<const SegmentRows> rows) {
  waiting_bytes_ += rows->source_bytes();
  waiting_.push_back(std::move(rows));
  return waiting_bytes_ >= batch_bytes || waiting_.size() == max_batch_segments ? launch() : Status{};
}

/// Begins to code what is waiting, after what was begun before is written.
Status TableWriter::launch() {
  if (const Status status = write_coded(); !status.ok()) return status;
  if (waiting_.empty()) return {};
  if (!choice_) {
    make_choice();
    if (const auto homeless = choice_->tree_without_column())
      return refuse_tree(
          {*homeless, "", 0, {ErrorCode::invalid_argument, 0, "the table has no such column"}});
  }
  waiting_bytes_ = 0;
  const bool is_compact = may_be_compact(waiting_);
  const auto work = [this, is_compact, batch = std::exchange(waiting_, {})] {
    return code(batch, is_compact);
  };
  const bool has_own_threads = options_.executor == nullptr && workers_.max_tasks() > 1;
  try {
    coding_ = std::async(has_own_threads ? std::launch::async : std::launch::deferred, work);
  } catch (const std::system_error&) {  // no thread to be had
    coding_ = std::async(std::launch::deferred, work);
  }
  return {};
}

/// Codes and writes all that has arrived.
Status TableWriter::drain() {
  if (const Status status = launch(); !status.ok()) return status;
  return write_coded();
}

void TableWriter::make_choice() {
  Result<trees::Objective> objective = objective_of(options_);
  // Instead of these streams a compact frame is written, which is searched by itself.
  const bool has_compact_words =
      may_be_compact(waiting_) && waiting_[0]->source_bytes() <= max_compact_source_bytes;
  if (has_compact_words && options_.goal == Goal::max) *objective = trees::objective_of(trees::Preset::ratio);
  choice_.emplace(table_, source_->description().schema, trees::objective_for_columns(*objective));
}

StreamCoder& TableWriter::coder_of(const CoderKey& key, TreeOutcomes& outcomes) {
  auto& coder = coders_[key];
  if (coder == nullptr)
    coder = choice_->coder_for(std::get<0>(key), std::get<1>(key), std::get<3>(key), outcomes);
  return *coder;
}

/// Whether a batch is all of a small table, for which no trees are given.
bool TableWriter::may_be_compact(const Batch& batch) const {
  const bool is_small_goal = options_.goal == Goal::ratio || options_.goal == Goal::max;
  return is_complete_ && coded_segments_ == 0 && batch.size() == 1 &&
         batch[0]->source_bytes() <= max_compact_text_bytes && table_.source == TableSource::csv &&
         is_small_goal && options_.profile == Profile::cpu && table_.trees.empty() &&
         table_.planners == nullptr;
}

/// Reads the columns of all segments side by side, and encodes all of their streams as a group.
TableWriter::Coded TableWriter::code(const Batch& batch, bool keeps_content) {
  const std::size_t column_count = source_->description().schema.size();
  std::vector<ColumnContent> contents(batch.size() * column_count);
  core::for_each_task(workers_, static_cast<std::uint32_t>(contents.size()), [&](std::uint32_t i) {
    contents[i] = batch[i / column_count]->column(static_cast<std::uint32_t>(i % column_count));
  });
  take_bases(contents);
  std::vector<std::vector<Words>> malformed, padding;  // by segment
  std::vector<StreamJob> jobs;
  std::vector<TreeOutcomes> outcomes(batch.size());
  for (std::size_t s = 0; s < batch.size(); ++s) {
    malformed.push_back(batch[s]->malformed());
    padding.push_back(batch[s]->padding());
  }
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
  if (keeps_content && options_.goal == Goal::max) coded[0].text = batch[0]->text();
  if (keeps_content && batch[0]->source_bytes() <= max_compact_source_bytes) {
    std::vector<Words>& words = coded[0].words = std::move(malformed[0]);
    for (ColumnContent& content : contents)
      std::move(content.streams.begin(), content.streams.end(), std::back_inserter(words));
  }
  return coded;
}

/// Columns with base columns become differences from these. Trees and planners that were given are for the
/// numbers themselves, so that such columns have none.
void TableWriter::take_bases(std::span<ColumnContent> contents) {
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
TableWriter::CodedSegment TableWriter::assemble(const SegmentRows& rows, std::size_t malformed_streams,
                                                std::size_t padding_streams,
                                                std::span<const ColumnContent> columns, StreamJob*& job,
                                                std::uint64_t index) {
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

Status TableWriter::write_coded() {
  if (!coding_.valid()) return {};
  Coded coded = coding_.get();
  if (!coded) return coded.status();
  for (CodedSegment& segment : *coded) {
    if (const Status status = write_segment(segment); !status.ok()) return status;
  }
  return {};
}

Status TableWriter::write_segment(CodedSegment& segment) {
  if (const Status status = check_trees(segment.trees); !status.ok()) return status;
  if (!frame_.has_begun()) {
    make_header(&segment.header);
    const Result<bool> is_compact = write_compact(segment);
    if (!is_compact) return is_compact.status();
    if (*is_compact) return {};
    if (const Status status = frame_.begin(header_); !status.ok()) return status;
  }
  const std::vector<std::span<const std::uint8_t>> streams(segment.streams.begin(), segment.streams.end());
  if (const Status status = frame_.segment(segment.header, streams); !status.ok()) return status;
  if (!options_.on_segment) return {};
  segment.planned.stored.first = segment.header.first;
  segment.planned.stored.count = segment.header.count;
  segment.planned.stored.offset = frame_.segment_offset();
  segment.planned.stored.stored_bytes = frame_.frame_bytes() - frame_.segment_offset();
  options_.on_segment(segment.planned);
  return {};
}

/// `first`: the header of the first segment, if there is one.
void TableWriter::make_header(const container::SegmentHeader* first) {
  header_.content = Content::table;
  header_.checksums = options_.checksum;
  header_.max_segment_length = table_.segment_rows;
  header_.table = source_->description();
  const std::string_view preamble = source_->preamble();
  header_.prefix.assign(preamble.begin(), preamble.end());
  if (table_.schema.empty()) {
    for (std::size_t i = 0; first != nullptr && i < first->columns.size(); ++i) {
      header_.table.schema[i].type = rows::inferred_type(first->columns[i]);
      header_.table.schema[i].decimals = first->columns[i].format.decimals;
    }
  }
}

/// Writes all of the table as a compact frame if that is smaller.
Result<bool> TableWriter::write_compact(CodedSegment& segment) {
  const auto chosen = choose_compact({header_, segment.header, std::move(segment.words), segment.text});
  if (!chosen) return chosen.status();
  if (!*chosen) return false;
  compact_info_ = (*chosen)->info;
  if (const Status status = sink_.put((*chosen)->frame); !status.ok()) return status;
  return true;
}

/// A tree for a column by name must fit it, one for all columns some of them.
Status TableWriter::check_trees(const TreeOutcomes& trees) {
  for (const UnfitTree& unfit : trees.unfit) {
    const bool fits_another =
        std::find(trees.fitting.begin(), trees.fitting.end(), unfit.index) != trees.fitting.end();
    if (choice_->has_name(unfit.index) || (frame_.segment_count() == 0 && !fits_another))
      return refuse_tree(unfit);
  }
  return {};
}

Status TableWriter::refuse_tree(UnfitTree unfit) {
  unfit.segment = frame_.segment_count();
  if (table_.on_unfit_tree) table_.on_unfit_tree(unfit);
  return {ErrorCode::invalid_argument, 0, "a given tree does not fit"};
}

/// Waits until nobody reads any rows.
void TableWriter::stop() noexcept {
  coding_ = {};
  waiting_.clear();
}

}  // namespace floe::pipeline
