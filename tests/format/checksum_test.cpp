// Do the checksum of a chunk and the digest of a frame find what they promise to find?
#include <gtest/gtest.h>

#include "core/chunk_checksum.hpp"
#include "format/digest.hpp"
#include "tests/support/data.hpp"

namespace floe::test {
namespace {

using core::checksum_weights;
using core::chunk_bytes;
using core::chunk_checksum;
using u64 = std::uint64_t;

constexpr std::size_t word_count = chunk_bytes / 4;
constexpr u64 kept = u64{1} << 32;  ///< What changes the sum by at least this much, either way round, changes its upper half.

u64 weight_of(std::size_t word) { return checksum_weights.rows[word / 16] * checksum_weights.lanes[word % 16]; }

/// Changes a full payload bit by bit and keeps its sum, without going through all of it again.
class ChangingPayload {
 public:
  explicit ChangingPayload(Bytes payload) : payload_(std::move(payload)), sum_(checksum_weights.start) {
    for (std::size_t i = 0; i < word_count; ++i) sum_ += core::load<std::uint32_t>(payload_.data() + 4 * i) * weight_of(i);
  }
  void flip(std::size_t bit) {
    const std::size_t i = bit / 32;
    const auto before = core::load<std::uint32_t>(payload_.data() + 4 * i), after = before ^ std::uint32_t{1} << bit % 32;
    core::store(payload_.data() + 4 * i, after);
    sum_ += (u64{after} - before) * weight_of(i);
  }
  [[nodiscard]] std::uint32_t checksum() const { return static_cast<std::uint32_t>(sum_ >> 32); }
  [[nodiscard]] const Bytes& payload() const { return payload_; }

 private:
  Bytes payload_;
  u64 sum_;
};

TEST(ChunkChecksum, HasTheWeightsOfThePage) {
  EXPECT_EQ(checksum_weights.rows.front(), 0xAEAF52FFu);
  EXPECT_EQ(checksum_weights.rows.back(), 0xB39DE025u);
  EXPECT_EQ(checksum_weights.lanes.front(), 0xBFF5B913B8DC344Du);
  EXPECT_EQ(checksum_weights.lanes.back(), 0x770FE8132550EFADu);
  EXPECT_EQ(checksum_weights.start, 0x066A70E9588E282Fu);
  EXPECT_EQ(chunk_checksum(nullptr, 0), 0x066A70E9u);
}

TEST(ChunkChecksum, IsTheSumOfThePage) {
  for (std::size_t content = 0; content < content_names().size(); ++content) {
    ChangingPayload payload(make_bytes(32, content, chunk_bytes, content));
    EXPECT_EQ(payload.checksum(), chunk_checksum(payload.payload().data(), chunk_bytes));
    for (std::size_t bit = 5; bit < 8 * chunk_bytes; bit += 1001) payload.flip(bit);
    EXPECT_EQ(payload.checksum(), chunk_checksum(payload.payload().data(), chunk_bytes));
  }
}

// A flipped bit changes the sum by plus or minus 2^b times the weight of its word, whatever the payload is. If these numbers, and 0, are
// at least 2^32 away from each other modulo 2^64, then no flipped bit keeps the upper half of the sum, and no two of them make up for each
// other.
TEST(ChunkChecksum, FindsEveryChangeOfOneOrTwoBitsOfEveryPayload) {
  std::vector<u64> changes = {0};
  for (std::size_t i = 0; i < word_count; ++i) {
    for (unsigned bit = 0; bit < 32; ++bit) {
      changes.push_back(weight_of(i) << bit);
      changes.push_back(0 - (weight_of(i) << bit));
    }
  }
  std::sort(changes.begin(), changes.end());
  u64 closest = changes.front() - changes.back();
  for (std::size_t i = 1; i < changes.size(); ++i) closest = std::min(closest, changes[i] - changes[i - 1]);
  EXPECT_GE(closest, kept);
}

/// Fails if one of many changes is missed. `change` flips bits of the payload, the same ones when called again with the same seed.
template <class Change>
void expect_found(unsigned rounds, const Change& change) {
  for (const std::size_t content : {0u, 4u, 8u}) {
    ChangingPayload payload(make_bytes(32, content, chunk_bytes, 7));
    const std::uint32_t checksum = payload.checksum();
    for (unsigned round = 0; round < rounds; ++round) {
      change(payload, Random(round));
      ASSERT_NE(payload.checksum(), checksum) << "round " << round;
      change(payload, Random(round));
    }
  }
}

TEST(ChunkChecksum, FindsBursts) {
  expect_found(50'000, [](ChangingPayload& payload, Random random) {
    const std::size_t length = 3 + random.below(62), first = random.below(8 * chunk_bytes - length + 1);
    const u64 pattern = random.next() | 1 | u64{1} << (length - 1);  // both ends flipped, chance between them
    for (std::size_t i = 0; i < length; ++i) {
      if ((pattern >> i & 1) != 0) payload.flip(first + i);
    }
  });
}

// As a broken line of a bus or a bad column of memory would.
TEST(ChunkChecksum, FindsTheSameBitOfSeveralWordsAtEqualDistances) {
  expect_found(50'000, [](ChangingPayload& payload, Random random) {
    const std::size_t count = 2 + random.below(31), distance = 32u << random.below(7);
    const std::size_t first = random.below(8 * chunk_bytes - (count - 1) * distance);
    for (std::size_t i = 0; i < count; ++i) payload.flip(first + i * distance);
  });
}

