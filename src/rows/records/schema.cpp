#include <array>
#include <charconv>

#include "floe/series.hpp"

namespace floe::tables {
namespace {

constexpr std::array<std::string_view, 13> type_names = {"text", "i8",  "i16", "i32", "i64",  "u8",  "u16",
                                                         "u32",  "u64", "f32", "f64", "bool", "time"};

struct OtherName {
  std::string_view name;
  ColumnType type;
};
constexpr OtherName other_names[] = {{"char", ColumnType::i8},          {"short", ColumnType::i16},  {"int", ColumnType::i32},
                                     {"unsigned", ColumnType::u32},     {"float", ColumnType::f32},  {"double", ColumnType::f64},
                                     {"unsigned int", ColumnType::u32}, {"time_t", ColumnType::time}};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool find_type(std::string_view name, ColumnType& type) {
  for (std::size_t i = 0; i < type_names.size(); ++i) {
    if (type_names[i] != name) continue;
    type = static_cast<ColumnType>(i);
    return true;
  }
  for (const OtherName& other : other_names) {
    if (other.name != name) continue;
    type = other.type;
    return true;
  }
  return false;
}

/// A line of a header file. Returns what is wrong with it, or null.
const char* parse_column(std::string_view line, Column& column) {
  // Names may hold commas; the last two fields are type and precision.
  const std::size_t last = line.rfind(',');
  const std::size_t middle = last == std::string_view::npos || last == 0 ? std::string_view::npos : line.rfind(',', last - 1);
  if (middle == std::string_view::npos) return "a line of a header file is name,type,precision";
  column.name = trimmed(line.substr(0, middle));
  if (!find_type(trimmed(line.substr(middle + 1, last - middle - 1)), column.type)) return "the type of a column is unknown";
  const std::string_view digits = trimmed(line.substr(last + 1));
  unsigned decimals = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), decimals);
  if (error != std::errc{} || end != digits.data() + digits.size() || decimals > 40) return "a precision is a number from 0 to 40";
  column.decimals = static_cast<std::uint8_t>(decimals);
  return nullptr;
}

}  // namespace

std::size_t size_of(ColumnType type) noexcept {
  switch (type) {
    case ColumnType::text:
      return 0;
    case ColumnType::i8:
    case ColumnType::u8:
    case ColumnType::boolean:
      return 1;
    case ColumnType::i16:
    case ColumnType::u16:
      return 2;
    case ColumnType::i32:
    case ColumnType::u32:
    case ColumnType::f32:
      return 4;
    case ColumnType::i64:
    case ColumnType::u64:
    case ColumnType::f64:
    case ColumnType::time:
      return 8;
  }
  return 0;
}

std::string_view name_of(ColumnType type) noexcept {
  const auto number = static_cast<std::size_t>(type);
  return number < type_names.size() ? type_names[number] : "unknown";
}

Result<Schema> parse_schema(std::string_view text) {
  Schema schema;
  for (std::uint64_t line_number = 1; !text.empty(); ++line_number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    Column column;
    if (const char* detail = parse_column(line, column)) return Status{ErrorCode::invalid_argument, line_number, detail};
    schema.push_back(std::move(column));
  }
  if (schema.empty()) return Status{ErrorCode::invalid_argument, 0, "a header file without columns"};
  return schema;
}

std::string schema_text(const Schema& schema) {
  std::string text;
  for (const Column& column : schema) {
    std::string_view type = name_of(column.type);
    for (const OtherName& other : other_names) {
      if (other.type == column.type && other.name != "unsigned int" && other.name != "time_t") type = other.name;
    }
    text += column.name + "," + std::string(type) + "," + std::to_string(column.decimals) + "\n";
  }
  return text;
}

}  // namespace floe::tables
