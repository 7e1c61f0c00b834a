// TableCompressor: how a table that arrives in pieces becomes bytes, segment by segment.
#include <algorithm>
#include <chrono>
#include <future>
#include <system_error>
#include <thread>

#include "core/guard.hpp"
#include "pipeline/tables/batch_coder.hpp"
#include "pipeline/tables/encoding_times.hpp"
#include "rows/row_source.hpp"
#include "pipeline/tables/segment_coder.hpp"

namespace floe::tables {
namespace {

Status refused(const char* detail) { return {ErrorCode::invalid_argument, 0, detail}; }

Status check_options(const TableOptions& options) {
  if (options.segment_rows == 0 || options.segment_rows > most_segment_rows) return refused("a segment has 1 to 2^20 rows");
  if (options.schema.size() > most_columns) return refused("more than 65536 columns");
  if (options.padding_bytes > most_preamble_bytes) return refused("more than 1 MiB of padding");
  for (const Column& column : options.schema) {
    if (column.name.size() > most_name_bytes) return refused("the name of a column is longer than 64 KiB");
    if ((size_of(column.type) == 0 && column.type != DType::text) || column.decimals > most_float_digits) return refused("a column of the schema makes no sense");
    if (options.source != TableSource::csv && column.type == DType::text) return refused("binary records cannot hold texts");
  }
  if (options.planner > TreePlanner::edge_statistics) return refused("a planner that is unknown");
  if (options.profile == Profile::gpu && (options.decode_megabytes_per_second > 0 || !options.encoding_times.empty()))
    return refused("speed and times of encodings are those of CPUs");
  if (const Status status = check_times(options.encoding_times); !status.ok()) return status;
  for (const GivenTree& tree : options.trees) {
    if (const Status status = check_tree(tree.tree); !status.ok()) return status;
  }
  if (options.source == TableSource::csv) {
    if (options.padding_bytes != 0) return refused("only binary records have padding");
    if (options.separator == '\n' || options.separator == '\r' || options.separator == '"') return refused("this cannot separate cells");
    return {};
  }
  if (options.source > TableSource::columns) return refused("a source of rows that is unknown");
  if (options.schema.empty()) return refused("binary records need a schema");
  if (options.source == TableSource::columns && options.padding_bytes != 0) return refused("only binary records have padding");
  return {};
}

/// Rows of a table of columns, in the memory of the caller.
class BorrowedColumns final : public SegmentRows {
 public:
  BorrowedColumns(const Schema& schema, std::span<const void* const> values, std::uint64_t first, std::uint32_t count)
      : schema_(schema), values_(values), first_(first), count_(count) {}
  [[nodiscard]] std::uint32_t row_count() const override { return count_; }
  [[nodiscard]] ColumnContent column(std::uint32_t index) const override {
    const std::size_t width = size_of(schema_[index].type);
    return native_column(static_cast<const std::uint8_t*>(values_[index]) + first_ * width, count_, width, schema_[index].type);
  }
  [[nodiscard]] std::uint64_t source_bytes() const override {
    std::uint64_t bytes = 0;
    for (std::uint32_t i = 0; i < schema_.size(); ++i) bytes += source_bytes(i);
    return bytes;
  }
  [[nodiscard]] std::uint64_t source_bytes(std::uint32_t column) const override { return count_ * size_of(schema_[column].type); }

 private:
  const Schema& schema_;
  std::span<const void* const> values_;
  std::uint64_t first_;
  std::uint32_t count_;
};

}  // namespace

struct TableCompressor::State {
  using Coded = Result<std::vector<CodedSegment>>;

  State(Sink to, TableOptions from, StreamEncoder* encoder) : sink(std::move(to)), options(std::move(from)), streams(encoder) {
    source = options.source == TableSource::csv ? make_csv_source(options) : make_record_source(options);
  }

  Sink sink;
  TableOptions options;
  std::unique_ptr<RowSource> source;
  StreamEncoder* streams;  ///< Null if the CPU encodes alone.
  std::optional<SegmentCoder> coder;
  std::optional<BatchCoder> batches;   ///< With `streams`.
  std::vector<SegmentToCode> waiting;  ///< Until they are enough: one without `streams`.
  std::uint64_t waiting_bytes = 0;
  std::uint64_t started_segments = 0;
  std::future<Coded> coding;  ///< The segments that are coded while the next ones arrive.
  TableInfo info;
  EncoderShare share;
  TableFooter footer;
  std::uint32_t header_checksum = 0;
  bool has_header = false;
  bool is_finished = false;
  Status failure;

