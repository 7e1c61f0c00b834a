#include "rows/cells/number_readers.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "rows/cells/exceptions.hpp"

namespace floe::rows {
namespace {

using Histogram = std::array<std::uint64_t, max_decimals + 1>;

/// How many cells have so many digits behind the point, and what the largest of them is.
struct DigitCounts {
  Histogram with_zero{}, without_zero{};  ///< With and without a zero as the last digit behind the point;
                                          ///< without digits: with_zero.
  std::array<std::uint64_t, max_decimals + 1> largest{};
  std::uint64_t cells = 0;
};

DigitCounts count_digits(const ParsedDecimals& parsed) {
  DigitCounts counts;
  for (std::size_t row = 0; row < parsed.decimals.size(); ++row) {
    const std::uint8_t k = parsed.decimals[row];
    if (k == ParsedDecimals::no_decimal) continue;
    const std::int64_t m = parsed.mantissas[row];
    const bool ends_with_zero = k == 0 || m % 10 == 0;
    ++(ends_with_zero ? counts.with_zero : counts.without_zero)[k];
    const std::uint64_t magnitude = m < 0 ? 0 - static_cast<std::uint64_t>(m) : static_cast<std::uint64_t>(m);
    counts.largest[k] = std::max(counts.largest[k], magnitude);
    ++counts.cells;
  }
  return counts;
}

/// Whether every number with up to `decimals` digits behind the point fits 63 bits when it has so many.
bool is_in_range(const DigitCounts& counts, unsigned decimals) {
  for (unsigned k = 0; k <= decimals; ++k) {
    std::uint64_t scaled = 0;
    const auto power = static_cast<std::uint64_t>(powers_of_ten[decimals - k]);
    if (__builtin_mul_overflow(counts.largest[k], power, &scaled) ||
        scaled > static_cast<std::uint64_t>(INT64_MAX))
      return false;
  }
  return true;
}

/// The most digits of the shape: those of all cells, but for a few cells with more, which would make all
/// numbers long.
unsigned max_digits_of(const DigitCounts& counts) {
  std::uint64_t dropped = 0;
  unsigned decimals = max_decimals;
  for (; decimals > 0; --decimals) {
    const std::uint64_t here = counts.without_zero[decimals] + counts.with_zero[decimals];
    if (is_in_range(counts, decimals) && (dropped + here) * 4096 > counts.cells) break;
    dropped += here;
  }
  return decimals;
}

/// Divides by the power of ten that divides all of them, up to 10^decimals; returns its exponent.
unsigned divide_by_common_power(std::vector<std::int64_t>& values, unsigned decimals) {
  unsigned common = decimals;
  for (const std::int64_t value : values) {
    while (common > 0 && value % powers_of_ten[common] != 0) --common;
    if (common == 0) return 0;
  }
  for (std::int64_t& value : values) value /= powers_of_ten[common];
  return common;
}

}  // namespace

bool parse_any_decimal(std::string_view text, Decimal& decimal) noexcept {
  if (parse_decimal(text, decimal)) return true;
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  while (text.size() > 1 && text[0] == '0' && text[1] != '.') text.remove_prefix(1);
  if (text.empty() || text == "." || text.size() > 40) return false;
  char plain[48];
  std::size_t bytes = 0;
  if (negative) plain[bytes++] = '-';
  if (text.front() == '.') plain[bytes++] = '0';
  if (text.ends_with('.')) text.remove_suffix(1);
  text.copy(plain + bytes, text.size());
  return parse_decimal({plain, bytes + text.size()}, decimal);
}

ParsedDecimals parse_decimals(const ColumnCells& cells, bool omits_zero, bool keep_text) {
  ParsedDecimals parsed;
  parsed.omits_zero = omits_zero;
  parsed.mantissas.resize(cells.count());
  parsed.decimals.resize(cells.count());
  for (std::uint32_t row = 0; row < cells.count(); ++row) {
    Decimal decimal;
    const std::string_view text = cells.value(row);
    const bool is_decimal =
        (omits_zero ? parse_decimal_without_zero(text, decimal) : parse_decimal(text, decimal)) ||
        (!keep_text && parse_any_decimal(text, decimal));
    parsed.mantissas[row] = decimal.mantissa;
    parsed.decimals[row] = is_decimal ? decimal.decimals : ParsedDecimals::no_decimal;
  }
  return parsed;
}

std::optional<DecimalShape> best_shape(const ParsedDecimals& parsed, bool keep_text) {
  const DigitCounts counts = count_digits(parsed);
  if (counts.cells == 0) return std::nullopt;
  const unsigned decimals = max_digits_of(counts);
  DecimalShape best{static_cast<std::uint8_t>(decimals), 0, counts.cells + 1};
  std::uint64_t fitting_above = 0;
  for (unsigned min = decimals + 1; min-- > 0;) {
    const std::uint64_t fitting = fitting_above + counts.without_zero[min] + counts.with_zero[min];
    fitting_above += counts.without_zero[min];
    const std::uint64_t misfits = counts.cells - fitting;
    if (misfits < best.misfits)
      best = {static_cast<std::uint8_t>(decimals), static_cast<std::uint8_t>(min), misfits};
  }
  if (!keep_text) {
    best.misfits = 0;
    for (unsigned k = decimals + 1; k <= max_decimals; ++k)
      best.misfits += counts.with_zero[k] + counts.without_zero[k];
  }
  return best;
}

bool fits_shape(std::int64_t mantissa, unsigned decimals, const DecimalShape& shape, bool keep_text,
                std::int64_t& scaled) noexcept {
  if (decimals > shape.decimals) return false;
  if (keep_text && decimals != shape.min_decimals && (decimals < shape.min_decimals || mantissa % 10 == 0))
    return false;
  return !__builtin_mul_overflow(mantissa, powers_of_ten[shape.decimals - decimals], &scaled);
}

ColumnContent decimals_in_shape(const ColumnCells& cells, const ParsedDecimals& parsed,
                                const DecimalShape& shape, bool is_quoted, bool keep_text) {
  ColumnContent content;
  content.format.kind = CellKind::decimal;
  content.format.is_quoted = is_quoted;
  content.format.omits_zero = parsed.omits_zero;
  content.format.decimals = shape.decimals;
  content.format.min_decimals = shape.min_decimals;
  ExceptionCollector exceptions(cells.count());
  std::vector<std::int64_t> values(cells.count());
  for (std::uint32_t row = 0; row < cells.count(); ++row) {
    if (!parsed.is_decimal(row) ||
        !fits_shape(parsed.mantissas[row], parsed.decimals[row], shape, keep_text, values[row]))
      exceptions.add(row, cells.raw(row));
  }
  fill_exceptions(std::span(values), exceptions.rows());
  content.format.scale =
      static_cast<std::uint8_t>(shape.decimals - divide_by_common_power(values, shape.decimals));
  content.range = range_of(DType::i64, values.data(), values.size());
  content.streams.push_back(narrowed(values));
  exceptions.finish(content);
  return content;
}

ColumnContent free_decimals(const ColumnCells& cells, const ParsedDecimals& parsed, bool is_quoted) {
  ColumnContent content;
  content.format.kind = CellKind::free_decimal;
  content.format.is_quoted = is_quoted;
  content.format.omits_zero = parsed.omits_zero;
  ExceptionCollector exceptions(cells.count());
  for (std::uint32_t row = 0; row < cells.count(); ++row) {
    if (!parsed.is_decimal(row)) exceptions.add(row, cells.raw(row));
  }
  std::vector<std::int64_t> values = parsed.mantissas;
  Words decimals(DType::u8, cells.count());
  std::copy(parsed.decimals.begin(), parsed.decimals.end(), decimals.as<std::uint8_t>().begin());
  fill_exceptions(std::span(values), exceptions.rows());
  fill_exceptions(decimals.as<std::uint8_t>(), exceptions.rows());
  std::vector<double> numbers(cells.count());
  for (std::uint32_t row = 0; row < cells.count(); ++row) {
    numbers[row] = decimal_value(values[row], decimals.as<std::uint8_t>()[row]);
  }
  content.range = range_of(DType::f64, numbers.data(), numbers.size());
  content.streams.push_back(narrowed(values));
  content.streams.push_back(std::move(decimals));
  exceptions.finish(content);
  return content;
}

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
  content.range = range_of(numbers.type(), numbers.data(), numbers.count());
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
  DigitsOfText max;
  for (const std::uint32_t row : rows) {
    double value = 0;
    if (!parse_float(cells.value(row), value) || !std::isfinite(value)) continue;
    numbers.push_back(row);
    const DigitsOfText digits = digits_of(cells.value(row));
    max.behind_point = std::max(max.behind_point, digits.behind_point);
    max.significant = std::max(max.significant, digits.significant);
  }
  if (numbers.empty()) return std::nullopt;
  const auto digits = [](unsigned count) {
    return static_cast<std::uint8_t>(std::min(count, max_float_digits));
  };
  const FloatFormat styles[] = {{FloatStyle::shortest},
                                {FloatStyle::repr},
                                {FloatStyle::general, digits(max.significant)},
                                {FloatStyle::scientific, digits(max.behind_point)},
                                {FloatStyle::fixed, digits(max.behind_point)}};
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
