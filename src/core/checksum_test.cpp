// The checksum of a chunk and the digest of a frame find what they promise to find.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "core/chunk_checksum.hpp"
#include "core/digest.hpp"
#include "tests/support/data.hpp"

namespace floe::test {
namespace {

using core::checksum_weights;
using core::ChecksumBlend;
using core::chunk_bytes;
using core::chunk_checksum;
using u32 = std::uint32_t;

constexpr std::size_t rows = core::ChecksumWeights::row_count, columns = core::ChecksumWeights::column_count;
constexpr u32 row_bits = 32 * columns;

/// Of the lower (0) or the upper (1) halves of the words of a row.
u32 weight_of(std::size_t row, unsigned half) { return checksum_weights.rows[row] >> 16 * half & 0xFFFF; }

/// Changes a full payload bit by bit and keeps the sums of its columns, without going through all of it
/// again.
class ChangingPayload {
 public:
  explicit ChangingPayload(Bytes payload) : payload_(std::move(payload)), sums_(checksum_weights.starts) {
    core::add_to_columns(sums_, payload_.data(), 0, chunk_bytes);
  }
  void flip(std::size_t bit) {
    const std::size_t i = bit / 32;
    const auto before = core::load<u32>(payload_.data() + 4 * i), after = before ^ u32 { 1 } << bit % 32;
    core::store(payload_.data() + 4 * i, after);
    const u32 weights = checksum_weights.rows[i / columns];
    sums_[i % columns] += core::weighted(after, weights) - core::weighted(before, weights);
  }
  [[nodiscard]] u32 checksum() const { return core::checksum_of_columns(sums_); }
  [[nodiscard]] const Bytes& payload() const { return payload_; }

 private:
  Bytes payload_;
  core::ChecksumColumns sums_;
};

TEST(ChunkChecksum, HasTheWeightsOfThePage) {
  EXPECT_EQ(checksum_weights.rows.front(), 0x4CE97265u);
  EXPECT_EQ(checksum_weights.rows.back(), 0x7D4B64B7u);
  EXPECT_EQ(checksum_weights.starts.front(), 0xBB85EC04u);
  EXPECT_EQ(checksum_weights.starts.back(), 0x867BC8CFu);
  EXPECT_EQ(chunk_checksum(nullptr, 0), 0x65C563D8u);
}

TEST(ChunkChecksum, IsTheSumOfThePage) {
  for (std::size_t content = 0; content < content_names().size(); ++content) {
    ChangingPayload payload(make_bytes(32, content, chunk_bytes, content));
    EXPECT_EQ(payload.checksum(), chunk_checksum(payload.payload().data(), chunk_bytes));
    for (std::size_t bit = 5; bit < 8 * chunk_bytes; bit += 1001) payload.flip(bit);
    EXPECT_EQ(payload.checksum(), chunk_checksum(payload.payload().data(), chunk_bytes));
  }
}

/// The number whose product with an odd number is 1 modulo 2^32.
u32 inverse_of(u32 odd) {
  u32 inverse = odd;
  for (int i = 0; i < 5; ++i) inverse *= 2 - odd * inverse;
  return inverse;
}

// So a checksum changes if the sum of one column does, and those of the others do not.
TEST(ChunkChecksum, IsMadeOfColumnsByABijection) {
  Random random(1);
  for (int i = 0; i < 100'000; ++i) {
    const auto sum = static_cast<u32>(random.next());
    u32 back = ChecksumBlend::of(sum) * inverse_of(ChecksumBlend::second_factor);
    back ^= back >> ChecksumBlend::second_shift ^ back >> 2 * ChecksumBlend::second_shift;
    back *= inverse_of(ChecksumBlend::first_factor);
    ASSERT_EQ(back ^ back >> ChecksumBlend::first_shift, sum);
  }
}

// A flipped bit changes the sum of its column by plus or minus 2^b times a weight, b being 0 to 15, whatever
// the payload is. These numbers, and 0, are different from each other, so that no two of them make up for
// each other.
TEST(ChunkChecksum, FindsEveryChangeOfOneOrTwoBitsOfAColumnOfEveryPayload) {
  std::vector<u32> changes = {0};
  for (std::size_t row = 0; row < rows; ++row) {
    for (unsigned bit = 0; bit < 32; ++bit) {
      changes.push_back(weight_of(row, bit / 16) << bit % 16);
      changes.push_back(0 - (weight_of(row, bit / 16) << bit % 16));
    }
  }
  std::sort(changes.begin(), changes.end());
  EXPECT_EQ(std::adjacent_find(changes.begin(), changes.end()), changes.end());
}

/// Whether each sum of +-weights, of `row` and all or some of the rows behind it at this distance, differs
/// from 0 modulo 2^17. So does then each sum of 2^b times them modulo 2^32, b being 0 to 15.
bool no_sum_is_zero(std::size_t row, unsigned half, std::size_t distance, std::size_t max_count,
                    bool with_gaps) {
  std::vector<u32> sums = {weight_of(row, half)};
  for (std::size_t i = 1; i < max_count && row + i * distance < rows; ++i) {
    const u32 weight = weight_of(row + i * distance, half);
    std::vector<u32> longer = with_gaps ? sums : std::vector<u32>{};
    for (const u32 sum : sums) {
      for (const u32 other : {sum + weight, sum - weight}) {
        if ((other & 0x1FFFF) == 0) return false;
        longer.push_back(other);
      }
    }
    sums = std::move(longer);
  }
  return true;
}

// As a broken line of a bus or a bad column of memory would: of 16 or 32 words, or more.
TEST(ChunkChecksum, FindsTheSameBitOfUpToEightRowsOfEveryPayload) {
  for (std::size_t row = 0; row < rows; ++row) {
    for (const unsigned half : {0u, 1u}) {
      ASSERT_TRUE(no_sum_is_zero(row, half, 1, 8, true)) << row;
      for (const std::size_t distance : {2u, 4u})
        ASSERT_TRUE(no_sum_is_zero(row, half, distance, 8, false)) << row;
    }
  }
}

// A change of both halves of a word by x and -y keeps the sum only if x : y is as the weights are, the other
// way round. Weights are so large, and have so few factors in common, that this changes bits that are far
// from each other.
TEST(ChunkChecksum, FindsEveryBurstOfUpTo27BitsInAWordOfEveryPayload) {
  int shortest = 32;
  for (std::size_t row = 0; row < rows; ++row) {
    const u32 lower = weight_of(row, 0), upper = weight_of(row, 1), common = std::gcd(lower, upper);
    for (u32 k = 1; k * std::max(lower, upper) / common < 65536; ++k) {
      // The change of the lower half begins at its lowest bit, that of the upper one reaches its highest bit
      // at least.
      const int first = std::countr_zero(k * upper / common),
                last = 16 + static_cast<int>(std::bit_width(k * lower / common)) - 1;
      shortest = std::min(shortest, last - first + 1);
    }
  }
  EXPECT_GT(shortest, 27);
}

/// Fails if one of many changes is missed. `change` flips bits of the payload, the same ones when called
/// again with the same seed.
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
    const std::uint64_t pattern =
        random.next() | 1 | std::uint64_t{1} << (length - 1);  // both ends flipped, chance between them
    for (std::size_t i = 0; i < length; ++i) {
      if ((pattern >> i & 1) != 0) payload.flip(first + i);
    }
  });
}

