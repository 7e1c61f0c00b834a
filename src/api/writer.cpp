// Arrays and tables that arrive in pieces.
#include <algorithm>
#include <optional>

#include "container/frame_index.hpp"
#include "core/guard.hpp"
#include "floe/floe.hpp"
#include "pipeline/array_writer.hpp"
#include "pipeline/table_options.hpp"
#include "pipeline/table_writer.hpp"

namespace floe {
namespace {

Status refused(const char* detail) { return {ErrorCode::invalid_argument, 0, detail}; }

class CallerSink final : public container::FrameSink {
 public:
  explicit CallerSink(Sink sink) : sink_(std::move(sink)) {}
  Status put(std::span<const std::uint8_t> bytes) override { return sink_(std::as_bytes(bytes)); }

 private:
  Sink sink_;
};

}  // namespace

struct Writer::State {
  State(Sink to, const Options& from) : sink(std::move(to)), options(from) {
    if (!options.on_segment) return;
    // Whoever hears of a segment may ask whose it is.
    options.on_segment = [this, told = from.on_segment](const PlannedSegment& segment) {
      if (info.format_version == 0) note_info();
      told(segment);
    };
  }

  CallerSink sink;
  Options options;
  TableOptions table_options;
  std::optional<pipeline::ArrayWriter> array;
  std::uint64_t row_bytes = 0;  ///< Bytes of one outermost entry of an array.
  std::optional<pipeline::TableWriter> table;
  FrameInfo info;
  bool is_finished = false;
  Status failure;  ///< The first one; later calls return it.

  Status finish_array() {
    const std::uint64_t all = array->content_bytes();
    if (row_bytes == 0 ? all != 0 : all % row_bytes != 0)
      return refused("the stream is no whole number of outermost entries");
    return array->finish(row_bytes == 0 ? 0 : all / row_bytes);
  }

  void note_info() {
    if (table && table->compact_info()) {
      info = *table->compact_info();
      return;
    }
    const container::Header& header = array ? array->plan().header : table->header();
    const container::FrameWriter& frame = array ? array->frame() : table->frame();
    container::Footer footer;
    footer.element_count = frame.element_count();
    footer.outer_size =
        array ? (row_bytes == 0 ? 0 : array->content_bytes() / row_bytes) : frame.element_count();
    footer.digest = frame.digest();
    info = container::make_info(header, footer, frame.frame_bytes());
    info.segment_count = frame.segment_count();
  }

  template <class Step>
  Status run(Step&& step) {
    if (is_finished) return refused("the frame was finished already");
    return core::run_until_failure(failure, std::forward<Step>(step));
  }
};

Writer::Writer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;
Writer::~Writer() = default;

Result<Writer> Writer::create(Sink sink, DType dtype, std::span<const std::uint64_t> inner_extent,
                              const Options& options) {
  return core::guarded([&]() -> Result<Writer> {
    if (!sink) return refused("there is no sink");
    const auto rank = static_cast<std::uint32_t>(std::min<std::size_t>(inner_extent.size(), max_rank)) + 1;
    auto plan = pipeline::plan_array(dtype, rank, inner_extent, options);
    if (!plan) return plan.status();
    const auto row_bytes = pipeline::row_bytes_of(dtype, inner_extent);
    if (!row_bytes) return row_bytes.status();
    auto state = std::make_unique<State>(std::move(sink), options);
    state->row_bytes = *row_bytes;
    state->array.emplace(std::move(*plan), state->options, state->sink);
    return Writer(std::move(state));
  });
}

Result<Writer> Writer::create(Sink sink, const TableOptions& table, const Options& options) {
  return core::guarded([&]() -> Result<Writer> {
    if (!sink) return refused("there is no sink");
    if (const Status status = pipeline::check_table_options(table, options); !status.ok()) return status;
    auto state = std::make_unique<State>(std::move(sink), options);
    state->table_options = table;
    state->table.emplace(state->table_options, state->options, state->sink);
    return Writer(std::move(state));
  });
}

Status Writer::write(std::span<const std::byte> bytes) {
  if (state_->table && state_->table_options.source == TableSource::columns)
    return refused("this table takes no bytes");
  return state_->run(
      [&] { return state_->array ? state_->array->write(core::as_u8(bytes)) : state_->table->write(bytes); });
}

Status Writer::write_columns(std::span<const void* const> values, std::uint64_t row_count) {
  const bool takes_columns = state_->table && state_->table_options.source == TableSource::columns;
  if (!takes_columns || values.size() != state_->table_options.schema.size())
    return refused("this writer takes no such columns");
  if (row_count > 0 && std::find(values.begin(), values.end(), nullptr) != values.end())
    return refused("a column without values");
  return state_->run([&] { return state_->table->write_columns(values, row_count); });
}

Status Writer::finish() {
  const Status status =
      state_->run([&] { return state_->array ? state_->finish_array() : state_->table->finish(); });
  if (!status.ok()) return status;
  state_->is_finished = true;
  return core::guarded([&]() -> Status {
    state_->note_info();
    return {};
  });
}

const FrameInfo& Writer::info() const noexcept { return state_->info; }

}  // namespace floe
