// What recovery makes of damaged bytes, and whether its map tells the truth.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "floe/recover.hpp"
#include "tests/support/small_frames.hpp"

namespace floe::test {

struct Recovered {
  Status status;  ///< Of opening or restoring.
  FrameInfo info;
  HeaderSource header = HeaderSource::intact;
  RecoveryMap map;
  Bytes content;
};

inline Recovered recover(Result<Recovery> recovery, const DecodeOptions& options = one_thread) {
  Recovered result;
  result.status = recovery.status();
  if (!recovery) return result;
  result.info = recovery->info();
  result.header = recovery->header_source();
  auto map = recovery->restore(sink_to(result.content), options);
  result.status = map.status();
  if (map) result.map = std::move(*map);
  return result;
}
inline Recovered recover(std::span<const std::uint8_t> bytes, const RecoveryOptions& options = {}) {
  return recover(Recovery::open(view_of(bytes), options));
}

inline bool is_in(const std::vector<LostRange>& ranges, std::uint64_t element) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const LostRange& range) {
    return range.what == Loss::elements && element >= range.first && element - range.first < range.count;
  });
}

/// Elements of an array that the map does not name are those of `content`, the others are zero; beyond the
/// length that is known there is nothing.
inline void expect_honest_array(const Recovered& result, const Bytes& content) {
  const std::size_t width = size_of(result.info.dtype);
  ASSERT_LE(result.content.size(), content.size());
  ASSERT_EQ(result.content.size(), result.info.element_count * width);
  std::uint64_t lost = 0;
  for (const LostRange& range : result.map.lost) {
    ASSERT_EQ(range.what, Loss::elements);
    ASSERT_FALSE(range.cause.ok());
    lost += range.count;
  }
  ASSERT_EQ(result.map.recovered + lost, result.info.element_count);
  if (result.map.is_length_known) {
    ASSERT_EQ(result.content.size(), content.size());
  }
  Bytes expected(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(result.content.size()));
  for (const LostRange& range : result.map.lost) {
    const std::uint64_t first = std::min(range.first, result.info.element_count),
                        count = std::min(range.count, result.info.element_count - first);
    std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(first * width), count * width,
                Bytes::value_type{});
  }
  if (expected == result.content) return;  // which takes a tenth of the time of looking for the place
  const auto wrong = std::mismatch(expected.begin(), expected.end(), result.content.begin()).first;
  FAIL() << "element " << static_cast<std::size_t>(wrong - expected.begin()) / width;
}

/// Lines of a CSV text that are in another one, in the same order.
inline bool are_lines_of(const std::string& text, const std::string& whole) {
  std::size_t at = 0, from = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string line = text.substr(at, end - at);
    // A line begins at the front or behind another one.
    std::size_t found = whole.find(line, from);
    while (found != std::string::npos && found != 0 && whole[found - 1] != '\n')
      found = whole.find(line, found + 1);
    if (found == std::string::npos) return false;
    from = found + line.size();
    at = end;
  }
  return true;
}

/// What damage to a small frame may leave. Of arrays every element is looked at. Rows of CSV text that are
/// whole are those of the text; records as far as none is lost have their positions.
inline void expect_honest(const Recovered& result, const SmallFrame& small) {
  if (!result.status.ok()) {
    ASSERT_EQ(result.status.code, ErrorCode::corrupt_frame) << result.status.message();
    ASSERT_TRUE(result.content.empty());
    return;
  }
  if (result.map.is_complete() && result.header != HeaderSource::guessed) {
    ASSERT_TRUE(result.content == small.content);
    return;
  }
  if (result.info.content == floe::Content::array) {
    if (result.header != HeaderSource::guessed || !small.name.starts_with("columns"))
      expect_honest_array(result, small.content);
    return;
  }
  ASSERT_LE(result.map.recovered, result.info.element_count);
  const bool has_cells_lost = std::any_of(result.map.lost.begin(), result.map.lost.end(),
                                          [](const LostRange& range) { return range.what == Loss::cells; });
  if (result.info.source == TableSource::csv && !has_cells_lost && result.header != HeaderSource::guessed) {
    ASSERT_TRUE(are_lines_of(text_of(result.content), text_of(small.content)));
  }
}

}  // namespace floe::test
