// Chains beside trees of other estimates: when is one encoded, and when does it settle the search?
#include "plan/chains.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "core/splitmix.hpp"
#include "plan/search/search.hpp"

namespace floe::trees {
namespace {

/// A walk, of which differences are short.
std::vector<std::int32_t> walk() {
  std::vector<std::int32_t> words(1 << 16);
  std::int32_t at = 1 << 20;
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = at += static_cast<std::int32_t>(core::splitmix(i) % 64) - 31;
  return words;
}

/// The only finalist, with this estimate: no chain.
Finalists split_of(const Objective& objective, std::uint64_t cost) {
  const PlanNode entropy{EncodingId::entropy, {}};
  return {
      {{{{EncodingId::split, {0, 0}}, {EncodingId::bitpack, {}}, entropy, entropy}, cost}}, {}, objective};
}

class ChainsOfAWalk : public testing::Test {
 protected:
  const std::vector<std::int32_t> words = walk();
  const ColumnView segment{DType::i32, words.data(), words.size()};
  const Objective objective = objective_of(Preset::balanced);
  Scratch scratch;
  Chains chains{segment, objective, scratch};
};

TEST_F(ChainsOfAWalk, SettleASearchThatPromisesNoLess) {
  const Finalists finalists = split_of(objective, 4 * words.size() * cost_of_byte);
  EXPECT_FALSE(chains.are_better_than(finalists));
  const auto chain = chains.encode_best(objective, finalists);
  ASSERT_TRUE(chain);
  EXPECT_EQ(chain->wanted.nodes[0].encoding, EncodingId::delta);
  EXPECT_TRUE(chains.are_better_than(finalists));
  EXPECT_FALSE(chains.encode_best(objective, finalists));  // it is known
}

TEST_F(ChainsOfAWalk, CountAgainOnlyIfLaterWeightsLeadToThem) {
  const Finalists finalists = split_of(objective, 4 * words.size() * cost_of_byte);
  ASSERT_TRUE(chains.encode_best(objective, finalists));
  chains.begin_again();
  EXPECT_FALSE(chains.are_better_than(finalists));
  EXPECT_FALSE(chains.encode_best(objective, finalists));  // not a second time
  EXPECT_TRUE(chains.are_better_than(finalists));
}

TEST_F(ChainsOfAWalk, AreNotTriedWhereATreePromisesMuchLess) {
  const Finalists finalists = split_of(objective, words.size() / 16 * cost_of_byte);
  EXPECT_FALSE(chains.encode_best(objective, finalists));
  EXPECT_FALSE(chains.are_better_than(finalists));
}

}  // namespace
}  // namespace floe::trees
