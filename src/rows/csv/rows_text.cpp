#include "rows/csv/rows_text.hpp"

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

}  // namespace floe::rows
