// Does the checksum of a chunk find what it promises to find?
#include "format/chunk_checksum.hpp"

#include <gtest/gtest.h>

#include "core/chunk.hpp"
#include "tests/support/data.hpp"
#include "tests/support/frames.hpp"

namespace floe::test {
namespace {

using format::WeightedSum;
using u64 = std::uint64_t;

u64 fold(u64 word) { return word ^ (word >> 32); }

/// The formula of docs/format/frame.md, section 5.
u64 sum_by_formula(const Bytes& payload) {
  u64 sum = 0;
  for (u64 i = 0; i < payload.size() / 8; ++i) {
    sum += fold(core::load<u64>(payload.data() + 8 * i)) * (WeightedSum::multiplier + WeightedSum::step * i);
  }
  return sum;
}

/// Changes a payload word by word and keeps its sum, without going through all of it again.
class ChangingPayload {
 public:
  explicit ChangingPayload(Bytes payload) : payload_(std::move(payload)), sum_(sum_by_formula(payload_)) {}

  void flip(std::size_t bit) {
    const std::size_t i = bit / 64;
    u64 word = core::load<u64>(payload_.data() + 8 * i);
    const u64 before = fold(word);
    word ^= u64{1} << bit % 64;
    core::store(payload_.data() + 8 * i, word);
    sum_ += (fold(word) - before) * (WeightedSum::multiplier + WeightedSum::step * i);
  }
  [[nodiscard]] std::uint32_t checksum() const { return static_cast<std::uint32_t>(sum_ >> 32); }
  [[nodiscard]] const Bytes& payload() const { return payload_; }

 private:
  Bytes payload_;
  u64 sum_;
};

TEST(ChunkChecksum, IsTheFormula) {
  for (std::size_t size = 0; size <= core::chunk_bytes; size += size < 1024 ? 16 : 1040) {
    for (std::size_t content = 0; content < content_names().size(); ++content) {
      const Bytes payload = make_bytes(64, content, size, size);
      ASSERT_EQ(format::payload_sum(payload.data(), payload.size()).result(), sum_by_formula(payload)) << size;
      ASSERT_EQ(format::chunk_checksum(payload.data(), payload.size()), sum_by_formula(payload) >> 32) << size;
    }
  }
}

TEST(ChunkChecksum, ReadsAnyAlignment) {
  const Bytes payload = make_bytes(64, 8, 4096, 3);
  for (std::size_t offset = 0; offset < 17; ++offset) {
    Bytes moved(offset);
    moved.insert(moved.end(), payload.begin(), payload.end());
    EXPECT_EQ(format::chunk_checksum(moved.data() + offset, payload.size()), format::chunk_checksum(payload.data(), payload.size()));
  }
}

// One flipped bit of word i changes its folded word by ±2^b, or by ±2^b ± 2^(b-32), and the sum by that times the word's weight. If this
// difference is at least 2^32 away from 0, modulo 2^64, then the upper half of the sum changes, whatever the payload is.
TEST(ChunkChecksum, FindsEverySingleBitOfEveryPayload) {
  u64 closest = ~u64{0};
  for (u64 i = 0; i < core::chunk_bytes / 8; ++i) {
    const u64 weight = WeightedSum::multiplier + WeightedSum::step * i;
    for (unsigned bit = 0; bit < 64; ++bit) {
      const u64 upper = u64{1} << bit, lower = bit < 32 ? 0 : u64{1} << (bit - 32);
      for (const u64 delta : {upper + lower, upper - lower, lower - upper, u64{0} - upper - lower}) {
        const u64 difference = delta * weight;
        closest = std::min({closest, difference, u64{0} - difference});
      }
    }
  }
  EXPECT_GE(closest, u64{1} << 32);
}

TEST(ChunkChecksum, FindsEverySingleBitOfAPayload) {
  for (const std::size_t content : {0u, 4u, 8u}) {
    ChangingPayload payload(make_bytes(32, content, core::chunk_bytes, 7));
    const std::uint32_t checksum = payload.checksum();
    for (std::size_t bit = 0; bit < 8 * core::chunk_bytes; ++bit) {
      payload.flip(bit);
      ASSERT_NE(payload.checksum(), checksum) << bit;
      if (bit % 4096 == 0) {
        ASSERT_EQ(payload.checksum(), format::chunk_checksum(payload.payload().data(), core::chunk_bytes));
      }
      payload.flip(bit);
    }
  }
}

TEST(ChunkChecksum, FindsPairsOfBits) {
  Random random(2);
  for (const std::size_t content : {0u, 5u}) {
    ChangingPayload payload(make_bytes(32, content, core::chunk_bytes, 7));
    const std::uint32_t checksum = payload.checksum();
    for (unsigned round = 0; round < 500'000; ++round) {
      const std::size_t first = random.below(8 * core::chunk_bytes);
      const std::size_t second = (first + 1 + random.below(8 * core::chunk_bytes - 1)) % (8 * core::chunk_bytes);
      payload.flip(first);
      payload.flip(second);
      ASSERT_NE(payload.checksum(), checksum) << first << ", " << second;
      payload.flip(first);
      payload.flip(second);
    }
  }
}

TEST(ChunkChecksum, FindsBursts) {
  Random random(3);
  for (const std::size_t content : {0u, 5u}) {
    ChangingPayload payload(make_bytes(32, content, core::chunk_bytes, 7));
    const std::uint32_t checksum = payload.checksum();
    for (unsigned round = 0; round < 50'000; ++round) {
      const std::size_t length = 2 + random.below(31), first = random.below(8 * core::chunk_bytes - length + 1);
      const u64 pattern = random.next() | 1 | u64{1} << (length - 1);  // both ends flipped, chance between them
      const auto flip_burst = [&] {
        for (std::size_t i = 0; i < length; ++i) {
          if ((pattern >> i & 1) != 0) payload.flip(first + i);
        }
      };
      flip_burst();
      ASSERT_NE(payload.checksum(), checksum) << length << " bits at " << first;
      flip_burst();
    }
  }
}

TEST(ChunkChecksum, FindsExchangedWords) {
  for (std::size_t i = 0; i < 100; ++i) {
    Bytes payload = make_bytes(64, 8, core::chunk_bytes, i);
    const std::uint32_t checksum = format::chunk_checksum(payload.data(), payload.size());
    std::swap_ranges(payload.begin(), payload.begin() + 8, payload.begin() + static_cast<std::ptrdiff_t>(8 * (i + 1)));
    EXPECT_NE(format::chunk_checksum(payload.data(), payload.size()), checksum);
  }
}

TEST(Digest, DependsOnEveryChecksumAndTheirOrder) {
  const auto digest_of = [](std::initializer_list<std::uint32_t> checksums) {
    format::Digest digest;
    for (const std::uint32_t checksum : checksums) digest.add(checksum);
    return digest.value();
  };
  EXPECT_EQ(digest_of({}), 0u);
  EXPECT_EQ(digest_of({1}), WeightedSum::multiplier);
  EXPECT_EQ(digest_of({0, 1}), WeightedSum::multiplier + WeightedSum::step);
  EXPECT_NE(digest_of({5, 6, 7}), digest_of({6, 5, 7}));
  EXPECT_NE(digest_of({5, 6, 7}), digest_of({5, 6}));
  EXPECT_EQ(digest_of({0, 0, 0}), 0u);
}

}  // namespace
}  // namespace floe::test
