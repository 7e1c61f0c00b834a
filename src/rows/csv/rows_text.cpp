#include "rows/csv/rows_text.hpp"

#include "rows/cells/column_values.hpp"

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
  if (const Status status = decoded_.open(head, columns_, stored, options); !status.ok()) return status;
  longest_row_bytes_ = 0;
  for (const ColumnPrinter& printer : decoded_.printers) longest_row_bytes_ += printer.longest_bytes() + 1;
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
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const char end = i + 1 == columns_.size() ? '\n' : separator_;
    if (is_native) {
      to.add(native_text(decoded_.contents[i], row, header_.schema[columns_[i]]));
      to.add({&end, 1});
    } else {
      at = decoded_.printers[i].print(at, row);
      *at++ = end;
    }
  }
  if (!is_native) to.add_until(at);
}

}  // namespace floe::tables
