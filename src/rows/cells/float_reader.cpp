#include "rows/cells/number_readers.hpp"

#include <algorithm>
#include <cmath>

#include "rows/cells/exceptions.hpp"

namespace floe::rows {
namespace {

/// Digits behind the point and significant digits, as far as they stand there.
struct DigitsOfText {
  unsigned behind_point = 0, significant = 0;
};

DigitsOfText digits_of(std::string_view text) {
  DigitsOfText digits;
  bool behind_point = false;
  for (const char c : text) {
    if (c == 'e' || c == 'E') break;
    if (c == '.') behind_point = true;
    if (c < '0' || c > '9') continue;
    digits.behind_point += behind_point;
    digits.significant += digits.significant != 0 || c != '0';
  }
  return digits;
}

template <class Float>
std::size_t count_matches(const ColumnCells& cells, std::span<const std::uint32_t> rows,
                          const FloatFormat& format) {
  return static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [&](std::uint32_t row) {
    Float value = 0;
    return parse_float_exactly(cells.value(row), format, value);
  }));
}

/// Reads a finite number, whatever its style.
template <class Float>
bool parse_any_float(std::string_view text, Float& value) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  return parse_float(text, value) && std::isfinite(value);
}

template <class Float>
ColumnContent read_as(const ColumnCells& cells, const FloatGuess& guess, bool is_quoted, bool keep_text) {
  ColumnContent content;
  content.format.kind = guess.kind;
  content.format.floats = guess.format;
  content.format.is_quoted = is_quoted;
  Words numbers(sizeof(Float) == 8 ? DType::f64 : DType::f32, cells.count());
  const std::span<Float> values = numbers.as<Float>();
  ExceptionCollector exceptions(cells.count());
  for (std::uint32_t row = 0; row < cells.count(); ++row) {
    const std::string_view text = cells.value(row);
    const bool is_number = keep_text ? parse_float_exactly(text, guess.format, values[row])
                                     : parse_float(text, values[row]) && std::isfinite(values[row]);
    if (!is_number) exceptions.add(row, cells.raw(row));
  }
  fill_exceptions(values, exceptions.rows());
  content.range = range_of(std::span<const Float>(values));
  content.streams.push_back(std::move(numbers));
  exceptions.finish(content);
  return content;
}

template <class Float>
Words sample_as(const ColumnCells& cells, std::span<const std::uint32_t> rows) {
  Words numbers(sizeof(Float) == 8 ? DType::f64 : DType::f32, rows.size());
  Float last = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Float value = 0;
    if (parse_float(cells.value(rows[i]), value)) last = value;
    numbers.as<Float>()[i] = last;
  }
  return numbers;
}

}  // namespace

std::optional<FloatGuess> guess_floats(const ColumnCells& cells, std::span<const std::uint32_t> rows,
                                       bool keep_text) {
  std::vector<std::uint32_t> numbers;
  DigitsOfText most;
  for (const std::uint32_t row : rows) {
    double value = 0;
    if (!parse_float(cells.value(row), value) || !std::isfinite(value)) continue;
    numbers.push_back(row);
    const DigitsOfText digits = digits_of(cells.value(row));
    most.behind_point = std::max(most.behind_point, digits.behind_point);
    most.significant = std::max(most.significant, digits.significant);
  }
  if (numbers.empty()) return std::nullopt;
  const auto digits = [](unsigned count) {
    return static_cast<std::uint8_t>(std::min(count, max_float_digits));
  };
  const FloatFormat styles[] = {{FloatStyle::shortest},
                                {FloatStyle::repr},
                                {FloatStyle::general, digits(most.significant)},
                                {FloatStyle::scientific, digits(most.behind_point)},
                                {FloatStyle::fixed, digits(most.behind_point)}};
  const std::size_t enough = numbers.size() - numbers.size() / 64;
  for (const FloatFormat& style : styles) {
    if (count_matches<float>(cells, numbers, style) >= enough) return FloatGuess{CellKind::f32, style};
  }
  for (const FloatFormat& style : styles) {
    if (count_matches<double>(cells, numbers, style) >= enough) return FloatGuess{CellKind::f64, style};
  }
  if (keep_text) return std::nullopt;
  return FloatGuess{CellKind::f64, {FloatStyle::shortest}};
}

ColumnContent read_floats(const ColumnCells& cells, const FloatGuess& guess, bool is_quoted, bool keep_text) {
  return guess.kind == CellKind::f32 ? read_as<float>(cells, guess, is_quoted, keep_text)
                                     : read_as<double>(cells, guess, is_quoted, keep_text);
}

Words sample_floats(const ColumnCells& cells, const FloatGuess& guess, std::span<const std::uint32_t> rows) {
  return guess.kind == CellKind::f32 ? sample_as<float>(cells, rows) : sample_as<double>(cells, rows);
}

}  // namespace floe::rows
