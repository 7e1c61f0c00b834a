// CSV text as a source of rows.
#include <algorithm>
#include <string>
#include <utility>

#include "rows/cells/column_reader.hpp"
#include "rows/csv/cell_index.hpp"
#include "rows/csv/csv_shape.hpp"
#include "rows/row_source.hpp"

namespace floe::rows {
namespace {

/// No more text goes into a segment, but for a line that is longer.
constexpr std::size_t segment_text_bytes = std::size_t{96} << 20;
constexpr std::size_t long_text_bytes = std::size_t{8} << 20;

class CsvSegment final : public SegmentRows {
 public:
  CsvSegment(std::string text, CellIndex cells, const ReadOptions& options)
      : text_(std::move(text)), cells_(std::move(cells)), options_(options) {
    cells_.text_moved_to(text_);
  }
  [[nodiscard]] std::uint32_t row_count() const override { return cells_.row_count(); }
  [[nodiscard]] bool lacks_last_line_end() const override { return cells_.lacks_last_line_end(); }
  [[nodiscard]] ColumnContent column(std::uint32_t index) const override {
    return read_column(cells_, index, options_);
  }
  [[nodiscard]] std::vector<Words> malformed() const override {
    return malformed_words(text_, cells_.malformed());
  }
  [[nodiscard]] std::string_view text() const override { return text_; }
  [[nodiscard]] std::uint64_t source_bytes() const override { return text_.size(); }
  [[nodiscard]] std::uint64_t source_bytes(std::uint32_t column) const override {
    std::uint64_t bytes = cells_.row_count();
    for (std::uint32_t row = 0; row < cells_.row_count(); ++row) bytes += cells_.cell(row, column).size();
    return bytes;
  }

 private:
  std::string text_;
  CellIndex cells_;
  const ReadOptions& options_;
};

class CsvSource final : public RowSource {
 public:
  CsvSource(const TableOptions& options, WordsCost cost)
      : options_(options), reading_{options.keep_text, std::move(cost)} {}

  Status take(std::span<const std::byte>& bytes) override {
    // Text that is left over from the segment before may be more than a segment holds.
    const std::size_t room = segment_text_bytes - std::min(waiting_bytes(), segment_text_bytes);
    const std::span<const std::byte> part = bytes.first(std::min(bytes.size(), room));
    if (begin_ >= waiting_bytes()) text_.erase(0, std::exchange(begin_, 0));
    if (const std::size_t size = text_.size() + part.size(); text_.capacity() < size) reserve(size);
    text_.append(reinterpret_cast<const char*>(part.data()), part.size());
    bytes = bytes.subspan(part.size());
    return {};
  }

  Result<std::unique_ptr<SegmentRows>> next_segment(bool is_last) override {
    const bool is_full = waiting_bytes() == segment_text_bytes;
    if (!is_shape_known_ && (is_last || waiting_bytes() >= shape_probe_bytes)) {
      if (const Status status = find_shape(); !status.ok()) return status;
    }
    if (waiting_bytes() == 0 || (!is_last && !is_full && waiting_bytes() < promising_bytes_))
      return std::unique_ptr<SegmentRows>();
    const auto column_count = static_cast<std::uint32_t>(description_.schema.size());
    const std::string_view waiting = std::string_view(text_).substr(begin_);
    CellIndex cells;
    cells.build(waiting, dialect_, column_count, options_.segment_rows, is_last);
    if (!is_last && !is_full) {
      // All rows must be there, and so much behind them that more text cannot change how quotes are
      // understood.
      const bool has_rows = cells.row_count() == options_.segment_rows;
      const std::size_t rows_bytes =
          has_rows ? cells.consumed_bytes()
                   : waiting.size() / std::max(cells.row_count(), 1U) * std::size_t{options_.segment_rows};
      promising_bytes_ = rows_bytes + rows_bytes / 16 + CellIndex::longest_quoted_bytes + 1;
      if (!has_rows || waiting.size() - cells.consumed_bytes() <= CellIndex::longest_quoted_bytes)
        return std::unique_ptr<SegmentRows>();
    }
    // A line that is longer than a segment is cut: its parts are no rows.
    if (cells.consumed_bytes() == 0)
      cells.build(waiting, dialect_, column_count, options_.segment_rows, true);
    report_malformed(cells);
    return std::unique_ptr<SegmentRows>(
        std::make_unique<CsvSegment>(cut(cells.consumed_bytes()), std::move(cells), reading_));
  }

