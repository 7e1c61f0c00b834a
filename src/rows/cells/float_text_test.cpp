#include "rows/cells/float_text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <limits>
#include <string>

namespace floe::rows {
namespace {

template <class Float>
std::string printed(Float value, const FloatFormat& format) {
  char to[longest_float_bytes];
  return {to, print_float(to, value, format)};
}

TEST(FloatText, WritesLikePython) {
  for (const auto& [value, text] : {std::pair<double, const char*>{1, "1.0"},
                                    {0.1, "0.1"},
                                    {-0.0, "-0.0"},
                                    {1e-5, "1e-05"},
                                    {1e-4, "0.0001"},
                                    {1e15, "1000000000000000.0"},
                                    {1e16, "1e+16"},
                                    {1.5e300, "1.5e+300"},
                                    {123456.789, "123456.789"}}) {
    EXPECT_EQ(printed(value, {FloatStyle::repr}), text);
  }
}

TEST(FloatText, WritesLikePrintf) {
  EXPECT_EQ(printed(0.5, {FloatStyle::scientific, 18}), "5.000000000000000000e-01");
  EXPECT_EQ(printed(15.3017f, {FloatStyle::general, 7}), "15.3017");
  EXPECT_EQ(printed(0.1f, {FloatStyle::fixed, 6}), "0.100000");
}

RC_GTEST_PROP(FloatText, ShortTextsComeBack, (std::uint64_t bits)) {
  const auto value = std::bit_cast<double>(bits);
  const auto small = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  for (const FloatFormat format : {FloatFormat{FloatStyle::shortest}, FloatFormat{FloatStyle::repr},
                                   FloatFormat{FloatStyle::scientific, 17}}) {
    double again = 0;
    float small_again = 0;
    RC_ASSERT(parse_float_exactly(printed(value, format), format, again));
    RC_ASSERT(parse_float_exactly(printed(small, format), format, small_again));
    if (value == value) RC_ASSERT(std::bit_cast<std::uint64_t>(again) == bits);
  }
}

TEST(FloatText, RefusesOtherTexts) {
  double value = 0;
  for (const char* text : {"", " 1", "1 ", "+1", "1,5", "x", "0x10", "1e"})
    EXPECT_FALSE(parse_float(text, value)) << text;
  EXPECT_FALSE(parse_float_exactly("1.50", {}, value));
  EXPECT_TRUE(parse_float_exactly("1.50", {FloatStyle::fixed, 2}, value));
}

TEST(FloatText, TheLongestTextFits) {
  EXPECT_LT(printed(-std::numeric_limits<double>::max(), {FloatStyle::fixed, max_float_digits}).size(),
            longest_float_bytes);
  EXPECT_LT(printed(-std::numeric_limits<double>::max(), {FloatStyle::repr}).size(), longest_float_bytes);
  EXPECT_TRUE(container::is_valid(FloatFormat{FloatStyle::fixed, max_float_digits}));
  EXPECT_FALSE(container::is_valid(FloatFormat{FloatStyle::fixed, max_float_digits + 1}));
  EXPECT_FALSE(container::is_valid(FloatFormat{FloatStyle::shortest, 1}));
  EXPECT_FALSE(container::is_valid(FloatFormat{static_cast<FloatStyle>(5), 0}));
}

}  // namespace
}  // namespace floe::rows
