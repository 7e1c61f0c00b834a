// Which compact frame a small table becomes, of words or of text, and whether any is smaller than its
// ordinary frame.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "floe/frame.hpp"
#include "pipeline/compact/compact_table.hpp"
#include "pipeline/compact/text/compact_text.hpp"

namespace floe::pipeline {

/// Tables of so much text may become compact frames of words.
inline constexpr std::uint64_t max_compact_source_bytes = std::uint64_t{1} << 18;

/// A table of one segment, which is encoded for an ordinary frame.
struct SmallTable {
  const container::Header& header;
  const container::SegmentHeader& segment;
  std::vector<rows::Words> words;  ///< Of all streams; none if it may not become a frame of words.
  std::string_view text;           ///< All rows; nothing if it may not become a frame of text.
};

struct ChosenCompact {
  std::vector<std::uint8_t> frame;
  FrameInfo info;
};
/// Nothing if no compact frame is smaller than the ordinary one. Throws std::bad_alloc.
Result<std::optional<ChosenCompact>> choose_compact(SmallTable table);

}  // namespace floe::pipeline
