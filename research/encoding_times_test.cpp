// Are files with the times of encodings read as they were written, and does what is wrong with them get
// named?
#include "pipeline/tables/encoding_times.hpp"

#include <gtest/gtest.h>

namespace floe::tables {
namespace {

TEST(EncodingTimes, ComeBackFromTheirText) {
  const std::vector<EncodingTime> times = built_in_encoding_times();
  EXPECT_EQ(times.size(), trees::all_encodings().size());
  EXPECT_EQ(parse_encoding_times(encoding_times_text(times)).value(), times);
}

TEST(EncodingTimes, MayBeThoseOfAFewEncodings) {
  const auto times = parse_encoding_times("# here\n\n  afl , 700,140\r\nraw,0,1000000");
  ASSERT_TRUE(times);
  EXPECT_EQ(*times, (std::vector<EncodingTime>{{"bitpack", 700, 140}, {"raw", 0, 1000000}}));
  const trees::EncodingTimes all = times_of(*times);
  EXPECT_EQ(all[static_cast<std::size_t>(trees::EncodingId::bitpack)].decode_picoseconds, 140U);
  const trees::EncodingTime dict = trees::encoding_of(trees::EncodingId::dict).time;
  EXPECT_EQ(all[static_cast<std::size_t>(trees::EncodingId::dict)].encode_picoseconds,
            dict.encode_picoseconds);
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

TEST(EncodingTimes, AreCheckedBeforeATableIsCompressed) {
  const auto outcome = [](const auto& change) {
    TableOptions options;
    change(options);
    return TableCompressor::create([](auto) { return Status{}; }, options).status();
  };
  EXPECT_TRUE(outcome([](TableOptions& o) { o.encoding_times = built_in_encoding_times(); }).ok());
  const Status unknown = outcome([](TableOptions& o) {
    o.encoding_times = {{"bitpack", 1, 1}, {"zip", 1, 1}};
  });
  EXPECT_EQ(unknown.code, ErrorCode::invalid_argument);
  EXPECT_EQ(unknown.byte_offset, 2U);
  EXPECT_FALSE(outcome([](TableOptions& o) {
                 o.encoding_times = {{"bitpack", 1, 1}, {"bitpack", 1, 1}};
               }).ok());
  EXPECT_FALSE(outcome([](TableOptions& o) { o.encoding_times = {{"bitpack", 1, 1000001}}; }).ok());
  EXPECT_TRUE(outcome([](TableOptions& o) { o.decode_megabytes_per_second = 2000; }).ok());
  EXPECT_FALSE(outcome([](TableOptions& o) {
                 o.decode_megabytes_per_second = 2000;
                 o.profile = Profile::gpu;
               }).ok());
}

}  // namespace
}  // namespace floe::tables
