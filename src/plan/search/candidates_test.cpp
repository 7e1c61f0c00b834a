// Are transforms candidates where words show that they pay, and not where they do not?
#include "plan/search/candidates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/splitmix.hpp"
#include "plan/search/facts/integer_facts.hpp"
#include "simd/decimal_rounding.hpp"

namespace floe::trees {
namespace {

/// What a tree promises that begins with an encoding, if it is a candidate.
std::optional<std::uint64_t> bits_with(EncodingId id, const ColumnView& sample,
                                       const Position& position = {}) {
  for (const Prospect& prospect : candidate_transforms(sample, find_facts(sample), position)) {
    if (prospect.node.encoding == id) return prospect.bits;
  }
  return {};
}

/// About normal, of both signs.
double small_noise(std::uint64_t i) {
  double sum = -6;
  for (std::uint64_t k = 0; k < 12; ++k)
    sum += static_cast<double>(core::splitmix(12 * i + k) >> 11) * 0x1p-53;
  return sum;
}

/// Exponents and signs change all the time where such words go on smoothly.
TEST(Candidates, DoublesOfIntegersAroundZeroAreNotTakenForSmallQuotients) {
  std::vector<double> words(4000);
  double word = 0, speed = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    speed = static_cast<double>(static_cast<int>(0.9 * speed + 40 * small_noise(i)));
    word = static_cast<double>(static_cast<int>(0.97 * (word + speed)));
    words[i] = word;
  }
  const ColumnView sample{DType::f64, words.data(), words.size()};
  const auto decimal = bits_with(EncodingId::decimal, sample), divide = bits_with(EncodingId::divide, sample),
             dict = bits_with(EncodingId::dict, sample, {.distinct = {900}});
  ASSERT_TRUE(decimal && divide && dict);
  EXPECT_LE(*decimal, *divide);
  EXPECT_LE(*decimal, *dict + 1024) << "positions in it take two bits less at most";
}

/// A gap is no integer, and says nothing of the others.
TEST(Candidates, FloatsOfATimeWithGapsAreNotTakenForSmallQuotients) {
  std::vector<float> words(4000);
  float time = 100000;
  for (std::size_t i = 0; i < words.size(); ++i) {
    time += static_cast<float>(1 + core::splitmix(i) % 4);
    words[i] = core::splitmix(~i) % 50 == 0 ? std::nanf("") : time;
  }
  const ColumnView sample{DType::f32, words.data(), words.size()};
  const auto decimal = bits_with(EncodingId::decimal, sample), divide = bits_with(EncodingId::divide, sample);
  ASSERT_TRUE(decimal && divide);
  const std::uint64_t bits_of_gaps = 40 * find_decimals_of_parts(sample)[0].exceptions;
  EXPECT_GT(bits_of_gaps, 0U);
  EXPECT_LE(*decimal, *divide + bits_of_gaps);
}

TEST(Candidates, AFrequentWordAmongNoise) {
  std::vector<float> words(4000);
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = core::splitmix(i) % 4 == 0 ? 0.0F : static_cast<float>(small_noise(i));
  const ColumnView sample{DType::f32, words.data(), words.size()};
  const auto sparse = bits_with(EncodingId::sparse, sample),
             sortable = bits_with(EncodingId::sortable, sample);
  ASSERT_TRUE(sparse && sortable);
  EXPECT_LT(*sparse, *sortable);
  std::replace(words.begin(), words.end(), 0.0F, 1.5F);
  EXPECT_TRUE(bits_with(EncodingId::sparse, sample)) << "whatever word that is";
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<float>(small_noise(i));
  EXPECT_FALSE(bits_with(EncodingId::sparse, sample));
}

/// A power of two divides the fill value, but no number beside it: the remainders are these.
TEST(Candidates, QuotientsOfAFillValueLeaveNothingElseOut) {
  std::vector<double> words(4000);
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = i / 40 % 2 == 0 ? std::nan("") : std::nearbyint(1e6 * std::abs(small_noise(i))) / 1e3;
  const ColumnView sample{DType::f64, words.data(), words.size()};
  const StreamFacts facts = find_facts(sample);
  const std::vector<Prospect> prospects = candidate_transforms(sample, facts, {});
  const auto divide = std::ranges::find_if(
      prospects, [](const Prospect& prospect) { return prospect.node.encoding == EncodingId::divide; });
  ASSERT_TRUE(divide != prospects.end());
  EXPECT_GT(divide->remainder_bits, divide->bits);
  const auto has_sparse = [&](const std::vector<Prospect>& some, Preset preset) {
    const auto nodes = short_list(some, 64 * facts.sampled, facts.sampled, objective_of(preset));
    return std::ranges::find(nodes, EncodingId::sparse, &PlanNode::encoding) != nodes.end();
  };
  std::vector<Prospect> unbounded = prospects;
  for (Prospect& prospect : unbounded) prospect.remainder_bits = 0;
  for (const Preset preset : {Preset::fast, Preset::balanced}) {
    EXPECT_TRUE(has_sparse(prospects, preset));
    EXPECT_FALSE(has_sparse(unbounded, preset));
  }
}

std::optional<Prospect> narrow_among(const std::vector<double>& words, bool replaces_quotients = true) {
  const ColumnView sample{DType::f64, words.data(), words.size()};
  std::vector<Prospect> prospects = candidate_transforms(sample, find_facts(sample), {});
  add_narrow(sample, replaces_quotients, prospects);
  const auto found = std::ranges::find_if(
      prospects, [](const Prospect& prospect) { return prospect.node.encoding == EncodingId::narrow; });
  return found == prospects.end() ? std::optional<Prospect>{} : *found;
}

TEST(Candidates, DoublesThatWereFloats) {
  std::vector<double> words(4000), rounded, significant, decimals;
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<float>(100 * small_noise(i));
  for (const double word : words) {
    rounded.push_back(std::copysign(std::nearbyint(word * 1e9) / 1e9, word));
    decimals.push_back(std::nearbyint(word * 1e4) / 1e4);
    const double magnitude = std::fabs(word);
    const int before_point = magnitude < 1 ? 0 : 1 + static_cast<int>(std::log10(magnitude));
    significant.push_back(magnitude < 0.1 ? 0.5
                                          : std::nearbyint(word * std::pow(10.0, 12 - before_point)) /
                                                std::pow(10.0, 12 - before_point));
  }
  const auto all = narrow_among(words), of_rounded = narrow_among(rounded),
             of_significant = narrow_among(significant);
  ASSERT_TRUE(all && of_rounded && of_significant);
  EXPECT_EQ(all->node.parameters, (Parameters{0, DecimalRounding::none}));
  EXPECT_EQ(of_rounded->node.parameters, (Parameters{9, DecimalRounding::after_point}));
  EXPECT_EQ(of_significant->node.parameters, (Parameters{12, DecimalRounding::significant}));
  EXPECT_FALSE(narrow_among(words, false)) << "quotients say as much";
  EXPECT_FALSE(narrow_among(decimals)) << "integers are shorter";
  words[77] = 0.1;
  EXPECT_FALSE(narrow_among(words)) << "an exception";
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = small_noise(i);
  EXPECT_FALSE(narrow_among(words)) << "no floats";
}

}  // namespace
}  // namespace floe::trees
