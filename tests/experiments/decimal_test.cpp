// Which doubles become integers, and does everything else come back as an exception?
#include "tests/experiments/decimal.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "tests/support/data.hpp"

namespace floe::experiments {
namespace {

using Words = std::vector<std::uint64_t>;

std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }

/// The parts of the words, after a check that they merge to the words.
Parts<2, 3> split(const Words& words, std::size_t tail_bytes = 0) {
  const Bytes in = reference::to_bytes(words, Bytes(tail_bytes, 7));
  const auto parts = Decimal::split<std::uint64_t>(in);
  EXPECT_TRUE(parts.has_value());
  EXPECT_EQ(Decimal::merge<std::uint64_t>(*parts), in);
  return *parts;
}

std::size_t exception_count(const Parts<2, 3>& parts) { return parts.streams[1].size() / 2; }

TEST(Decimal, PowersAreRoundedToNearest) {
  double power = 1;
  for (std::size_t k = 0; k < powers_of_ten.size(); ++k, power *= 10) {
    EXPECT_EQ(powers_of_ten[k], power) << k;  // exact up to 10^22
    EXPECT_EQ(inverse_powers_of_ten[k], 1 / power) << k;
  }
}

TEST(Decimal, DecimalsAreIntegersWithHardlyAnyExceptions) {
  for (const int decimals : {0, 1, 2, 4, 6}) {
    test::Random random(static_cast<std::uint64_t>(decimals));
    Words words;
    std::vector<std::int64_t> integers;
    for (int i = 0; i < 2048; ++i) {
      integers.push_back(static_cast<std::int64_t>(random.below(200001)) - 100000);
      if (integers.back() == 0) integers.back() = 1;
      words.push_back(
          bits_of(static_cast<double>(integers.back()) / powers_of_ten[static_cast<std::size_t>(decimals)]));
    }
    const Parts<2, 3> parts = split(words);
    // Multiplying by a rounded 10^-k is not dividing by 10^k: no scale restores all numbers of four or more
    // decimals.
    EXPECT_LE(exception_count(parts), decimals <= 2 ? 0u : words.size() / 100) << decimals;
    EXPECT_EQ(parts.parameters[0] - parts.parameters[1], decimals);
    const Words stored = reference::to_words<std::uint64_t>(parts.streams[0]);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < stored.size(); ++i)
      kept += static_cast<std::int64_t>(stored[i]) == integers[i] ? 1 : 0;
    EXPECT_GE(kept + exception_count(parts), stored.size());
  }
}

TEST(Decimal, WhatIsNoDecimalIsAnException) {
  using Limits = std::numeric_limits<double>;
  const std::vector<double> never = {-0.0,
                                     Limits::infinity(),
                                     -Limits::infinity(),
                                     Limits::quiet_NaN(),
                                     Limits::signaling_NaN(),
                                     0x1p-1074,
                                     -0x1p-1074,
                                     0x1.8p-1030,
                                     Limits::min() / 2,
                                     Limits::max(),
                                     Limits::min(),
                                     0x1p60,
                                     -0x1p60,
                                     0.1 + 0x1p-40};
  for (std::uint8_t exponent = 0; exponent < powers_of_ten.size(); ++exponent) {
    for (std::uint8_t factor = 0; factor <= exponent; ++factor) {
      const DecimalScale scale{exponent, factor};
      EXPECT_EQ(scale.integer_of(0.0), 0);
      for (const double value : never) {
        // The last three are numbers that a fitting scale may restore.
        const auto integer = scale.integer_of(value);
        if (integer) {
          EXPECT_EQ(bits_of(scale.restore(*integer)), bits_of(value));
        }
        if (&value - never.data() < 11) {
          EXPECT_FALSE(integer) << value << " with 10^-" << exponent << " and 10^" << factor;
        }
      }
    }
  }
}

TEST(Decimal, SpecialValuesComeBackInEveryPosition) {
  const Words edges = test::edge_words<std::uint64_t>();
  for (std::size_t e = 0; e < edges.size(); ++e) {
    for (const std::size_t position : {0u, 1u, 31u, 62u, 63u}) {
      Words words(64, bits_of(21.5));
      words[position] = edges[e];
      ASSERT_LE(exception_count(split(words, e % 8)), 1u);
    }
  }
  split(edges, 3);
}

TEST(Decimal, MergeDeclinesWhatNoSplitMakes) {
  Words words(100, bits_of(1.25));
  words[7] = words[9] = bits_of(-0.0);
  const Parts<2, 3> good = split(words, 5);
  ASSERT_EQ(exception_count(good), 2u);
  const auto is_declined = [&good](const auto& change) {
    Parts<2, 3> parts = good;
    change(parts);
    return !Decimal::merge<std::uint64_t>(parts).has_value();
  };
  EXPECT_TRUE(is_declined([](auto& p) { p.parameters[0] = 19; }));
  EXPECT_TRUE(is_declined([](auto& p) { p.parameters = {3, 4}; }));
  EXPECT_TRUE(is_declined([](auto& p) { p.streams[0].pop_back(); }));
  EXPECT_TRUE(is_declined([](auto& p) { p.streams[0].resize(9 * 8); })) << "a position after the last word";
  EXPECT_TRUE(is_declined([](auto& p) { p.streams[1].pop_back(); }));
  EXPECT_TRUE(is_declined([](auto& p) { p.streams[1][2] = 7; })) << "the same position twice";
  EXPECT_TRUE(is_declined([](auto& p) { p.streams[1][2] = 6; })) << "positions that descend";
  EXPECT_TRUE(is_declined([](auto& p) { p.streams[2].resize(15); }));
  EXPECT_TRUE(is_declined([](auto& p) { p.streams[2].resize(24); }))
      << "a whole word as the bytes after the last word";
}

RC_GTEST_PROP(Decimal, BringsBackAnyWords, (const Words& words)) { split(words); }

RC_GTEST_PROP(Decimal, BringsBackDecimalsWithNoise, ()) {
  const auto decimals = *rc::gen::inRange<std::size_t>(0, 16);
  const auto numbers =
      *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(-5'000'000, 5'000'000));
  Words words;
  for (const std::int64_t number : numbers)
    words.push_back(bits_of(static_cast<double>(number) * inverse_powers_of_ten[decimals]));
  split(words, words.size() % 8);
}

}  // namespace
}  // namespace floe::experiments
