#include "rows/csv/csv_shape.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "rows/cells/cell_text.hpp"

namespace floe::rows {
namespace {

constexpr std::size_t probed_lines = 64;
/// More cells in a line that is all of the text are a list rather than a row of so many columns.
constexpr std::uint32_t max_cells_alone = 16;

/// Among names, "inf" and "nan" may be some, too.
bool is_value(std::string_view cell, bool is_alone) {
  double number = 0;
  const std::string_view text = trimmed(without_quotes(trimmed(cell)));
  return text.empty() || (parse_float(text, number) && (is_alone || std::isfinite(number))) ||
         recognize_time(text).has_value();
}

/// Names are texts in all columns, but that of numbers of rows, the first one, may have none.
bool looks_like_names(const CellIndex& index) {
  const bool has_nameless = index.column_count() > 1 && without_quotes(index.cell(0, 0)).empty();
  for (std::uint32_t column = has_nameless ? 1 : 0; column < index.column_count(); ++column) {
    if (is_value(index.cell(0, column), index.column_count() == 1)) return false;
  }
  return true;
}

}  // namespace

std::vector<std::string_view> first_lines(std::string_view text, std::size_t max_lines) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < max_lines) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::uint32_t count_cells(std::string_view line, char separator) {
  std::uint32_t cells = 1;
  bool in_quotes = false;
  for (const char c : line) {
    if (c == '"') in_quotes = !in_quotes;
    cells += !in_quotes && c == separator;
  }
  return cells;
}

UsualCount usual_count(std::span<const std::string_view> lines, char separator) {
  std::map<std::uint32_t, std::uint32_t> lines_by_count;
  for (const std::string_view line : lines) ++lines_by_count[count_cells(line, separator)];
  UsualCount usual;
  for (const auto& [cell_count, count] : lines_by_count) {
    if (count >= usual.lines) usual = {cell_count, count};
  }
  return usual;
}

char detect_separator(std::span<const std::string_view> lines) {
  char best = ',';
  UsualCount of_best;
  for (const char candidate : {',', ';', '\t', '|'}) {
    const UsualCount usual = usual_count(lines, candidate);
    if (usual.cell_count > 1 && (of_best.cell_count == 1 || usual.lines > of_best.lines)) {
      best = candidate;
      of_best = usual;
    }
  }
  return best;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string_view without_quotes(std::string_view cell) {
  const bool has_quotes = cell.size() >= 2 && cell.front() == '"' && cell.back() == '"';
  return has_quotes ? cell.substr(1, cell.size() - 2) : cell;
}

Result<CsvShape> detect_shape(std::string_view begin, const TableOptions& options) {
  CsvShape shape;
  const std::vector<std::string_view> lines = first_lines(begin, probed_lines);
  shape.dialect.separator = options.separator != 0 ? options.separator : detect_separator(lines);
  shape.dialect.crlf = !lines.empty() && lines[0].size() < begin.size() && lines[0].ends_with('\r');
  const auto schema_columns = static_cast<std::uint32_t>(options.schema.size());
  shape.column_count =
      schema_columns != 0 ? schema_columns : usual_count(lines, shape.dialect.separator).cell_count;

  CellIndex index;
  index.build(begin, shape.dialect, shape.column_count, 1, true);
  const bool has_row = index.row_count() != 0;
  if (schema_columns != 0 && !has_row && !begin.empty())
    return Status{ErrorCode::invalid_argument, 0, "no line has as many cells as the schema has columns"};
  const bool has_names = has_row && (options.name_row == NameRow::yes ||
                                     (options.name_row == NameRow::detect && looks_like_names(index)));
  if (has_names) shape.preamble_bytes = index.consumed_bytes();
  const bool is_detected = schema_columns == 0 && options.name_row == NameRow::detect,
             is_alone = lines.size() == 1 && begin.size() < shape_probe_bytes;
  if (is_detected && is_alone && !has_names && shape.column_count > max_cells_alone) shape.column_count = 1;
  for (std::uint32_t column = 0; column < shape.column_count; ++column)
    shape.names.emplace_back(has_names ? std::string(without_quotes(index.cell(0, column)))
                                       : "column" + std::to_string(column + 1));
  return shape;
}

}  // namespace floe::rows
