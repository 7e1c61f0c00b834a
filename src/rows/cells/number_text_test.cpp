// Tests of numbers as text: they are read and come back, and what is written otherwise is refused.
#include "rows/cells/cell_text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <charconv>
#include <limits>
#include <string>

namespace floe::rows {
namespace {

std::string printed(const Decimal& decimal) {
  char to[longest_decimal_bytes];
  return {to, print_decimal(to, decimal.mantissa, decimal.decimals)};
}

TEST(DecimalText, ReadsPlainNumbers) {
  for (const auto& [text, expected] : {std::pair<const char*, Decimal>{"0", {0, 0}},
                                       {"7", {7, 0}},
                                       {"-120", {-120, 0}},
                                       {"0.0", {0, 1}},
                                       {"-0.05", {-5, 2}},
                                       {"61800.20", {6180020, 2}},
                                       {"9223372036854775807", {9223372036854775807, 0}},
                                       {"-0.12345678901234567", {-12345678901234567, 17}}}) {
    Decimal decimal;
    ASSERT_TRUE(parse_decimal(text, decimal)) << text;
    EXPECT_EQ(decimal, expected) << text;
    EXPECT_EQ(printed(decimal), text);
  }
}

TEST(DecimalText, RefusesAllOtherTexts) {
  for (const char* text : {"",
                           "-",
                           "+1",
                           "01",
                           "-01",
                           "00",
                           "1.",
                           ".5",
                           "-.5",
                           "-0",
                           "-0.00",
                           "1e5",
                           "1,5",
                           " 1",
                           "1 ",
                           "nan",
                           "0x1",
                           "--1",
                           "1.2.3",
                           "9223372036854775808",
                           "12345678901234567890",
                           "0.1234567890123456789"}) {
    Decimal decimal;
    EXPECT_FALSE(parse_decimal(text, decimal)) << text;
  }
}

TEST(DecimalText, ReadsNumbersWithoutAZeroBeforeThePoint) {
  for (const auto& [text, expected] : {std::pair<const char*, Decimal>{".5", {5, 1}},
                                       {"-.05", {-5, 2}},
                                       {".0", {0, 1}},
                                       {"0", {0, 0}},
                                       {"10.25", {1025, 2}},
                                       {"-.123456789012345678", {-123456789012345678, 18}}}) {
    Decimal decimal;
    ASSERT_TRUE(parse_decimal_without_zero(text, decimal)) << text;
    EXPECT_EQ(decimal, expected) << text;
    char to[longest_decimal_bytes];
    char* const end = print_decimal(to, decimal.mantissa, decimal.decimals);
    EXPECT_EQ(std::string(to, omit_zero(to, end)), text);
  }
  for (const char* text :
       {"", "-", ".", "-.", "0.5", "-0.5", "-.0", "+.5", "0.", ".1234567890123456789", "00"}) {
    Decimal decimal;
    EXPECT_FALSE(parse_decimal_without_zero(text, decimal)) << text;
  }
}

RC_GTEST_PROP(DecimalText, WhatIsReadIsWrittenAgain, (const std::string& noise, std::int64_t number)) {
  const unsigned decimals = static_cast<unsigned>(noise.size() % 18);
  number %= 1000000000000000000;
  const std::string text = printed({number, static_cast<std::uint8_t>(decimals)});
  Decimal decimal;
  if (text.size() <= 18) RC_ASSERT(parse_decimal(text, decimal));
  if (parse_decimal(text, decimal)) RC_ASSERT(printed(decimal) == text);
  if (parse_decimal(noise, decimal)) RC_ASSERT(printed(decimal) == noise);
}

TEST(DecimalText, StripsZerosDownToTheLeastDecimals) {
  char to[longest_decimal_bytes];
  const auto stripped = [&to](std::int64_t mantissa, unsigned decimals, unsigned min_decimals) {
    return std::string(to, print_stripped_decimal(to, mantissa, decimals, min_decimals));
  };
  EXPECT_EQ(stripped(1600, 2, 0), "16");
  EXPECT_EQ(stripped(1600, 2, 1), "16.0");
  EXPECT_EQ(stripped(1600, 2, 2), "16.00");
  EXPECT_EQ(stripped(-5, 3, 0), "-0.005");
  EXPECT_EQ(stripped(0, 3, 0), "0");
}

RC_GTEST_PROP(DecimalText, ValuesAreCorrectlyRounded, (std::int64_t mantissa)) {
  mantissa %= 1000000000000000000;
  for (unsigned decimals = 0; decimals <= max_decimals; ++decimals) {
    const std::string text = printed({mantissa, static_cast<std::uint8_t>(decimals)});
    double expected = 0;
    std::from_chars(text.data(), text.data() + text.size(), expected);
    RC_ASSERT(decimal_value(mantissa, decimals) == expected);
  }
}

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