// Four bits at the corners of a rectangle of rows and lanes: what weights that are sums of two parts would miss.
TEST(ChunkChecksum, FindsRectangles) {
  expect_found(50'000, [](ChangingPayload& payload, Random random) {
    const std::size_t rows[] = {random.below(128), 128 + random.below(128)}, lanes[] = {random.below(8), 8 + random.below(8)};
    const std::size_t bit = random.below(32);
    for (const std::size_t row : rows) {
      for (const std::size_t lane : lanes) payload.flip(32 * (16 * row + lane) + bit);
    }
  });
}

TEST(ChunkChecksum, FindsExchangedAndMovedParts) {
  for (std::size_t seed = 0; seed < 50; ++seed) {
    const Bytes original = make_bytes(64, 8, chunk_bytes, seed);
    const std::uint32_t checksum = chunk_checksum(original.data(), original.size());
    for (const std::ptrdiff_t size : {4, 8, 16, 64, 512, 4096}) {
      Bytes exchanged = original;
      std::swap_ranges(exchanged.begin(), exchanged.begin() + size, exchanged.end() - size);
      EXPECT_NE(chunk_checksum(exchanged.data(), exchanged.size()), checksum) << size;
      Bytes rotated = original;
      std::rotate(rotated.begin(), rotated.begin() + size, rotated.end());
      EXPECT_NE(chunk_checksum(rotated.data(), rotated.size()), checksum) << size;
    }
  }
}

TEST(Digest, DependsOnEverythingInEveryEntryAndOnTheirOrder) {
  const auto digest_of = [](std::initializer_list<format::ChunkEntry> entries) {
    format::Digest digest;
    for (const format::ChunkEntry& entry : entries) digest.add(entry);
    return digest.value();
  };
  const format::ChunkEntry entry{5, 600, 1}, other_checksum{6, 600, 1}, other_length{5, 601, 1}, other_mode{5, 600, 0};
  EXPECT_EQ(digest_of({}), 0u);
  EXPECT_EQ(digest_of({{0, 0, 0}}), 0xE220A8397B1DCDAFu);  // the first number of SplitMix64 with seed 0
  for (const format::ChunkEntry& other : {other_checksum, other_length, other_mode}) {
    EXPECT_NE(digest_of({entry, entry}), digest_of({entry, other}));
    EXPECT_NE(digest_of({entry, other}), digest_of({other, entry}));
  }
  EXPECT_NE(digest_of({entry, entry}), digest_of({entry}));
}

}  // namespace
}  // namespace floe::test
