// The CPU finds the same matches in a segment as the reference, and refuses the same distances.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/oracle/match_history.hpp"
#include "tests/support/data.hpp"
#include "tests/support/match_history.hpp"

namespace floe::test {
namespace {

using Words = std::vector<std::uint64_t>;

void expect_identity(const Words& words) {
  const Words encoded = encode_history(words);
  ASSERT_EQ(encoded, oracle::encode_history(words));
  Words decoded;
  ASSERT_TRUE(decode_history(encoded, decoded));
  ASSERT_EQ(decoded, words);
}

/// The stage piece by piece, from an odd address, with work shared among `workers`.
void expect_identity_in_pieces(const Words& words, std::uint32_t workers, Random& random) {
  const std::size_t n = words.size();
  Bytes shifted(8 * n + 1);
  if (n > 0) std::memcpy(shifted.data() + 1, words.data(), 8 * n);
  const auto content = std::span<const std::uint8_t>(shifted).subspan(1);
  std::vector<std::uint32_t> distances(n, 77);
  cpu::find_matches(content, distances, HistoryScratch(n, workers).get(), workers, run_backwards);

  const Words expected = oracle::encode_history(words);
  Bytes restored(8 * n + 1);
  const auto restored_words = std::span(restored).subspan(1);
  if (n > 0) std::memcpy(restored_words.data(), expected.data(), 8 * n);
  for (std::size_t first = 0; first < 2 * n;) {
    Words piece(std::min<std::size_t>(2 * n - first, 1 + random.below(3000)));
    cpu::coded_words(content, distances, first, piece);
    ASSERT_TRUE(std::equal(piece.begin(), piece.end(), expected.begin() + static_cast<std::ptrdiff_t>(first)))
        << first;
    const std::size_t values = first < n ? std::min(piece.size(), n - first) : 0;
    if (values < piece.size()) {
      ASSERT_TRUE(cpu::resolve_matches(restored_words, first + values - n, std::span(piece).subspan(values)));
    }
    first += piece.size();
  }
  ASSERT_TRUE(std::equal(content.begin(), content.end(), restored_words.begin()));
}

TEST(HistoryIdentity, InPiecesByAnyNumberOfWorkers) {
  Random random(3);
  for (const auto& content : contents<std::uint64_t>()) {
    for (const std::size_t count : {0u, 1u, 2u, 7u, 1000u, 20000u}) {
      for (const std::uint32_t workers : {1u, 2u, 3u, 9u}) {
        SCOPED_TRACE(std::string(content.name) + ", " + std::to_string(count) + " words, " +
                     std::to_string(workers) + " workers");
        expect_identity_in_pieces(make_words(content, count, count), workers, random);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
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
    for (std::size_t i = 0; i < words.size(); ++i)
      words[i] = i < period || random.below(500) == 0 ? random.next() : words[i - period];
    expect_identity(words);
  }
}

// Words that differ only by exchanging their halves, or by the same bits in both halves, have the same hash:
// many candidates that are no match.
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

// Keys that agree in the upper bits of their product lie in the same part, and in the same slots of its
// table, which grows all the more, the fewer words and thus parts there are.
TEST(HistoryIdentity, KeysThatCollide) {
  Random random(9);
  constexpr std::uint32_t inverse = 0x0E8B2F51;  // of the multiplier, modulo 2^32
  static_assert(inverse * 0x9E3779B1u == 1);
  Words words;
  for (unsigned i = 0; i < 60'000; ++i) {
    const auto key = static_cast<std::uint32_t>(random.below(1 << 12) | random.below(2) << 31) * inverse;
    words.insert(words.end(), {key, 0, 0, 0, random.below(3)});
  }
  expect_identity(words);
}

RC_GTEST_PROP(HistoryIdentity, AnyWords, ()) {
  const auto words = *rc::gen::container<Words>(
      rc::gen::oneOf(rc::gen::arbitrary<std::uint64_t>(), rc::gen::inRange<std::uint64_t>(0, 3)));
  RC_ASSERT(encode_history(words) == oracle::encode_history(words));
}

TEST(HistoryIdentity, SameVerdictOnHostileDistances) {
  Random random(1);
  const auto& noise = contents<std::uint64_t>()[7];
  unsigned refused = 0;
  for (unsigned round = 0; round < 3000; ++round) {
    const std::size_t count = 1 + random.below(60);
    Words encoded = oracle::encode_history(make_words(noise, count, round));
    for (std::uint64_t changes = random.below(6); changes > 0; --changes) {
      const std::size_t i = random.below(count);
      encoded[count + i] = random.below(8) == 0 ? random.next() : random.below(i + 2);
    }
    Words expected, words;
    const bool accepted = oracle::decode_history(encoded, expected);
    ASSERT_EQ(decode_history(encoded, words), accepted);
    if (accepted) {
      ASSERT_EQ(words, expected);
    }
    refused += accepted ? 0 : 1;
  }
  EXPECT_GT(refused, 100u);
}

/// The share of matches among rare contexts, word by word; repetitions of a word right behind it are none.
std::uint32_t matches_in_thousand(const Words& words) {
  const unsigned rarity_bits = std::clamp(core::bit_length(words.size() / 4096), 6u, 8u),
                 bits = std::max(8u, core::bit_length(words.size() >> rarity_bits));
  constexpr std::size_t context = 3, at_once = 16;
  Words latest(std::size_t{1} << bits);
  std::uint64_t seen = 0, matches = 0;
  const std::size_t looked_at =
      words.size() < context ? 0 : (words.size() - context) / at_once * at_once + context;
  for (std::size_t i = context; i < looked_at; ++i) {
    std::uint32_t hashes = 0;
    for (std::size_t k = 1; k <= context; ++k) hashes ^= stages::MatchHistory::hash(words[i - k]);
    const std::uint32_t key = hashes * 0x9E3779B1u;
    if (key >> (32 - rarity_bits) != 0) continue;
    if (words[i] == words[i - 1]) continue;
    std::uint64_t& slot = latest[key << rarity_bits >> (32 - bits)];
    ++seen;
    matches += slot == words[i] ? 1 : 0;
    slot = words[i];
  }
  return seen == 0 ? 0 : static_cast<std::uint32_t>(1000 * matches / seen);
}

TEST(MatchHistory, FindsTheShareOfMatchesAsWordByWord) {
  Random random(7);
  bool finds_some = false;
  for (const std::size_t count : {0, 2, 3, 18, 19, 20, 5000, 70001}) {
    for (const std::uint64_t kinds : {2, 100, 1 << 20}) {
      Words words(count);
      for (std::size_t i = 0; i < count; ++i) {
        const bool repeats = i > 64 && random.below(4) > 0;
        words[i] = repeats ? words[i - 64] : random.below(kinds) * 0x123456789ABCDEF1u;
      }
      const auto* const bytes = reinterpret_cast<const std::uint8_t*>(words.data());
      const std::uint32_t found = cpu::matches_in_thousand({bytes, 8 * count});
      EXPECT_EQ(found, matches_in_thousand(words)) << count << " words of " << kinds;
      finds_some = finds_some || (found > 0 && found < 1000);
    }
  }
  EXPECT_TRUE(finds_some);
}

/// Of matches in the same page all show, of those far away one in four.
TEST(MatchHistory, SeesMatchesInAShareOfThePages) {
  Random random(8);
  const auto found_at = [&](std::size_t distance) {
    Words words(300'000);
    for (std::size_t i = 0; i < words.size(); ++i)
      words[i] = i >= distance && random.below(16) > 0 ? words[i - distance] : random.next();
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(words.data());
    return cpu::matches_in_thousand({bytes, 8 * words.size()}, 2);
  };
  EXPECT_GT(found_at(64), 500u);
  EXPECT_GT(found_at(100'000), 50u);
  EXPECT_LT(found_at(100'000), 300u);
  EXPECT_EQ(found_at(300'000), 0u);
}

}  // namespace
}  // namespace floe::test