  Status put(std::span<const std::uint8_t> bytes) {
    info.table_bytes += bytes.size();
    return sink(std::as_bytes(bytes));
  }

  Status write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      if (const Status status = source->take(bytes); !status.ok()) return status;
      if (const Status status = start_segments(false); !status.ok()) return status;
    }
    return {};
  }

  /// All that are complete.
  Status start_segments(bool is_last) {
    for (;;) {
      Result<std::unique_ptr<SegmentRows>> rows = source->next_segment(is_last);
      if (!rows) return rows.status();
      if (!*rows) return {};
      if (const Status status = start(std::move(*rows)); !status.ok()) return status;
    }
  }

  /// Begins to code a segment when there are enough of them.
  Status start(std::shared_ptr<const SegmentRows> rows) {
    const Report report = !options.on_segment                             ? Report::nothing
                          : started_segments < options.explained_segments ? Report::explanations
                                                                          : Report::facts;
    waiting_bytes += rows->source_bytes();
    waiting.push_back({std::move(rows), report});
    const bool is_first = started_segments++ == 0;
    return streams == nullptr || is_first || waiting_bytes >= streams->batch_bytes() ? launch() : Status{};
  }

  /// Begins to code what is waiting, after what was begun before is written.
  Status launch() {
    const std::shared_ptr<NextSegment> next = look_ahead();
    if (const Status status = write_coded(); !status.ok()) return status;
    if (waiting.empty()) return {};
    if (!coder) {
      if (const Status status = make_coder(); !status.ok()) return status;
    }
    waiting_bytes = 0;
    coder->announce();
    const auto code = [this, segments = std::exchange(waiting, {}), next]() mutable -> Coded {
      if (batches) return batches->code(std::move(segments));
      std::vector<CodedSegment> coded;
      coded.push_back(coder->code(*segments[0].rows, segments[0].report, next.get()));
      return coded;
    };
    try {
      coding = std::async(options.threads == 1 ? std::launch::deferred : std::launch::async, code);
    } catch (const std::system_error&) {  // no thread to be had
      coding = std::async(std::launch::deferred, code);
    }
    return {};
  }

  /// At what is waiting, while the segment before it is coded.
  std::shared_ptr<NextSegment> look_ahead() {
    const bool is_coding = coding.valid() && coding.wait_for(std::chrono::seconds(0)) == std::future_status::timeout;
    return is_coding && streams == nullptr && !waiting.empty() ? coder->look_ahead(waiting[0].rows) : nullptr;
  }

  /// Codes and writes all that has arrived.
  Status drain() {
    if (const Status status = launch(); !status.ok()) return status;
    if (const Status status = write_coded(); !status.ok()) return status;
    return batches ? write_segments(batches->finish()) : Status{};
  }

  Status make_coder() {
    const Schema& schema = source->header().schema;
    coder.emplace(static_cast<std::uint32_t>(schema.size()), streams == nullptr ? options.threads : 1, EncoderChoice(options, schema));
    if (streams != nullptr) batches.emplace(*coder, options.threads, *streams);
    const auto homeless = coder->choice().tree_without_column();
    if (!homeless) return {};
    return refuse_tree({*homeless, "", 0, {ErrorCode::invalid_argument, 0, "the table has no such column"}});
  }

  Status refuse_tree(UnfitTree unfit) {
    unfit.segment = footer.segments.size();
    if (options.on_unfit_tree) options.on_unfit_tree(unfit);
    return refused("a given tree does not fit");
  }

  /// A tree for a column by name must fit it, one for all columns some of them.
  Status check_trees(const TreeOutcomes& trees) {
    for (const UnfitTree& unfit : trees.unfit) {
      const bool fits_another = std::find(trees.fitting.begin(), trees.fitting.end(), unfit.index) != trees.fitting.end();
      if (coder->choice().has_name(unfit.index) || (footer.segments.empty() && !fits_another)) return refuse_tree(unfit);
    }
    return {};
  }

  Status write_coded() { return coding.valid() ? write_segments(coding.get()) : Status{}; }

  /// Waits until nobody reads any rows.
  void stop() noexcept {
    coding = {};
    waiting.clear();
  }

  /// While no segment is being coded.
  Status write_segments(Coded coded) {
    if (batches) share = batches->share();
    if (!coded) return coded.status();
    for (CodedSegment& segment : *coded) {
      if (const Status status = write_segment(segment); !status.ok()) return status;
    }
    return {};
  }

  Status write_segment(CodedSegment& segment) {
    if (const Status status = check_trees(segment.trees); !status.ok()) return status;
    if (!has_header) {
      if (const Status status = write_header_part(&segment.head); !status.ok()) return status;
    }
    segment.head.index = footer.segments.size();
    segment.head.first_row = footer.row_count;
    footer.segments.push_back({info.table_bytes, footer.row_count});
    footer.row_count += segment.head.row_count;
    info.row_count = footer.row_count;
    info.segment_count = footer.segments.size();
    if (const Status status = put(write_segment_head(segment.head, header_checksum)); !status.ok()) return status;
    for (const std::vector<std::uint8_t>& payload : segment.payloads) {
      if (const Status status = put(payload); !status.ok()) return status;
    }
    if (!options.on_segment) return {};
    segment.planned.stored.first_row = segment.head.first_row;
    segment.planned.stored.row_count = segment.head.row_count;
    segment.planned.stored.stored_bytes = info.table_bytes - footer.segments.back().offset;
    options.on_segment(segment.planned);
    return {};
  }

  /// `first`: the head of the first segment, if there is one.
  Status write_header_part(const SegmentHead* first) {
    TableHeader header = source->header();
    if (options.schema.empty()) {
      for (std::size_t i = 0; first != nullptr && i < first->columns.size(); ++i) {
        header.schema[i].type = inferred_type(first->columns[i]);
        header.schema[i].decimals = first->columns[i].writing.decimals;
      }
    }
    const std::vector<std::uint8_t> part = write_header(header);
    if (part.size() > most_header_bytes) return refused("the names of the columns are longer than 64 MiB");
    header_checksum = checksum_of(part);
    has_header = true;
    info.source = header.source;
    info.padding_bytes = header.padding_bytes;
    info.columns = std::move(header.schema);
    return put(part);
  }

  Status finish() {
    if (const Status status = start_segments(true); !status.ok()) return status;
    if (const Status status = drain(); !status.ok()) return status;
    if (!has_header) {
      if (const Status status = write_header_part(nullptr); !status.ok()) return status;
    }
    is_finished = true;
    return put(write_footer(footer, header_checksum));
  }
};

