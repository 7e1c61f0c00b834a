// Lists of all different words: are they found where samples show no word twice, and only where they pay?
#include "plan/lists/word_lists.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "core/splitmix.hpp"
#include "plan/lists/list_estimate.hpp"
#include "plan/tree_time.hpp"

namespace floe::trees {
namespace {

constexpr std::size_t word_count = 1 << 16;

/// Doubles between 1 and 2 of which nothing but the number is known.
double noise(std::uint64_t index) {
  return std::bit_cast<double>(std::uint64_t{0x3FF} << 52 | core::splitmix(index) >> 12);
}
/// Each of `different` values some times, in any order.
std::vector<double> repeated(std::uint64_t different) {
  std::vector<double> words(word_count);
  for (std::size_t i = 0; i < word_count; ++i) words[i] = noise(core::splitmix(i) % different);
  return words;
}
ColumnView view(const std::vector<double>& words) { return {DType::f64, words.data(), words.size()}; }

std::optional<EncodedTree> list_of(const std::vector<double>& words, Preset preset,
                                   const Plan& best = {{{EncodingId::entropy, {}}}}) {
  Scratch scratch;
  const EncodedTree known = encode_tree(view(words), best, scratch);
  return best_word_list(view(words), known, objective_of(preset), scratch);
}

TEST(ListEstimates, AreNearTheNumberOfDifferentWords) {
  const auto few = estimate_lists(view(repeated(1 << 13)));
  ASSERT_TRUE(few);
  EXPECT_NEAR(static_cast<double>(few->words.words), 1 << 13, 1 << 11);
  EXPECT_TRUE(words_repeat(few->words, word_count));
  const auto all = estimate_lists(view(repeated(std::uint64_t{1} << 60)));
  ASSERT_TRUE(all);
  EXPECT_FALSE(words_repeat(all->words, word_count));
}

TEST(ListEstimates, CountMagnitudesOfFloats) {
  std::vector<double> words = repeated(1 << 13);
  for (std::size_t i = word_count / 2; i < word_count; ++i) words[i] = -words[i - word_count / 2];
  const auto estimates = estimate_lists(view(words));
  ASSERT_TRUE(estimates);
  EXPECT_EQ(estimates->words.words, 2 * estimates->magnitudes.words);
}

TEST(WordLists, ArePreferredWhereWordsComeAgain) {
  for (const Preset preset : {Preset::ratio, Preset::max}) {
    const auto tree = list_of(repeated(1 << 13), preset);
    ASSERT_TRUE(tree);
    EXPECT_TRUE(is_word_list(tree->plan));
    // A position takes 13 bits, and an entry about 40.
    EXPECT_LT(encoded_bytes(*tree), word_count * 14 / 8 + (1 << 13) * 6);
  }
}

TEST(WordLists, AreNotTakenForNoise) {
  const Plan packed{{{EncodingId::sortable, {}}, {EncodingId::bitpack, {}}}};
  EXPECT_FALSE(list_of(repeated(std::uint64_t{1} << 60), Preset::ratio, packed));
  EXPECT_FALSE(list_of(repeated(std::uint64_t{1} << 60), Preset::max, packed));
}

TEST(WordLists, TakeSignsOffForMax) {
  std::vector<double> words = repeated(1 << 13);
  for (std::size_t i = 0; i < word_count; ++i) words[i] *= core::splitmix(~i) % 2 == 0 ? 1 : -1;
  const auto tree = list_of(words, Preset::max);
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->plan.nodes[0].encoding, EncodingId::divide);
  EXPECT_TRUE(is_word_list(tree->plan));
}

TEST(WordLists, HaveMatchesOfPlacesForMax) {
  std::vector<double> words = repeated(1 << 13);
  std::copy_n(words.begin(), word_count / 2, words.begin() + word_count / 2);
  const auto tree = list_of(words, Preset::max);
  ASSERT_TRUE(tree);
  const auto is_match = [](const PlanNode& node) { return node.encoding == EncodingId::match; };
  EXPECT_TRUE(std::any_of(tree->plan.nodes.begin(), tree->plan.nodes.end(), is_match));
}

TEST(WordLists, AreNotForGoalsWithoutARivalNorForDevices) {
  const std::vector<double> words = repeated(1 << 13);
  EXPECT_FALSE(list_of(words, Preset::balanced));
  EXPECT_FALSE(list_of(words, Preset::gpu));
}

}  // namespace
}  // namespace floe::trees
