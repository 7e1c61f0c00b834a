// Are grids and predictions found where they pay, and not where they do not?
#include "plan/search/predictions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/splitmix.hpp"

namespace floe::trees {
namespace {

std::vector<Prospect> prospects_for(const ColumnView& sample, const Position& position = {}) {
  Scratch scratch;
  std::vector<Prospect> prospects;
  add_predictions(sample, find_facts(sample), position, prospects, scratch);
  return prospects;
}

TEST(Predictions, LinearForOscillations) {
  std::vector<std::int32_t> words(4000);
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = static_cast<std::int32_t>(1e6 * std::sin(0.4 * static_cast<double>(i)));
  const ColumnView sample{DType::i32, words.data(), words.size()};
  const std::vector<Prospect> prospects = prospects_for(sample);
  ASSERT_EQ(prospects.size(), 1U);
  EXPECT_EQ(prospects[0].node.encoding, EncodingId::linear);
  EXPECT_LT(prospects[0].bits, 512U * 6);
  EXPECT_TRUE(prospects_for(sample, {.parent = EncodingId::linear}).empty());
  EXPECT_TRUE(prospects_for({DType::i32, words.data(), 100}).empty()) << "too few words";
}

TEST(Predictions, NoneForNoise) {
  std::vector<std::uint32_t> words(4000);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint32_t>(core::splitmix(i));
  EXPECT_TRUE(prospects_for({DType::u32, words.data(), words.size()}).empty());
}

TEST(Predictions, GridForFloatsOfBothSigns) {
  std::vector<float> words(4000);
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = static_cast<float>(std::sin(0.01 * static_cast<double>(i)));
  const ColumnView sample{DType::f32, words.data(), words.size()};
  const std::vector<Prospect> prospects = prospects_for(sample);
  ASSERT_EQ(prospects.size(), 1U);
  EXPECT_EQ(prospects[0].node.encoding, EncodingId::grid);
  EXPECT_TRUE(prospects_for(sample, {.parent = EncodingId::rle}).empty());
}

TEST(Predictions, LatticesOfAPartOfTheWords) {
  std::vector<double> words(4032);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto random = static_cast<double>(core::splitmix(i) >> 11);
    words[i] = i < 3000 ? random / 0x1p40 : 17.3 + 0.0379 * static_cast<double>(core::splitmix(i) % 5000);
  }
  const ColumnView sample{DType::f64, words.data(), words.size()};
  Scratch scratch;
  const std::uint64_t known_bits = 64 * words.size();
  const auto found = find_lattices(sample, find_facts(sample), {}, known_bits, scratch);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->encoding, EncodingId::affine);
  EXPECT_FALSE(find_lattices({DType::f64, words.data(), 3000}, find_facts(sample), {}, known_bits, scratch));
}

}  // namespace
}  // namespace floe::trees
