// Which compact frame a small table becomes, of words or of text, and whether it becomes one.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "floe/frame.hpp"
#include "pipeline/compact/compact_table.hpp"
#include "pipeline/compact/text/compact_text.hpp"

namespace floe::pipeline {

/// Of tables of so much text, both frames are made for the goals that are about size.
inline constexpr std::uint64_t max_compared_text_bytes = max_compact_text_bytes;

/// Whether columns have so little text that what an ordinary frame says of them, 130 to 190 bytes for each,
/// is a considerable part of it: a compact frame is smaller, if there can be one.
constexpr bool are_short(std::uint64_t columns, std::uint64_t text_bytes) noexcept {
  constexpr std::uint64_t short_column_bytes = std::uint64_t{1} << 14;
  return columns <= max_compact_columns && text_bytes <= short_column_bytes * columns &&
         text_bytes <= 2 * max_compact_words_bytes;
}
/// About how many bytes words take among those of other short columns.
std::uint64_t bytes_among_others(const rows::Words& words);

/// A table of one segment.
struct SmallTable {
  const container::Header& header;
  const container::SegmentHeader& segment;  ///< Of the entries of streams only type and count matter.
  std::vector<rows::Words> words;           ///< Of all streams.
  std::string_view text;                    ///< All rows.
  bool is_planned = false;                  ///< Whether to say what became of it.
};

/// How to search for the compact frame of a table of so much text, and so many columns.
CompactSearch compact_search_of(const Options& options, std::uint64_t text_bytes, std::uint64_t columns);

struct ChosenCompact {
  std::vector<std::uint8_t> frame;
  bool is_text = false;
  FrameInfo info;
  PlannedSegment planned;  ///< Without what its source is; only if asked for.
};
/// Nothing if no compact frame has fewer than `max_bytes`. Throws std::bad_alloc.
Result<std::optional<ChosenCompact>> choose_compact(SmallTable table, const CompactSearch& search,
                                                    std::uint64_t max_bytes);

}  // namespace floe::pipeline
