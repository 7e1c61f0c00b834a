#include "tables/rows_text.hpp"

#include <algorithm>

#include "tables/column_values.hpp"
#include "tables/parallel_tasks.hpp"
#include "tables/segment_decoder.hpp"

namespace floe::tables {

std::string RowsText::names() const {
  std::string line;
  for (const std::size_t column : columns_) {
    const std::string& name = header_.schema[column].name;
    const bool is_plain = name.find_first_of("\"\r\n") == std::string::npos && name.find(separator_) == std::string::npos;
    line += is_plain ? name : '"' + name + '"';  // a quote within the name of a text is doubled already
    line += separator_;
  }
  if (!line.empty()) line.back() = '\n';
  return line;
}

Status RowsText::open(const SegmentHead& head, std::span<const std::vector<std::uint8_t>> stored, const DecodeOptions& options) {
  std::uint64_t taken_bytes = 0;
  for (const std::size_t column : columns_) {
    const Status status = check_memory(head.columns[column].streams, taken_bytes, options.memory_limit_bytes);
    if (!status.ok()) return status;
  }
  contents_.assign(columns_.size(), {});
  printers_.assign(columns_.size(), {});
  std::vector<Status> outcomes(columns_.size());
  run_tasks(static_cast<std::uint32_t>(columns_.size()), options.threads, [&](std::uint32_t i) {
    Result<ColumnContent> content = decode_content(head.columns[columns_[i]], stored[i]);
    outcomes[i] = content.status();
    if (!content) return;
    contents_[i] = std::move(*content);
    outcomes[i] = printers_[i].open(contents_[i], head.row_count);
  });
  const auto failed = std::find_if(outcomes.begin(), outcomes.end(), [](const Status& outcome) { return !outcome.ok(); });
  if (failed != outcomes.end()) return *failed;
  longest_row_bytes_ = 0;
  for (const ColumnPrinter& printer : printers_) longest_row_bytes_ += printer.longest_bytes() + 1;
  return {};
}

Status RowsText::print(std::uint32_t first, std::uint32_t end, std::uint32_t threads, const Sink& sink) const {
  return print_in_blocks(first, end, threads, sink, [this](std::uint32_t from, std::uint32_t to_row, TextBuffer& to) {
    for (std::uint32_t row = from; row < to_row; ++row) print_row(row, to);
  });
}

void RowsText::print_row(std::uint32_t row, TextBuffer& to) const {
  const bool is_native = header_.source != TableSource::csv;
  char* at = is_native ? nullptr : to.room(longest_row_bytes_);
  for (std::size_t i = 0; i < printers_.size(); ++i) {
    const char end = i + 1 == printers_.size() ? '\n' : separator_;
    if (is_native) {
      to.add(native_text(contents_[i], row, header_.schema[columns_[i]]));
      to.add({&end, 1});
    } else {
      at = printers_[i].print(at, row);
      *at++ = end;
    }
  }
  if (!is_native) to.add_until(at);
}

}  // namespace floe::tables
