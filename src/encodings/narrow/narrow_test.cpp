// Do doubles come back from floats of all kinds of digits, and which ones are exceptions?
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include "core/power_of_ten.hpp"
#include "core/splitmix.hpp"
#include "encodings/encodings.hpp"
#include "simd/decimal_rounding.hpp"
#include "tree/plan.hpp"
#include "tree/tree_decoder.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {
namespace {

constexpr auto none = DecimalRounding::none, after_point = DecimalRounding::after_point,
               significant = DecimalRounding::significant;

std::uint64_t count_exceptions(const std::vector<double>& words, std::uint32_t digits, std::uint32_t which) {
  Scratch scratch;
  const ColumnView view{DType::f64, words.data(), words.size()};
  const Plan plan{{{EncodingId::narrow, {digits, which}},
                   {EncodingId::raw, {}},
                   {EncodingId::raw, {}},
                   {EncodingId::raw, {}}}};
  const EncodedTree tree = encode_tree(view, plan, scratch);
  std::vector<std::uint64_t> decoded(words.size());
  EXPECT_TRUE(decode_tree(tree.plan, tree.body.bytes(), DType::f64, words.size(), decoded.data()));
  for (std::size_t i = 0; i < words.size(); ++i)
    EXPECT_EQ(decoded[i], std::bit_cast<std::uint64_t>(words[i])) << words[i] << " at " << i;
  std::vector<Stream> children;
  ByteWriter header;
  Encoded encoded{header, children, scratch};
  EXPECT_TRUE(encoding_of(EncodingId::narrow).encode(view, plan.nodes[0].parameters, encoded));
  return children[2].view().count;
}

/// Of both signs, from 10^-3 to 10^6.
std::vector<float> some_floats() {
  std::vector<float> floats;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const auto bits = static_cast<std::uint32_t>(core::splitmix(i));
    const double scale = std::exp2(static_cast<double>(i % 30) - 10);
    floats.push_back(static_cast<float>((bits & 1 ? 1 : -1) * (1 + bits * 0x1p-32) * scale));
  }
  return floats;
}

TEST(Narrow, FloatsThatBecameWider) {
  std::vector<double> words(some_floats().size());
  std::ranges::copy(some_floats(), words.begin());
  words[5] = -0.0;
  EXPECT_EQ(count_exceptions(words, 0, none), 0U);
  words[7] = 0.1;
  words[8] = std::numeric_limits<double>::infinity();
  words[9] = std::nan("");
  words[10] = 1e300;
  EXPECT_EQ(count_exceptions(words, 0, none), 4U);
}

TEST(Narrow, DigitsAfterThePoint) {
  std::vector<double> words;
  for (const float value : some_floats())
    words.push_back(std::copysign(std::nearbyint(double{value} * 1e6) / 1e6, value));
  EXPECT_EQ(count_exceptions(words, 6, after_point), 0U);
  for (const std::uint32_t others : {5U, 7U})
    EXPECT_GT(count_exceptions(words, others, after_point), words.size() / 3);
}

TEST(Narrow, SignificantDigits) {
  for (const int digits : {3, 7, 9, 12, 15}) {
    std::vector<double> words;
    for (const float value : some_floats()) {
      std::array<char, 32> text;
      std::snprintf(text.data(), text.size(), "%.*g", digits, double{value});
      words.push_back(std::strtod(text.data(), nullptr));
    }
    // Products are rounded before they become integers: of fifteen digits, few come out otherwise.
    const std::uint64_t exceptions = count_exceptions(words, static_cast<std::uint32_t>(digits), significant);
    EXPECT_LE(exceptions, digits < 15 ? 0U : words.size() / 10) << digits;
  }
}

TEST(Narrow, PowersOfTenBeginDecades) {
  std::vector<double> words;
  for (std::uint32_t i = 0; i <= 9; ++i) {
    for (const double power : {core::power_of_ten(i), 1 / core::power_of_ten(i)})
      words.insert(words.end(), {power, -power});
  }
  words.insert(words.end(), {0.0, -0.0, 9.99, 99.9, 999.0});
  EXPECT_EQ(count_exceptions(words, 3, significant), 0U);
}

}  // namespace
}  // namespace floe::trees
