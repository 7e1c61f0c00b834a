#include "pipeline/table_writer.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

namespace floe::pipeline {
namespace {

using rows::ColumnContent;
using rows::SegmentRows;

/// Segments of so many bytes of text or records are coded as a batch, but no more segments than these.
constexpr std::uint64_t batch_bytes = std::uint64_t{64} << 20;
constexpr std::size_t max_batch_segments = 8;

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

TableWriter::TableWriter(const TableOptions& table, const Options& options, container::FrameSink& sink)
    : table_(table),
      options_(options),
      sink_(sink),
      workers_(options.threads, options.executor),
      frame_(sink),
      coder_(table, options, workers_) {}

TableWriter::~TableWriter() { stop(); }

Status TableWriter::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    if (const Status status = coder_.source().take(bytes); !status.ok()) return status;
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
    header_ = coder_.header_of(nullptr);
    if (const Status status = frame_.begin(header_); !status.ok()) return status;
  }
  return frame_.finish(frame_.element_count());
}

/// All that are complete.
Status TableWriter::start_segments(bool is_last) {
  for (;;) {
    Result<std::unique_ptr<SegmentRows>> rows = coder_.source().next_segment(is_last);
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
  const bool is_first = !was_launched_;
  was_launched_ = true;
  coder_.prepare(waiting_, is_first && is_complete_);
  if (is_first) {
    if (const auto homeless = coder_.tree_without_column())
      return refuse_tree(
          {*homeless, "", 0, {ErrorCode::invalid_argument, 0, "the table has no such column"}});
  }
  waiting_bytes_ = 0;
  const auto work = [this, batch = std::exchange(waiting_, {})] { return coder_.code(batch); };
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

Status TableWriter::write_coded() {
  if (!coding_.valid()) return {};
  TableCoder::Coded coded = coding_.get();
  if (!coded) return coded.status();
  for (CodedSegment& segment : *coded) {
    if (const Status status = write_segment(segment); !status.ok()) return status;
  }
  return {};
}

Status TableWriter::write_segment(CodedSegment& segment) {
  if (const Status status = check_trees(segment.trees); !status.ok()) return status;
  if (!frame_.has_begun()) {
    header_ = coder_.header_of(&segment.header);
    if (segment.compact) return write_compact(segment);
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

/// Writes all of the table.
Status TableWriter::write_compact(CodedSegment& segment) {
  compact_info_ = std::move(segment.compact->info);
  if (const Status status = sink_.put(segment.compact->frame); !status.ok()) return status;
  if (options_.on_segment) options_.on_segment(segment.planned);
  return {};
}

/// A tree for a column by name must fit it, one for all columns some of them.
Status TableWriter::check_trees(const TreeOutcomes& trees) {
  for (const UnfitTree& unfit : trees.unfit) {
    const bool fits_another =
        std::find(trees.fitting.begin(), trees.fitting.end(), unfit.index) != trees.fitting.end();
    if (coder_.has_name(unfit.index) || (frame_.segment_count() == 0 && !fits_another))
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
