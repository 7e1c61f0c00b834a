// Are integers divided by what divides nearly all of them?
#include "plan/rare_remainders.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "core/splitmix.hpp"
#include "encodings/encodings.hpp"
#include "plan/segment/segment_search.hpp"
#include "plan/tree_time.hpp"

namespace floe::trees {
namespace {

/// Lots of a hundred, but for one in `distance`, from the last one on.
std::vector<std::int64_t> volumes(std::uint64_t distance) {
  std::vector<std::int64_t> words(20000);
  for (std::uint64_t i = 0; i < words.size(); ++i) {
    const auto lots = static_cast<std::int64_t>(core::splitmix(i) % 100000) - 500;
    words[i] = 100 * lots + ((words.size() - i) % distance == 1 ? 50 : 0);
  }
  return words;
}
ColumnView view_of(const std::vector<std::int64_t>& words) {
  return {DType::i64, words.data(), words.size()};
}

Plan divided(const ColumnView& words, Plan plan) {
  Scratch scratch;
  divide_but_for_few(words, plan, scratch);
  return plan;
}

const PlanNode int_mult{EncodingId::int_mult, {}}, packed{EncodingId::bitpack, {}};

TEST(RareRemainders, AreOfADivisorOfNearlyAllWords) {
  const auto words = volumes(20000);
  const Plan plan = divided(view_of(words), {{int_mult, packed}});
  ASSERT_EQ(plan.nodes[0], (PlanNode{EncodingId::divide, {25, 2}}));
  EXPECT_TRUE(check_plan(plan, DType::i64).ok());
}

TEST(RareRemainders, AreNotLookedForWhereOneDivisorDividesAll) {
  std::vector<std::int64_t> words = volumes(20000);
  words.back() -= 50;
  const Plan plan{{int_mult, packed}};
  EXPECT_EQ(divided(view_of(words), plan), plan);
}

TEST(RareRemainders, AreNotMany) {
  const Plan plan{{int_mult, packed}};
  EXPECT_EQ(divided(view_of(volumes(2)), plan), plan);
}

TEST(RareRemainders, AreFoundBelowOtherEncodings) {
  std::vector<double> prices;
  for (const std::int64_t word : volumes(20000)) prices.push_back(static_cast<double>(word) / 1000);
  const Plan plan =
      divided({DType::f64, prices.data(), prices.size()},
              {{{EncodingId::decimal, {3, 8}}, int_mult, packed, packed, {EncodingId::raw, {}}}});
  ASSERT_EQ(plan.nodes[1].encoding, EncodingId::divide);
  EXPECT_TRUE(check_plan(plan, DType::f64).ok());
}

TEST(RareRemainders, MakeOneOddLotCostFewBytes) {
  std::vector<std::int64_t> words = volumes(20000);
  Scratch scratch;
  for (const Preset preset : {Preset::fast, Preset::balanced, Preset::ratio}) {
    const EncodedTree odd = encode_searched(view_of(words), objective_of(preset), scratch);
    std::vector<std::int64_t> even = words;
    even.back() -= 50;
    const EncodedTree tree = encode_searched(view_of(even), objective_of(preset), scratch);
    EXPECT_LE(encoded_bytes(odd), encoded_bytes(tree) + 256) << text_of(odd.plan);
  }
}

}  // namespace
}  // namespace floe::trees
