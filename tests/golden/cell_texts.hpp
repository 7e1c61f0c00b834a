// CSV texts whose columns are written in every way that there is a cell format for.
#pragma once

#include <array>
#include <bit>
#include <charconv>
#include <cstdarg>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/support/data.hpp"

namespace floe::test::golden {

/// Three columns of cells.
using CellTable = std::array<std::vector<std::string>, 3>;
constexpr std::size_t cell_rows = 300;

[[gnu::format(printf, 1, 2)]] inline std::string format(const char* how, ...) {
  std::va_list arguments;
  va_start(arguments, how);
  char text[400];
  std::vsnprintf(text, sizeof text, how, arguments);
  va_end(arguments);
  return text;
}

template <class Float>
std::string shortest(Float number) {
  char text[400];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

/// As Python's repr() writes a number.
inline std::string python_repr(double number) {
  char text[400];
  const std::string scientific = {
      text, std::to_chars(text, text + sizeof text, number, std::chars_format::scientific).ptr};
  const int exponent = std::stoi(scientific.substr(scientific.find('e') + 1));
  if (exponent < -4 || exponent >= 16) return scientific;
  const std::string fixed = {text,
                             std::to_chars(text, text + sizeof text, number, std::chars_format::fixed).ptr};
  return fixed.find('.') == std::string::npos ? fixed + ".0" : fixed;
}

template <class Cell>
std::vector<std::string> column(const Cell& cell) {
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < cell_rows; ++i) cells.push_back(cell(static_cast<int>(i)));
  return cells;
}

/// Numbers of all magnitudes, and such that are hard to print.
inline std::vector<double> numbers_of_all_sizes() {
  std::vector<double> numbers = {0.0,
                                 -0.0,
                                 1e22,
                                 1e23,
                                 12345678901234567890.0,
                                 5e-324,
                                 1.7976931348623157e308,
                                 0x1p-1022,
                                 0x1p60,
                                 1e-5,
                                 1e-4,
                                 1e16,
                                 9007199254740993.0,
                                 0.1,
                                 100.0,
                                 1e15,
                                 123456.0,
                                 1e100,
                                 0x1p-1074,
                                 3e-5,
                                 123456790528.0,
                                 0x1p24};
  Random random(4);
  while (numbers.size() < cell_rows) {
    const auto exponent = static_cast<std::uint64_t>(1023 - 100 + random.below(200));
    numbers.push_back(std::bit_cast<double>(random.below(2) << 63 | exponent << 52 | random.next() >> 12));
  }
  return numbers;
}

inline std::vector<CellTable> tables_of_all_formats() {
  const std::vector<double> doubles = numbers_of_all_sizes();
  const auto at = [&](int i) { return doubles[static_cast<std::size_t>(i)]; };
  const auto single = [&](int i) {
    return static_cast<double>(static_cast<float>(at(i) < 1e38 && at(i) > -1e38 ? at(i) : 1.0));
  };
  static constexpr const char* places[] = {"north", "s\u00fcd", "", "\"a, b\""};
  return {
      {column([&](int i) { return format("%.17g", at(i)); }),
       column([&](int i) { return i % 50 == 7 ? "NA" : format("%.9e", single(i)); }),
       column([&](int i) { return format("%.3f", i % 3 == 0 ? 0.5 * i : single(i % 290 + 10)); })},
      {column([&](int i) { return format("%.17g", at(i) == 0 ? 1 : at(i)); }),
       column([](int i) { return format("%.2f", i * 37 % 1000 / 100.0); }),
       column([](int i) { return format("%g", i * 37 % 1000 / 100.0); })},
      {column([](int i) { return format("%.*f", i % 4, i * 12345.0); }),
       column([](int i) { return format("\"%d\"", i); }), column([](int i) {
         return i % 5 == 0 ? "NA" : i % 61 == 1 ? format("~%d", i) : format("%d", i);
       })},
      {column([](int i) { return format("2016-02-%02d", 1 + i % 28); }),
       column([](int i) { return format("2016/02/03 %02d:%02d", i % 24, i % 60); }),
       column([](int i) { return format("0000-01-01T00:00:%02dZ", i % 60); })},
      {column([](int i) { return format("9999-12-31 23:59:%02d.%06d", i % 60, i); }),
       column([](int i) { return format("1969-12-31t10:00:%02d-0530", i % 60); }),
       column([](int i) { return i % 40 == 3 ? "" : format("2024-02-29T10:%02d:00+05:45", i % 60); })},
      {column([](int i) { return format("Mon Feb  1 00:%02d:%02d 2016", i / 60, i % 60); }),
       column([](int i) { return std::string(places[i % 4]); }),
       column([](int i) { return format("text %d of %d", i * 7919, i); })},
      {column([](int i) { return format("\"%d.%d\"", i, i % 10); }),
       column([](int i) { return format("\"2020-01-01 00:00:%02d\"", i % 60); }),
       column([](int i) { return format("%d", -5 * (i % 50) * 100); })},
      {column([&](int i) { return shortest(at(i)); }),
       column([&](int i) { return shortest(static_cast<float>(single(i))); }),
       column([&](int i) { return python_repr(at(i)); })},
  };
}

/// Fractions without a zero before the point: with zeros at the end left out, as many digits, digits that
/// vary.
inline CellTable table_without_zeros() {
  const auto without_zero = [](std::string text) {
    const std::size_t zero = text.starts_with('-') ? 1 : 0;
    return text.substr(zero, 2) == "0." ? text.erase(zero, 1) : text;
  };
  return {column([&](int i) {
            return i % 70 == 9 ? "0.5" : without_zero(format("%g", (i * 37 % 300 - 99) / 100.0));
          }),
          column([&](int i) { return '"' + without_zero(format("%.2f", i * 37 % 200 / 100.0)) + '"'; }),
          column([&](int i) { return i == 5 ? "NA" : without_zero(format("%.*f", i % 4, i * 0.12345)); })};
}

/// The rows, with a line of names and lines that are no rows. `is_open`: the last row has no line end.
inline std::string text_of(const CellTable& table, const std::string& line_end, char separator,
                           bool is_open) {
  std::string text = std::string("a") + separator + "b" + separator + "c" + line_end;
  for (std::size_t row = 0; row < cell_rows; ++row) {
    text += table[0][row] + separator + table[1][row] + separator + table[2][row];
    if (row + 1 < cell_rows || !is_open) text += line_end;
    if (row < 3) text += "malformed" + line_end + line_end;
  }
  return text;
}

/// The first column changes its kind: its stream is cut into parts.
inline std::string text_of_two_kinds() {
  std::string text;
  for (int i = 0; i < 120000; ++i)
    text += std::to_string(i / 40000 == 1 ? i * 13LL % 7 : i) + ',' + std::to_string(i % 7) + '\n';
  return text;
}

}  // namespace floe::test::golden
