// Whether the first bytes of a file are those of a table, or of some other text or no text at all.
#include <algorithm>
#include <new>

#include "rows/cells/cell_text.hpp"
#include "rows/csv/csv_shape.hpp"

namespace floe {
namespace {

constexpr std::size_t probed_bytes = std::size_t{64} << 10, probed_lines = 256;
/// Without any numbers, a table has to be as long and as wide to be told from text with commas.
constexpr std::size_t min_lines_of_texts = 16;
constexpr std::uint32_t min_columns_of_texts = 3;

bool is_text(std::string_view bytes) {
  return std::none_of(bytes.begin(), bytes.end(), [](char c) {
    const auto code = static_cast<unsigned char>(c);
    return (code < 0x20 && c != '\t' && c != '\n' && c != '\r') || code == 0x7f;
  });
}

/// Lines that could be rows: not blank, and no comments. The last one counts only if it is complete.
std::vector<std::string_view> candidate_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  if (text.size() >= probed_bytes) text = text.substr(0, text.rfind('\n') + 1);
  for (const std::string_view line : rows::first_lines(text, probed_lines)) {
    const std::string_view content = rows::trimmed(line);
    if (!content.empty() && content.front() != '#') lines.push_back(line);
  }
  return lines;
}

/// Also with a decimal comma, where that is not what separates cells.
bool is_number(std::string_view cell) {
  std::string text(rows::trimmed(rows::without_quotes(rows::trimmed(cell))));
  if (const std::size_t comma = text.find(','); comma != std::string::npos) text[comma] = '.';
  double number = 0;
  return !text.empty() && (rows::parse_float(text, number) || rows::recognize_time(text).has_value());
}

bool has_number(std::string_view line, char separator) {
  for (;;) {
    const std::size_t end = line.find(separator);
    if (is_number(line.substr(0, end))) return true;
    if (end == std::string_view::npos) return false;
    line.remove_prefix(end + 1);
  }
}

/// Statements of a program, and what is indented, are no rows of texts.
bool looks_like_code(std::string_view line) {
  constexpr std::string_view ends_of_statements = ";{}(";
  return line.front() == ' ' || line.front() == '\t' ||
         ends_of_statements.find(rows::trimmed(line).back()) != std::string_view::npos;
}

bool is_table(std::string_view text) {
  if (!is_text(text)) return false;
  const std::vector<std::string_view> lines = candidate_lines(text);
  // JSON and markup have numbers between commas, too.
  if (lines.size() < 2 ||
      std::string_view("{[<|").find(rows::trimmed(lines[0]).front()) != std::string_view::npos)
    return false;
  const char separator = rows::detect_separator(lines);
  const rows::UsualCount usual = rows::usual_count(lines, separator);
  if (usual.lines * 10 < lines.size() * 9) return false;
  // The first line may hold names.
  const auto with_number = static_cast<std::size_t>(std::count_if(
      lines.begin() + 1, lines.end(), [&](std::string_view line) { return has_number(line, separator); }));
  const std::size_t rows = lines.size() - 1;
  if (usual.cell_count == 1) return with_number * 10 >= rows * 9 && rows >= 3;
  if (with_number * 2 > rows) return true;
  return usual.cell_count >= min_columns_of_texts && lines.size() >= min_lines_of_texts &&
         usual.lines == lines.size() && std::none_of(lines.begin(), lines.end(), looks_like_code);
}

}  // namespace

TextKind recognize_text(std::span<const std::byte> first_bytes) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(first_bytes.data()),
                              std::min(first_bytes.size(), probed_bytes));
  try {
    return is_table(text) ? TextKind::table : TextKind::other;
  } catch (const std::bad_alloc&) {
    return TextKind::other;
  }
}

}  // namespace floe