  [[nodiscard]] const TableDescription& description() const override { return description_; }
  [[nodiscard]] std::string_view preamble() const override { return preamble_; }

 private:
  Status find_shape() {
    is_shape_known_ = true;
    const Result<CsvShape> shape =
        detect_shape(std::string_view(text_).substr(0, shape_probe_bytes), options_);
    if (!shape) return shape.status();
    dialect_ = shape->dialect;
    description_.separator = shape->dialect.separator;
    description_.crlf = shape->dialect.crlf;
    description_.keeps_text = options_.keep_text;
    preamble_ = text_.substr(0, shape->preamble_bytes);
    description_.schema = options_.schema;
    if (description_.schema.empty()) {
      for (const std::string& name : shape->names)
        description_.schema.push_back({name.substr(0, container::max_name_bytes), DType::text, 6});
    }
    line_count_ = static_cast<std::uint64_t>(std::count(preamble_.begin(), preamble_.end(), '\n'));
    text_.erase(0, shape->preamble_bytes);
    return {};
  }

  [[nodiscard]] std::size_t waiting_bytes() const { return text_.size() - begin_; }
  /// Long text gets room for all of a segment at once: memory that is not written costs nothing, and to grow
  /// means to have two of it for a while.
  void reserve(std::size_t size) {
    if (size <= long_text_bytes)
      text_.reserve(2 * size);
    else
      text_.reserve(size <= segment_text_bytes ? segment_text_bytes : 2 * segment_text_bytes);
  }

  /// Takes bytes off the front. Copies these or what is left, whichever is less.
  std::string cut(std::size_t count) {
    if (begin_ != 0 || count < waiting_bytes() / 2) {
      begin_ += count;
      return text_.substr(begin_ - count, count);
    }
    std::string rest = text_.substr(count);
    text_.resize(count);
    return std::exchange(text_, std::move(rest));
  }

  void report_malformed(const CellIndex& cells) {
    for (const MalformedLine& malformed : cells.malformed()) {
      const bool is_blank = malformed.cell_count == 0;
      if (options_.on_malformed_row && !is_blank)
        options_.on_malformed_row(
            {line_count_ + malformed.line_index + 1,
             std::min<std::uint64_t>(malformed.cell_count, description_.schema.size()) + 1,
             malformed.cell_count});
    }
    line_count_ += cells.line_count();
  }

  TableOptions options_;
  ReadOptions reading_;
  Dialect dialect_;
  TableDescription description_;
  std::string preamble_;
  bool is_shape_known_ = false;
  std::string text_;
  std::size_t begin_ = 0;            ///< Of what no segment has got yet.
  std::size_t promising_bytes_ = 0;  ///< With fewer it is not worth looking for a segment.
  std::uint64_t line_count_ = 0;
};

}  // namespace

std::unique_ptr<RowSource> make_csv_source(const TableOptions& options, WordsCost cost) {
  return std::make_unique<CsvSource>(options, std::move(cost));
}

DType inferred_type(const ColumnEntry& column) {
  switch (column.format.kind) {
    case CellKind::decimal:
      return column.format.decimals == 0 ? DType::i64 : DType::f64;
    case CellKind::free_decimal:
    case CellKind::f32:
    case CellKind::f64:
      return DType::f64;
    case CellKind::time:
      return DType::time;
    default:
      return DType::text;
  }
}

}  // namespace floe::rows
