// Which neighbouring streams get a tree together?
#include "pipeline/compact/neighbours.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/data.hpp"

namespace floe::pipeline {
namespace {

using Groups = std::vector<std::size_t>;

/// Streams of numbers below these, with so many words each.
Groups groups_of(const std::vector<std::uint32_t>& bounds, std::uint64_t words,
                 std::uint64_t group_bytes = 16) {
  test::Random random(1);
  std::vector<std::uint32_t> all;
  for (const std::uint32_t bound : bounds) {
    for (std::uint64_t i = 0; i < words; ++i) all.push_back(static_cast<std::uint32_t>(random.below(bound)));
  }
  const std::vector<std::uint64_t> counts(bounds.size(), words);
  return group_neighbours({DType::u32, all.data(), all.size()}, counts, group_bytes);
}

TEST(Neighbours, AlikeAreTogether) {
  EXPECT_EQ(groups_of({1000, 1000, 1000, 1000}, 500), Groups{4});
  EXPECT_EQ(groups_of({1000}, 500), Groups{1});
  EXPECT_EQ(groups_of({}, 0), Groups{});
}

TEST(Neighbours, OthersAreApart) {
  EXPECT_EQ(groups_of({9, 9, 1U << 30, 1U << 30, 1U << 30}, 500), (Groups{2, 3}));
  EXPECT_EQ(groups_of({9, 1U << 30, 9, 1U << 30}, 500), (Groups{1, 1, 1, 1}));
}

// What a group takes is more than all words.
TEST(Neighbours, ShortOnesAreTogetherWhateverTheyAre) {
  EXPECT_EQ(groups_of({9, 1U << 30, 9, 1U << 30}, 8, 64), Groups{4});
}

TEST(Neighbours, ThereAreNoMoreThanAStreamMayHave) {
  std::vector<std::uint32_t> bounds(3000, 9);
  for (std::size_t i = 0; i < bounds.size(); i += 2) bounds[i] = 1U << 30;
  const Groups groups = groups_of(bounds, 300);
  EXPECT_LE(groups.size(), 1000u);
  EXPECT_EQ(std::accumulate(groups.begin(), groups.end(), std::size_t{0}), bounds.size());
}

}  // namespace
}  // namespace floe::pipeline
