// Does the entropy coder bring all bytes back, write the same with groups of any size, and survive damaged
// payloads?
#include "tests/experiments/rans.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/experiments/cooperative.hpp"
#include "tests/experiments/thread_group.hpp"
#include "tests/support/data.hpp"

namespace floe::experiments {
namespace {

using Coder = Rans<32>;

Bytes encoded(const Bytes& in) { return encode<Coder, std::uint8_t>(CooperativeShape{}, in, {}).value(); }
MaybeBytes decoded(const Bytes& in) { return decode<Coder, std::uint8_t>(CooperativeShape{}, in, {}); }

/// Bytes of which smaller ones are more frequent, the more so the larger `skew` is.
Bytes skewed_bytes(std::size_t size, unsigned skew, std::uint64_t seed) {
  test::Random random(seed);
  Bytes bytes(size);
  for (std::uint8_t& byte : bytes) {
    std::uint64_t value = 255;
    for (unsigned i = 0; i <= skew; ++i) value = std::min(value, random.below(256));
    byte = static_cast<std::uint8_t>(value);
  }
  return bytes;
}

TEST(Rans, BringsBackAllLengths) {
  for (std::size_t size = 0; size <= 1200; ++size) {
    for (const unsigned skew : {0u, 10u, 500u}) {
      const Bytes in = skewed_bytes(size, skew, size);
      ASSERT_EQ(decoded(encoded(in)), in) << size << " bytes, skew " << skew;
    }
  }
}

TEST(Rans, CostsNearlyTheEntropy) {
  Bytes in(16384, 0);
  EXPECT_LE(encoded(in).size(), 160u);  // length, kind, table and 32 states
  for (std::size_t i = 0; i < in.size(); i += 4) in[i] = 1;
  // A quarter of ones: 0.8113 bits each are 1662 bytes.
  EXPECT_LE(encoded(in).size(), 1662u + 160u);
  // Nothing to gain: stored, with a length and a kind.
  EXPECT_EQ(encoded(skewed_bytes(16384, 0, 1)).size(), 16387u);
}

TEST(Rans, GroupsOfAnySizeWriteAndReadTheSame) {
  for (const std::size_t size : {1u, 31u, 32u, 33u, 1000u, 2048u}) {
    const Bytes in = skewed_bytes(size, 20, size);
    const Bytes expected = encoded(in);
    for (const unsigned members : {1u, 2u, 4u, 8u}) {
      Bytes out(Coder::bound(size)), back(size);
      Coder::Shared shared{};
      std::vector<std::size_t> sizes(members);
      ThreadGroup::run(members, [&](const ThreadGroup& group) {
        sizes[group.rank()] = Coder::encode(group, in, out, shared);
      });
      EXPECT_EQ(sizes, std::vector<std::size_t>(members, expected.size()));
      out.resize(expected.size());
      ASSERT_EQ(out, expected) << size << " bytes, " << members << " members";

      std::vector<std::uint8_t> verdicts(members);
      ThreadGroup::run(members, [&](const ThreadGroup& group) {
        verdicts[group.rank()] = Coder::decode(group, out, back, shared);
      });
      EXPECT_EQ(verdicts, std::vector<std::uint8_t>(members, 1));
      ASSERT_EQ(back, in) << size << " bytes, " << members << " members";
    }
  }
}

TEST(Rans, GroupsRefuseDamageTogether) {
  const Bytes in = skewed_bytes(1000, 20, 3);
  const Bytes payload = encoded(in);
  test::Random random(5);
  for (unsigned round = 0; round < 60; ++round) {
    Bytes damaged = payload;
    damaged[2 + random.below(payload.size() - 2)] ^= static_cast<std::uint8_t>(1 + random.below(255));
    if (round % 3 == 0) damaged.resize(3 + random.below(payload.size() - 3));
    const MaybeBytes expected = decoded(damaged);
    Bytes back(1000);
    Coder::Shared shared{};
    std::vector<std::uint8_t> verdicts(4);
    ThreadGroup::run(4, [&](const ThreadGroup& group) {
      verdicts[group.rank()] = Coder::decode(group, damaged, back, shared);
    });
    ASSERT_EQ(verdicts, std::vector<std::uint8_t>(4, expected.has_value() ? 1 : 0));
    if (expected) {
      ASSERT_EQ(back, *expected);
    }
  }
}

TEST(Rans, SeesEveryTruncationAndExtension) {
  const Bytes payload = encoded(skewed_bytes(600, 20, 4));
  ASSERT_EQ(payload[2], 1) << "coded";
  for (std::size_t size = 0; size < payload.size(); ++size) {
    EXPECT_FALSE(decoded(Bytes(payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(size))))
        << size;
  }
  Bytes longer = payload;
  longer.push_back(0);
  EXPECT_FALSE(decoded(longer));
  longer.push_back(0);
  EXPECT_FALSE(decoded(longer));
}

TEST(Rans, TablesSumToTheScaleAndComeBack) {
  test::Random random(6);
  for (unsigned round = 0; round < 300; ++round) {
    RansTable table{}, back{};
    std::uint32_t total = 0;
    const std::uint64_t symbols = 1 + random.below(256);
    for (unsigned i = 0; i < symbols; ++i) {
      const auto count =
          static_cast<std::uint32_t>(random.below(10) == 0 ? 1 + random.below(200) : random.below(4));
      table.frequency[i * 255 / symbols] += count;
      total += count;
    }
    const auto counts = table.frequency;
    if (total == 0) continue;
    table.normalize(total);
    std::uint32_t sum = 0;
    for (unsigned s = 0; s < 256; ++s) {
      sum += table.frequency[s];
      ASSERT_EQ(table.frequency[s] == 0, counts[s] == 0);
    }
    ASSERT_EQ(sum, RansTable::scale);
    const Bytes stored = table.stored();
    ASSERT_EQ(back.load(stored), stored.size());
    ASSERT_EQ(back.frequency, table.frequency);
    ASSERT_EQ(back.first, table.first);
    ASSERT_EQ(back.symbol_at, table.symbol_at);
  }
}

RC_GTEST_PROP(Rans, BringsBackAnyBytes, (const Bytes& in)) {
  RC_ASSERT(decoded(encoded(in)) == MaybeBytes(in));
}

RC_GTEST_PROP(Rans, SurvivesAnyBytes, (Bytes payload)) {
  if (payload.size() > 2) payload[1] %= 2, payload[2] %= 2;  // a length of at most 511 and a kind that exists
  const MaybeBytes out = decoded(payload);
  if (out) {
    RC_ASSERT(out->size() == core::load<std::uint16_t>(payload.data()));
  }
}

}  // namespace
}  // namespace floe::experiments