TEST(ChunkChecksum, FindsTheSameBitOfSeveralWordsAtEqualDistances) {
  expect_found(50'000, [](ChangingPayload& payload, Random random) {
    const std::size_t distance = 32u << random.below(7),
                      count = 2 + random.below(distance < row_bits ? 31 : 7);
    const std::size_t first = random.below(8 * chunk_bytes - (count - 1) * distance);
    for (std::size_t i = 0; i < count; ++i) payload.flip(first + i * distance);
  });
}

// Four bits at the corners of a rectangle of rows and columns.
TEST(ChunkChecksum, FindsRectangles) {
  expect_found(50'000, [](ChangingPayload& payload, Random random) {
    const std::size_t row[] = {random.below(64), 64 + random.below(64)},
                      column[] = {random.below(16), 16 + random.below(16)};
    const std::size_t bit = random.below(32);
    for (const std::size_t r : row) {
      for (const std::size_t c : column) payload.flip(row_bits * r + 32 * c + bit);
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
  const auto digest_of = [](std::initializer_list<core::BlockEntry> entries) {
    core::Digest digest;
    for (const core::BlockEntry& entry : entries) digest.add(entry);
    return digest.value();
  };
  const core::BlockEntry entry{5, 600, 1}, other_checksum{6, 600, 1}, other_length{5, 601, 1},
      other_mode{5, 600, 0};
  EXPECT_EQ(digest_of({}), 0u);
  EXPECT_EQ(digest_of({{0, 0, 0}}), 0xE220A8397B1DCDAFu);  // the first number of SplitMix64 with seed 0
  for (const core::BlockEntry& other : {other_checksum, other_length, other_mode}) {
    EXPECT_NE(digest_of({entry, entry}), digest_of({entry, other}));
    EXPECT_NE(digest_of({entry, other}), digest_of({other, entry}));
  }
  EXPECT_NE(digest_of({entry, entry}), digest_of({entry}));
}

TEST(Digest, OfStreamsDependsOnTheirOrder) {
  const auto digest_of = [](std::initializer_list<std::uint64_t> streams) {
    core::Digest digest;
    for (const std::uint64_t stream : streams) digest.add(stream);
    return digest.value();
  };
  EXPECT_NE(digest_of({1, 2}), digest_of({2, 1}));
  EXPECT_NE(digest_of({1, 0}), digest_of({1}));
  EXPECT_NE(digest_of({0, 0}), digest_of({0}));
  EXPECT_NE(digest_of({std::uint64_t{1} << 63}), digest_of({0}));
}

}  // namespace
}  // namespace floe::test
