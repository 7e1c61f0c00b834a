// Does the portable CPU backend find the same matches in a segment as the reference, and refuse the same distances?
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "backend/cpu/match_history.hpp"
#include "backend/reference/match_history.hpp"
#include "tests/support/data.hpp"

namespace floe::test {
namespace {

using Words = std::vector<std::uint64_t>;

void expect_identity(const Words& words) {
  Words encoded(2 * words.size(), 0x1234);
  cpu::encode_history(words, encoded);
  ASSERT_EQ(encoded, reference::encode_history(words));
  Words decoded(words.size(), 0x1234);
  ASSERT_TRUE(cpu::decode_history(encoded, decoded));
  ASSERT_EQ(decoded, words);
}

TEST(HistoryIdentity, AllContentsAndSizes) {
  for (const auto& content : contents<std::uint64_t>()) {
    for (const std::size_t count : {0u, 1u, 2u, 3u, 4u, 5u, 17u, 1000u, 4095u, 4096u, 8192u, 50000u}) {
      SCOPED_TRACE(std::string(content.name) + ", " + std::to_string(count) + " words");
      expect_identity(make_words(content, count, count));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(HistoryIdentity, RepeatingPatterns) {
  for (const std::size_t period : {1u, 2u, 3u, 5u, 100u, 3000u}) {
    Random random(period);
    Words words(20000);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = i < period || random.below(500) == 0 ? random.next() : words[i - period];
    expect_identity(words);
  }
}

// Words that differ only by exchanging their halves, or by the same bits in both halves, have the same hash: many candidates that are no
// match.
TEST(HistoryIdentity, EqualKeysOfDifferentWords) {
  Random random(11);
  Words words(20000);
  for (std::uint64_t& word : words) {
    const std::uint64_t half = random.below(6);
    word = half << 32 | half;
  }
  expect_identity(words);
}

TEST(HistoryIdentity, EnoughWordsForManyParts) {
  Random random(5);
  Words words(300000);
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = random.below(3) == 0 || i < 1000 ? random.next() : words[i - 1 - random.below(999)];
  expect_identity(words);
}

RC_GTEST_PROP(HistoryIdentity, AnyWords, ()) {
  const auto words = *rc::gen::container<Words>(rc::gen::oneOf(rc::gen::arbitrary<std::uint64_t>(), rc::gen::inRange<std::uint64_t>(0, 3)));
  Words encoded(2 * words.size());
  cpu::encode_history(words, encoded);
  RC_ASSERT(encoded == reference::encode_history(words));
}

TEST(HistoryIdentity, SameVerdictOnHostileDistances) {
  Random random(1);
  const auto& noise = contents<std::uint64_t>()[7];
  unsigned refused = 0;
  for (unsigned round = 0; round < 3000; ++round) {
    const std::size_t count = 1 + random.below(60);
    Words encoded = reference::encode_history(make_words(noise, count, round));
    for (std::uint64_t changes = random.below(6); changes > 0; --changes) {
      const std::size_t i = random.below(count);
      encoded[count + i] = random.below(8) == 0 ? random.next() : random.below(i + 2);
    }
    Words expected, words(count);
    const bool accepted = reference::decode_history(encoded, expected);
    ASSERT_EQ(cpu::decode_history(encoded, words), accepted);
    if (accepted) {
      ASSERT_EQ(words, expected);
    }
    refused += accepted ? 0 : 1;
  }
  EXPECT_GT(refused, 100u);
}

}  // namespace
}  // namespace floe::test
