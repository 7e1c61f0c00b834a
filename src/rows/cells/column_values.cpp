#include "rows/cells/column_values.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/half.hpp"
#include "core/word.hpp"

namespace floe::rows {
namespace {

/// Reads all of `text` as a number of type T.
template <class T>
bool parse_as(std::string_view text, T& value) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc{} && stop == end) return true;
  // 1e3 and 12.0 are integers, too.
  if constexpr (std::integral<T>) {
    double number = 0;
    if (!parse_float(text, number) || number != std::trunc(number) || std::abs(number) > 9007199254740992.0)
      return false;
    const auto whole = static_cast<std::int64_t>(number);
    value = static_cast<T>(whole);
    return static_cast<std::int64_t>(value) == whole && (whole >= 0 || std::is_signed_v<T>);
  }
  return false;
}

bool parse_boolean(std::string_view text, std::uint8_t& value) {
  for (const std::string_view yes : {"1", "true", "True", "TRUE", "yes", "t"}) {
    if (text == yes) {
      value = 1;
      return true;
    }
  }
  value = 0;
  for (const std::string_view no : {"0", "false", "False", "FALSE", "no", "f"}) {
    if (text == no) return true;
  }
  return false;
}

bool parse_seconds(std::string_view text, std::int64_t& value) {
  const auto format = recognize_time(text);
  if (!format || !parse_time(text, *format, value)) return parse_as(text, value);
  value = whole_seconds(value, *format);
  return true;
}

/// The value of a cell, of its text.
class CellParser {
 public:
  CellParser(const ColumnPrinter& printer, DType type)
      : printer_(printer), type_(type), cell_(printer.longest_bytes()) {}

  template <class T>
  bool parse(std::uint32_t row, T& value) {
    const char* const end = printer_.print(cell_.data(), row);
    std::string_view text(cell_.data(), static_cast<std::size_t>(end - cell_.data()));
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
    if constexpr (std::same_as<T, std::uint8_t>) {
      if (type_ == DType::boolean) return parse_boolean(text, value);
    }
    if constexpr (std::same_as<T, std::int64_t>) {
      if (type_ == DType::time) return parse_seconds(text, value);
    }
    return parse_as(text, value);
  }

 private:
  const ColumnPrinter& printer_;
  DType type_;
  std::vector<char> cell_;
};

/// Values that need no text: of columns whose numbers are those wanted.
template <class T>
bool direct_value(const ColumnContent& content, std::uint32_t row, DType type, T& value) {
  const CellFormat& format = content.format;
  const Words& words = content.streams[0];
  if (format.kind == CellKind::decimal && std::same_as<T, double>) {
    value = static_cast<T>(decimal_value(words.integer(row), format.scale));
    return true;
  }
  if (format.kind == CellKind::decimal && format.scale == 0 && std::same_as<T, std::int64_t> &&
      type != DType::boolean) {
    value = static_cast<T>(words.integer(row));
    return true;
  }
  if (format.kind == CellKind::f64 && std::same_as<T, double>) {
    value = static_cast<T>(words.as<double>()[row]);
    return true;
  }
  if (format.kind == CellKind::time && std::same_as<T, std::int64_t>) {
    value = static_cast<T>(whole_seconds(words.integer(row), format.times));
    return type == DType::time;
  }
  return false;
}

template <class T>
void convert(const ColumnContent& content, const ColumnPrinter& printer, std::uint32_t first,
             std::uint32_t count, DType type, std::uint8_t* out, std::span<std::uint8_t> valid) {
  CellParser parser(printer, type);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t row = first + i;
    T value{};
    const bool is_value = (!printer.is_exception(row) && has_numbers(content.format.kind) &&
                           direct_value(content, row, type, value)) ||
                          parser.parse(row, value);
    if (!is_value) value = T{};
    std::memcpy(out + i * sizeof(T), &value, sizeof value);
    if (!valid.empty()) valid[i] = is_value;
  }
}

template <class Number>
double rounded(Number number, double towards) {
  const auto value = static_cast<double>(number);
  // Beyond 2^53 conversion rounds; the next number outwards is certainly no bound that is too narrow.
  return std::abs(value) < 9007199254740992.0 ? value : std::nextafter(value, towards);
}

}  // namespace

