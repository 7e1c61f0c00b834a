#include "rows/rows_output.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>

#include "rows/cells/column_values.hpp"

namespace floe::rows {

std::string RowsText::names() const {
  std::string line;
  for (const std::size_t column : columns_) {
    const std::string& name = table_.schema[column].name;
    const bool is_plain =
        name.find_first_of("\"\r\n") == std::string::npos && name.find(separator_) == std::string::npos;
    line += is_plain ? name : '"' + name + '"';  // a quote within the name of a text is doubled already
    line += separator_;
  }
  if (!line.empty()) line.back() = '\n';
  return line;
}

Status RowsText::print(const ColumnsOfSegment& segment, std::uint32_t first, std::uint32_t end,
                       core::Workers& workers, const Sink& sink) const {
  std::size_t max_row_bytes = 0;
  for (const ColumnPrinter& printer : segment.printers) max_row_bytes += printer.longest_bytes() + 1;
  return print_in_blocks(first, end, workers, sink,
                         [&](std::uint32_t from, std::uint32_t to_row, TextBuffer& to) {
                           for (std::uint32_t row = from; row < to_row; ++row)
                             print_row(segment, row, max_row_bytes, to);
                         });
}

void RowsText::print_row(const ColumnsOfSegment& segment, std::uint32_t row, std::size_t max_row_bytes,
                         TextBuffer& to) const {
  const bool is_native = table_.source != TableSource::csv;
  char* at = is_native ? nullptr : to.room(max_row_bytes);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const char end = i + 1 == columns_.size() ? '\n' : separator_;
    if (is_native) {
      to.add(native_text(segment.contents[i], row, table_.schema[columns_[i]]));
      to.add({&end, 1});
    } else {
      at = segment.printers[i].print(at, row);
      *at++ = end;
    }
  }
  if (!is_native) to.add_until(at);
}

namespace {

constexpr std::size_t max_value_bytes = 8;

/// What stands for a cell without a value, if the type has something for that.
std::span<const std::uint8_t> no_value(DType type) {
  static constexpr float f32 = std::numeric_limits<float>::quiet_NaN();
  static constexpr double f64 = std::numeric_limits<double>::quiet_NaN();
  if (type == DType::f32) return {reinterpret_cast<const std::uint8_t*>(&f32), sizeof f32};
  if (type == DType::f64) return {reinterpret_cast<const std::uint8_t*>(&f64), sizeof f64};
  return {};
}

}  // namespace

RowsRecords::RowsRecords(const Schema& schema, std::span<const std::size_t> columns)
    : schema_(schema), columns_(columns) {
  for (const std::size_t column : columns) {
    offsets_.push_back(record_bytes_);
    record_bytes_ += size_of(schema[column].type);
  }
}

Result<std::uint32_t> RowsRecords::put_column(const ColumnsOfSegment& segment, std::size_t i,
                                              std::uint32_t first, std::uint32_t end,
                                              std::span<std::uint8_t> values, std::uint8_t* to) const {
  const DType type = schema_[columns_[i]].type;
  const std::size_t width = size_of(type);
  const std::uint32_t count = end - first;
  std::vector<std::uint8_t> valid(count);
  const Status status = convert_values(segment.contents[i], segment.printers[i], first, count, type,
                                       values.first(count * width), valid);
  if (!status.ok()) return status;
  const std::span<const std::uint8_t> nothing = no_value(type);
  for (std::uint32_t row = 0; row < count; ++row) {
    if (valid[row] == 0 && nothing.empty()) return first + row;
    std::memcpy(to + row * record_bytes_ + offsets_[i],
                valid[row] != 0 ? values.data() + row * width : nothing.data(), width);
  }
  return end;
}

Status RowsRecords::write(const ColumnsOfSegment& segment, std::uint32_t first, std::uint32_t end,
                          core::Workers& workers, const Sink& sink, MissingValue& missing) const {
  std::mutex mutex;
  std::optional<MissingValue> first_missing;
  Status failure;
  const auto put_rows = [&](std::uint32_t from, std::uint32_t to_row, TextBuffer& to) {
    std::vector<std::uint8_t> values(std::size_t{block_rows} * max_value_bytes);
    const std::size_t bytes = (to_row - from) * record_bytes_;
    auto* const records = reinterpret_cast<std::uint8_t*>(to.room(bytes));
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const Result<std::uint32_t> stopped = put_column(segment, i, from, to_row, values, records);
      if (stopped && *stopped == to_row) continue;
      const std::lock_guard lock(mutex);
      if (!stopped) failure = stopped.status();
      if (stopped && (!first_missing || *stopped < first_missing->row))
        first_missing = MissingValue{columns_[i], *stopped};
    }
    to.add_until(reinterpret_cast<const char*>(records) + bytes);
  };
  // Blocks are filled some at a time, before any of them comes here.
  const Sink put = [&](std::span<const std::byte> records) -> Status {
    if (!failure.ok()) return failure;
    if (!first_missing) return sink(records);
    missing = *first_missing;
    return {ErrorCode::invalid_argument, 0, "a cell has no value of its column's type"};
  };
  return print_in_blocks(first, end, workers, put, put_rows);
}

}  // namespace floe::rows
