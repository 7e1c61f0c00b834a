// Are files with the times of encodings read as they were written, and does what is wrong with them get
// named?
#include "research/encoding_times.hpp"

#include <gtest/gtest.h>

#include "encodings/encoding.hpp"
#include "research/planners.hpp"

namespace floe::research {
namespace {

TEST(EncodingTimes, ComeBackFromTheirText) {
  const std::vector<EncodingTime> times = built_in_encoding_times();
  EXPECT_EQ(times.size(), trees::encoding_count);
  EXPECT_EQ(parse_encoding_times(encoding_times_text(times)).value(), times);
}

TEST(EncodingTimes, MayBeThoseOfAFewEncodings) {
  const auto times = parse_encoding_times("# here\n\n  afl , 700,140\r\nraw,0,1000000");
  ASSERT_TRUE(times);
  EXPECT_EQ(*times, (std::vector<EncodingTime>{{"bitpack", 700, 140}, {"raw", 0, 1000000}}));
}

TEST(EncodingTimes, NameTheLineThatIsWrong) {
  const auto line_of = [](std::string_view text) {
    const auto times = parse_encoding_times(text);
    EXPECT_EQ(times.status().code, ErrorCode::invalid_argument) << text;
    EXPECT_STRNE(times.status().detail, "");
    return times.status().byte_offset;
  };
  EXPECT_EQ(line_of(""), 0U);
  EXPECT_EQ(line_of("# nothing\n"), 0U);
  EXPECT_EQ(line_of("afl,1,1\nzip,1,1\n"), 2U);
  EXPECT_EQ(line_of("afl,1,1\n\nafl,1,1\n"), 3U);
  for (const char* line : {"bitpack", "afl,1", "afl,1,", "afl,,1", "afl,1,1,1", "afl,-1,1", "afl,1.5,1",
                           "afl,1,1000001", "afl,1,99999999999999999999", ",1,1"})
    EXPECT_EQ(line_of(line), 1U) << line;
}

/// The frame of a table of numbers that are planned with these times.
std::vector<std::byte> frame_with(const std::vector<EncodingTime>& times) {
  std::string text = "a\n";
  for (unsigned i = 0; i < 5000; ++i) text += std::to_string(i * i % 1009) + "\n";
  std::vector<std::byte> frame;
  TableOptions table;
  const std::shared_ptr<const PlannerFactory> planners = planners_with_times(times);
  table.planners = planners.get();
  Writer writer = Writer::create(
                      [&frame](std::span<const std::byte> bytes) {
                        frame.insert(frame.end(), bytes.begin(), bytes.end());
                        return Status{};
                      },
                      table)
                      .value();
  writer.write(std::as_bytes(std::span(text))).or_throw();
  writer.finish().or_throw();
  return frame;
}

TEST(EncodingTimes, CountForThePlannerTheyAreGivenTo) {
  const std::vector<std::byte> usual = frame_with({});
  EXPECT_EQ(frame_with(built_in_encoding_times()), usual);
  EXPECT_NE(frame_with({{"bitpack", 1000000, 1000000}, {"entropy", 1000000, 1000000}}), usual);
}

}  // namespace
}  // namespace floe::research
