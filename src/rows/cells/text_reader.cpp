#include "rows/cells/text_reader.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace floe::rows {
namespace {

/// Words pay off while they are few beside the cells.
bool are_few(std::size_t words, std::uint32_t cells) { return words <= 16 || words <= cells / 4; }

bool looks_repetitive(const ColumnCells& cells) {
  constexpr std::uint32_t probes = 4096;
  std::unordered_map<std::string_view, char> seen;
  const std::uint32_t count = std::min(cells.count(), probes);
  for (std::uint32_t i = 0; i < count; ++i)
    seen.emplace(cells.raw(static_cast<std::uint32_t>(std::uint64_t{i} * cells.count() / count)), 0);
  return seen.size() <= 16 || seen.size() <= count / 2;
}

}  // namespace

ColumnContent read_texts(const ColumnCells& cells) {
  ColumnContent content;
  if (looks_repetitive(cells)) {
    std::unordered_map<std::string_view, std::uint32_t> codes_by_text;
    TextList words;
    std::vector<std::uint32_t> codes(cells.count());
    std::string_view last;
    std::uint32_t last_code = 0, row = 0;
    for (; row < cells.count() && are_few(codes_by_text.size(), cells.count()); ++row) {
      const std::string_view text = cells.raw(row);
      if (row == 0 || text != last) {
        const auto [entry, is_new] =
            codes_by_text.try_emplace(text, static_cast<std::uint32_t>(codes_by_text.size()));
        if (is_new) words.add(text);
        last = text;
        last_code = entry->second;
      }
      codes[row] = last_code;
    }
    if (row == cells.count() && are_few(codes_by_text.size(), cells.count())) {
      content.format.kind = CellKind::words;
      words.append_to(content.streams);
      content.streams.push_back(narrowed_codes(
          codes, static_cast<std::uint32_t>(std::max<std::size_t>(codes_by_text.size(), 1) - 1)));
      return content;
    }
  }
  TextList texts;
  for (std::uint32_t row = 0; row < cells.count(); ++row) texts.add(cells.raw(row));
  content.format.kind = CellKind::text;
  texts.append_to(content.streams);
  return content;
}

}  // namespace floe::rows
