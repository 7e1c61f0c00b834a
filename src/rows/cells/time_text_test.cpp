#include "rows/cells/cell_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace floe::rows {
namespace {

std::string reprinted(std::string_view text) {
  const auto format = recognize_time(text);
  if (!format) return "not a time";
  EXPECT_TRUE(is_valid(*format));
  std::int64_t value = 0;
  EXPECT_TRUE(parse_time(text, *format, value));
  EXPECT_TRUE(is_printable_time(value, *format));
  char to[longest_time_bytes];
  return {to, print_time(to, value, *format)};
}

TEST(TimeText, WritesWhatItRead) {
  for (const char* text :
       {"2013-04-03", "1970/01/01", "0000-01-01", "9999-12-31", "2013-04-03 09:30", "2013-04-03T09:30:59",
        "2013-04-03T09:30:59Z", "2013-04-03 09:30:59.123456789+02:00", "1601-04-03 09:30:59.5-0330",
        "2000-02-29_00:00:00.000", "Wed Apr  3 09:30:00 2013", "Sun Dec 31 23:59:59 1899",
        "1969-12-31 23:59:59.999999"}) {
    EXPECT_EQ(reprinted(text), text);
  }
}

TEST(TimeText, RefusesWhatItCouldNotWriteAgain) {
  for (const char* text :
       {"", "2013", "2013-4-3", "2013-02-29", "1900-02-29", "2013-13-01", "2013-00-10", "2013-04-03 24:00",
        "2013-04-03 9:30:00", "2013-04-03T09:60:00", "2013-04-03 09:30:60", "2013-04-03 09:30:00.",
        "2013-04-03 09:30:00.0123456789", "2013-04-03 09:30 ", "Thu Apr  3 09:30:00 2013",
        "Wed Apr 03 09:30:00 2013", "2013-04/03", "2013-04-03 09:30:00+01:07"}) {
    EXPECT_EQ(reprinted(text), "not a time") << text;
  }
}

TEST(TimeText, CountsFrom1970) {
  std::int64_t value = 0;
  ASSERT_TRUE(parse_time("1970-01-02", *recognize_time("1970-01-02"), value));
  EXPECT_EQ(value, 1);
  ASSERT_TRUE(parse_time("1970-01-01 00:01:00.25", *recognize_time("1970-01-01 00:01:00.25"), value));
  EXPECT_EQ(value, 6025);
  ASSERT_TRUE(parse_time("Thu Jan  1 00:00:00 1970", *recognize_time("Thu Jan  1 00:00:00 1970"), value));
  EXPECT_EQ(value, 0);
}

TEST(TimeText, EveryDayOfTheCalendarComesBack) {
  const TimeFormat date{TimeLayout::date};
  char to[longest_time_bytes];
  for (std::int64_t day = -719528; day <= 2932896; day += 13) {
    ASSERT_TRUE(is_printable_time(day, date));
    std::int64_t again = 0;
    ASSERT_TRUE(parse_time({to, static_cast<std::size_t>(print_time(to, day, date) - to)}, date, again));
    ASSERT_EQ(again, day);
  }
  EXPECT_FALSE(is_printable_time(-719529, date));
  EXPECT_FALSE(is_printable_time(2932897, date));
}

TEST(TimeText, NanosecondsBeyondSixtyFourBitsAreNoTime) {
  EXPECT_EQ(reprinted("2262-04-11T23:47:16.000000000"), "2262-04-11T23:47:16.000000000");
  EXPECT_EQ(reprinted("2263-04-11T23:47:16.000000000"), "not a time");
}

}  // namespace
}  // namespace floe::rows
