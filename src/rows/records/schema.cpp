#include <charconv>

#include "floe/floe.hpp"
#include "rows/csv/csv_shape.hpp"

namespace floe {
namespace {

struct OtherName {
  std::string_view name;
  DType type;
};
constexpr OtherName other_names[] = {
    {"char", DType::i8},   {"short", DType::i16},  {"int", DType::i32},          {"unsigned", DType::u32},
    {"float", DType::f32}, {"double", DType::f64}, {"unsigned int", DType::u32}, {"time_t", DType::time}};

bool find_type(std::string_view name, DType& type) {
  if (const auto known = dtype_from_name(name)) {
    type = *known;
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
  const std::size_t middle =
      last == std::string_view::npos || last == 0 ? std::string_view::npos : line.rfind(',', last - 1);
  if (middle == std::string_view::npos) return "a line of a header file is name,type,precision";
  column.name = rows::trimmed(line.substr(0, middle));
  if (!find_type(rows::trimmed(line.substr(middle + 1, last - middle - 1)), column.type))
    return "the type of a column is unknown";
  const std::string_view digits = rows::trimmed(line.substr(last + 1));
  unsigned decimals = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), decimals);
  if (error != std::errc{} || end != digits.data() + digits.size() || decimals > 40)
    return "a precision is a number from 0 to 40";
  column.decimals = static_cast<std::uint8_t>(decimals);
  return nullptr;
}

}  // namespace

Result<Schema> parse_schema(std::string_view text) {
  Schema schema;
  for (std::uint64_t line_number = 1; !text.empty(); ++line_number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = rows::trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    Column column;
    if (const char* detail = parse_column(line, column))
      return Status{ErrorCode::invalid_argument, line_number, detail};
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
      if (other.type == column.type && other.name != "unsigned int" && other.name != "time_t")
        type = other.name;
    }
    text += column.name + "," + std::string(type) + "," + std::to_string(column.decimals) + "\n";
  }
  return text;
}

}  // namespace floe
