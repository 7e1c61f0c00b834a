// Tests of runs in memory: they become the words that they stand for, and lengths that cannot be right are
// refused.
#include "gpu/unpack/expand_runs.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "core/splitmix.hpp"
#include "tests/support/emulated_block.hpp"

namespace floe::gpu {
namespace {

/// Memory at a multiple of 16, in units of 16 bytes.
template <class T>
using Aligned = std::vector<Vector<T>>;

template <class T>
Aligned<T> aligned(const std::vector<T>& words) {
  Aligned<T> to(words.size() / Vector<T>::size + 1);
  for (std::size_t i = 0; i < words.size(); ++i) to[i / Vector<T>::size].word[i % Vector<T>::size] = words[i];
  return to;
}

/// The words of runs; none if they were refused.
template <class W>
std::vector<W> expand(const std::vector<std::uint32_t>& lengths, const std::vector<W>& values,
                      std::uint32_t words) {
  const auto length_memory = aligned(lengths);
  const auto value_memory = aligned(values);
  auto out = aligned(std::vector<W>(words, W{77}));
  const ExpandedRuns runs{reinterpret_cast<const std::uint8_t*>(length_memory.data()),
                          reinterpret_cast<const std::uint8_t*>(value_memory.data()),
                          static_cast<std::uint32_t>(lengths.size()), words,
                          reinterpret_cast<std::uint8_t*>(out.data())};
  static const auto memory = std::make_unique<RunsMemory>();
  bool good = true;
  test::EmulatedWarp::run([&](test::EmulatedWarp& warp) {
    test::EmulatedBlock group(warp, *memory);
    const bool is_good = expand_runs<W>(group, runs);
    if (warp.lane() == 0) good = is_good;
  });
  std::vector<W> made;
  for (std::uint32_t i = 0; i < words + 1; ++i) {
    const W word = out[i / Vector<W>::size].word[i % Vector<W>::size];
    if (i < words && good) made.push_back(word);
    const bool is_untouched = i < words ? good || word == 77 : word == 0;
    if (!is_untouched) return {1, 2, 3};  // written where nothing belongs
  }
  return made;
}

template <class W>
void expect_words(std::uint32_t words, std::uint64_t max_length) {
  std::vector<std::uint32_t> lengths;
  std::vector<W> values, expected;
  for (std::uint64_t i = 0; expected.size() < words; ++i) {
    const std::uint64_t random = core::splitmix(i + words),
                        length = std::min<std::uint64_t>(1 + random % max_length, words - expected.size());
    lengths.push_back(static_cast<std::uint32_t>(length));
    values.push_back(static_cast<W>(random >> 7));
    expected.insert(expected.end(), length, values.back());
  }
  ASSERT_EQ(expand(lengths, values, words), expected) << words << " words, runs of up to " << max_length;
}

template <class W>
class ExpandRuns : public testing::Test {};
using Words = testing::Types<std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(ExpandRuns, Words);

TYPED_TEST(ExpandRuns, MakesAllWords) {
  for (const std::uint32_t words : {1u, 5u, 31u, 1023u, 1024u, 1025u, 4096u, 57344u, 60001u}) {
    for (const std::uint64_t max : {1, 2, 9, 100, 3000, 100000}) expect_words<TypeParam>(words, max);
  }
}

/// More words than there are bits for them at a time.
TYPED_TEST(ExpandRuns, GoesOnFromWindowToWindow) {
  for (const std::uint64_t max : {9, 3000, 1000000})
    expect_words<TypeParam>(2 * RunsMemory::window_words + 4711, max);
  expect_words<TypeParam>(RunsMemory::window_words, 5);
}

TYPED_TEST(ExpandRuns, RefusesLengthsThatCannotBeRight) {
  const std::vector<TypeParam> values(5000, 1), none;
  const auto refused = [&](std::vector<std::uint32_t> lengths, std::uint32_t words) {
    return expand(lengths, std::vector<TypeParam>(lengths.size(), 1), words) == none;
  };
  EXPECT_TRUE(refused({3, 4}, 8));
  EXPECT_TRUE(refused({3, 6}, 8));
  EXPECT_TRUE(refused({8, 0}, 8));
  EXPECT_TRUE(refused({0, 8}, 8));
  EXPECT_TRUE(refused({9, 0xFFFFFFFF}, 8));
  EXPECT_TRUE(refused({0x80000000, 0x80000000, 8}, 8));
  std::vector<std::uint32_t> many(3000, 2);
  EXPECT_FALSE(refused(many, 6000));
  many[2500] = 0;
  many[2501] = 4;
  EXPECT_TRUE(refused(many, 6000));
  EXPECT_TRUE(refused(std::vector<std::uint32_t>(4096, 1u << 20), 4096));
}

}  // namespace
}  // namespace floe::gpu