Result<TableCompressor> TableCompressor::create(Sink sink, TableOptions options, StreamEncoder* streams) {
  return api::guarded([&]() -> Result<TableCompressor> {
    if (const Status status = check_options(options); !status.ok()) return status;
    return TableCompressor(std::make_unique<State>(std::move(sink), std::move(options), streams));
  });
}

Status TableCompressor::write(std::span<const std::byte> bytes) {
  if (state_->is_finished || state_->options.source == TableSource::columns) return refused("this table takes no bytes");
  return api::run_until_failure(state_->failure, [&] { return state_->write(bytes); });
}

Status TableCompressor::write_columns(std::span<const void* const> values, std::uint64_t row_count) {
  State& state = *state_;
  if (state.is_finished || state.options.source != TableSource::columns || values.size() != state.options.schema.size())
    return refused("this table takes no such columns");
  struct Stop {
    State& state;
    ~Stop() { state.stop(); }
  };
  return api::run_until_failure(state.failure, [&]() -> Status {
    const Stop at_the_end{state};  // even without memory, the values are the caller's again
    for (std::uint64_t first = 0; first < row_count; first += state.options.segment_rows) {
      const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(state.options.segment_rows, row_count - first));
      const Status status = state.start(std::make_shared<BorrowedColumns>(state.options.schema, values, first, count));
      if (!status.ok()) return status;
    }
    return state.drain();
  });
}

Status TableCompressor::finish() {
  if (state_->is_finished) return refused("this table is finished");
  return api::run_until_failure(state_->failure, [&] { return state_->finish(); });
}

const TableInfo& TableCompressor::info() const noexcept { return state_->info; }
EncoderShare TableCompressor::encoder_share() const noexcept { return state_->share; }

TableCompressor::TableCompressor(std::unique_ptr<State> state) : state_(std::move(state)) {}
TableCompressor::TableCompressor(TableCompressor&&) noexcept = default;
TableCompressor& TableCompressor::operator=(TableCompressor&&) noexcept = default;
TableCompressor::~TableCompressor() = default;

}  // namespace floe::tables