Status convert_values(const ColumnContent& content, const ColumnPrinter& printer, std::uint32_t first,
                      std::uint32_t count, DType type, std::span<std::uint8_t> out,
                      std::span<std::uint8_t> valid) {
  if (content.format.kind == CellKind::native) {
    const std::size_t width = size_of(type);
    std::memcpy(out.data(), content.streams[0].bytes().data() + first * width, count * width);
    if (!valid.empty()) std::memset(valid.data(), 1, count);
    return {};
  }
  const auto run = [&](auto zero) {
    convert<decltype(zero)>(content, printer, first, count, type, out.data(), valid);
  };
  if (type == DType::f32) {
    run(float{});
  } else if (type == DType::f64) {
    run(double{});
  } else if (is_float(type) || type == DType::text) {
    return {ErrorCode::invalid_argument, 0, "cells of text have no values of this type"};
  } else {
    with_word(size_of(type),
              [&]<class W>(W) { is_signed(word_type(type)) ? run(std::make_signed_t<W>{}) : run(W{}); });
  }
  return {};
}

std::string native_text(const ColumnContent& content, std::uint32_t row, const Column& column) {
  const Words& words = content.streams[0];
  char text[longest_float_bytes];
  const FloatFormat fixed{FloatStyle::fixed, column.decimals};
  constexpr TimeFormat seconds{TimeLayout::seconds, '-', ' '};
  switch (column.type) {
    case DType::f32:
      return {text, print_float(text, words.as<float>()[row], fixed)};
    case DType::f64:
      return {text, print_float(text, words.as<double>()[row], fixed)};
    case DType::f16:
      return {text, print_float(text, core::from_f16(words.as<std::uint16_t>()[row]), fixed)};
    case DType::bf16:
      return {text, print_float(text, core::from_bf16(words.as<std::uint16_t>()[row]), fixed)};
    case DType::u64:
      return std::to_string(words.as<std::uint64_t>()[row]);
    case DType::time:
      if (!is_printable_time(words.integer(row), seconds)) break;
      return {text, print_time(text, words.integer(row), seconds)};
    default:
      break;
  }
  return std::to_string(words.integer(row));
}

ValueBounds numeric_range(const ColumnEntry& column) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto [kind, min, max] = column.range;
  ValueBounds range;
  range.is_known = kind != RangeKind::none;
  switch (kind) {
    case RangeKind::none:
      break;
    case RangeKind::integer: {
      const bool is_scaled = column.format.kind == CellKind::decimal && column.format.scale > 0;
      const auto low = static_cast<std::int64_t>(min), high = static_cast<std::int64_t>(max);
      range.min = is_scaled ? decimal_value(low, column.format.scale) : rounded(low, -infinity);
      range.max = is_scaled ? decimal_value(high, column.format.scale) : rounded(high, infinity);
      break;
    }
    case RangeKind::unsigned_integer:
      range.min = rounded(min, -infinity);
      range.max = rounded(max, infinity);
      break;
    case RangeKind::floating:
      range.min = std::bit_cast<double>(min);
      range.max = std::bit_cast<double>(max);
      break;
  }
  return range;
}

std::string describe_format(const CellFormat& w) {
  const std::string quotes =
      std::string(w.omits_zero ? ", without 0 before the point" : "") + (w.is_quoted ? ", in quotes" : "");
  const auto digits = [](unsigned count) {
    return std::to_string(count) + (count == 1 ? " digit" : " digits");
  };
  switch (w.kind) {
    case CellKind::native:
      return "values";
    case CellKind::decimal:
      if (w.decimals == 0) return "integers" + quotes;
      if (w.decimals == w.min_decimals) return "decimals, " + digits(w.decimals) + quotes;
      return "decimals, " + std::to_string(w.min_decimals) + " to " + digits(w.decimals) + quotes;
    case CellKind::free_decimal:
      return "decimals, digits vary" + quotes;
    case CellKind::f32:
      return "f32 as text" + quotes;
    case CellKind::f64:
      return "f64 as text" + quotes;
    case CellKind::time:
      return "times" + quotes;
    case CellKind::words:
      return "words";
    case CellKind::text:
      return "text";
  }
  return "unknown";
}

}  // namespace floe::rows
