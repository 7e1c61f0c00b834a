#include "rows/malformed_rows.hpp"

#include <algorithm>
#include <numeric>

namespace floe::rows {

std::vector<Words> malformed_words(std::string_view text, const std::vector<MalformedLine>& lines) {
  if (lines.empty()) return {};
  const std::uint64_t bytes = std::accumulate(
      lines.begin(), lines.end(), std::uint64_t{0},
      [](std::uint64_t sum, const MalformedLine& line) { return sum + line.end - line.begin; });
  std::vector<Words> words = {{DType::u32, lines.size()}, {DType::u32, lines.size()}, {DType::u8, bytes}};
  auto to = words[2].as<char>().begin();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    words[0].as<std::uint32_t>()[i] = lines[i].before_row;
    words[1].as<std::uint32_t>()[i] = lines[i].end - lines[i].begin;
    to = std::copy(text.begin() + lines[i].begin, text.begin() + lines[i].end, to);
  }
  return words;
}

}  // namespace floe::rows
