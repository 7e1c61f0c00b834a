#include "simd/decoding_kernels.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "core/bits.hpp"
#include "core/splitmix.hpp"
#include "simd/kernels.hpp"
#include "tests/support/every_word.hpp"

namespace floe::trees {
namespace {

class DecodingKernelsOfIsa : public testing::TestWithParam<cpu::Isa> {};

template <class W>
std::vector<W> random_words(std::size_t count, std::uint64_t seed) {
  std::vector<W> words(count);
  for (std::size_t i = 0; i < count; ++i) words[i] = static_cast<W>(core::splitmix(seed + i));
  return words;
}

template <class W>
void check_sums(cpu::Isa isa) {
  for (std::size_t stride = 1; stride <= 64; ++stride) {
    for (const std::size_t count : {0, 1, 2, 7, 31, 32, 33, 63, 64, 65, 100, 129, 1000}) {
      const std::vector<W> history = random_words<W>(stride, count), words = random_words<W>(count, stride);
      std::vector<W> expected = history;
      for (std::size_t i = 0; i < count; ++i)
        expected.push_back(static_cast<W>(expected[expected.size() - stride] + words[i]));
      std::vector<W> sums = words, last = history;
      sums.push_back(42);
      kernels_of(isa).decoding<W>().add_up(sums.data(), count, stride, last.data());
      ASSERT_EQ(sums.back(), 42) << "what lies behind the words is kept";
      sums.pop_back();
      ASSERT_EQ(sums, std::vector<W>(expected.begin() + static_cast<std::ptrdiff_t>(stride), expected.end()))
          << stride << " " << count;
      ASSERT_EQ(last, std::vector<W>(expected.end() - static_cast<std::ptrdiff_t>(stride), expected.end()))
          << stride << " " << count;
    }
  }
}

TEST_P(DecodingKernelsOfIsa, AddUpWhatIsAStrideApart) {
  for_each_word([&]<class W>(W) { check_sums<W>(GetParam()); });
}

template <class W>
void check_addition(cpu::Isa isa) {
  const DecodingKernels<W>& kernel = kernels_of(isa).decoding<W>();
  for (const std::size_t count : {0, 1, 7, 64, 65, 1000}) {
    std::vector<W> sums = random_words<W>(count + 1, 5), words = random_words<W>(count + 1, 6);
    std::vector<W> other_sums = sums, turned = words, expected = words, expected_turned = words;
    for (std::size_t i = 0; i < count; ++i) expected[i] = static_cast<W>(words[i] + sums[i]);
    kernel.turn(expected.data(), expected_turned.data(), count);
    kernel.add(words.data(), sums.data(), count, false);
    kernel.add(turned.data(), other_sums.data(), count, true);
    EXPECT_EQ(words, expected) << count;
    EXPECT_EQ(turned, expected_turned) << count;
    EXPECT_EQ(sums, other_sums) << count;
    expected.back() = sums.back();  // what lies behind the words is kept
    EXPECT_EQ(sums, expected) << count;
  }
}

TEST_P(DecodingKernelsOfIsa, AddsWordsOfTwoRows) {
  for_each_word([&]<class W>(W) { check_addition<W>(GetParam()); });
}

template <class W>
void check_maps(cpu::Isa isa) {
  const DecodingKernels<W>& kernel = kernels_of(isa).decoding<W>();
  constexpr W top = static_cast<W>(W{1} << (core::word_bits<W> - 1));
  for (const std::size_t count : {0, 1, 15, 64, 333}) {
    const std::vector<W> words = random_words<W>(count, 1), remainders = random_words<W>(count, 2);
    const W factor = static_cast<W>(core::splitmix(count)), base = static_cast<W>(core::splitmix(count + 1));
    std::vector<W> turned(count), in_place = words, scaled = words, joined = words, magnitudes = words;
    kernel.turn(words.data(), turned.data(), count);
    kernel.turn(in_place.data(), in_place.data(), count);
    EXPECT_EQ(turned, in_place);
    kernel.scale(scaled.data(), count, factor, base);
    kernel.join(joined.data(), remainders.data(), count, factor, false);
    kernel.join(magnitudes.data(), remainders.data(), count, factor, true);
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_negative = words[i] >= top;
      const W inverse = static_cast<W>(~words[i]), number = is_negative ? inverse : words[i];
      EXPECT_EQ(turned[i], is_negative ? static_cast<W>(inverse | top) : words[i]);
      EXPECT_EQ(scaled[i], static_cast<W>(std::uint64_t{words[i]} * factor + base));
      EXPECT_EQ(joined[i], static_cast<W>(std::uint64_t{words[i]} * factor + remainders[i]));
      const W magnitude = static_cast<W>(std::uint64_t{number} * factor + remainders[i]);
      EXPECT_EQ(magnitudes[i], static_cast<W>(is_negative ? magnitude ^ top : magnitude));
    }
  }
}

TEST_P(DecodingKernelsOfIsa, MapWords) {
  for_each_word([&]<class W>(W) { check_maps<W>(GetParam()); });
}

template <class W>
void check_runs(cpu::Isa isa) {
  for (const std::uint32_t longest : {1U, 2U, 7U, 40U, 500U}) {
    std::vector<std::uint32_t> lengths(200);
    const std::vector<W> values = random_words<W>(lengths.size(), longest);
    std::vector<W> expected;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      lengths[i] = static_cast<std::uint32_t>(core::splitmix(i) % (longest + 1));  // also none
      expected.insert(expected.end(), lengths[i], values[i]);
    }
    Runs<W> runs{lengths.data(), values.data(), lengths.size(), 0, lengths[0]};
    std::vector<W> words;
    for (std::size_t i = 0; runs.next < runs.count; ++i) {
      const std::size_t count = core::splitmix(i) % 100;
      std::vector<W> part(count + 1, W{42});
      const std::size_t written = kernels_of(isa).decoding<W>().repeat(runs, part.data(), count);
      ASSERT_EQ(part.back(), W{42}) << "what lies behind the words is kept";
      ASSERT_TRUE(written == count || runs.next == runs.count);
      words.insert(words.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(written));
    }
    ASSERT_EQ(words, expected) << longest;
  }
}

TEST_P(DecodingKernelsOfIsa, RepeatWords) {
  for_each_word([&]<class W>(W) { check_runs<W>(GetParam()); });
}

template <class W>
void check_interleaving(cpu::Isa isa) {
  for (const std::size_t parts : {2, 3, 4, 5, 6, 7, 8, 13, 64, 71, 333}) {
    for (const std::size_t rows : {0, 1, 7, 33, 200}) {
      const std::size_t distance = rows + 3;
      const std::vector<W> from = random_words<W>(parts * distance, rows);
      std::vector<W> words(parts * rows + 1, W{42});
      kernels_of(isa).decoding<W>().interleave(from.data(), distance, parts, rows, words.data());
      for (std::size_t i = 0; i < parts * rows; ++i)
        ASSERT_EQ(words[i], from[i % parts * distance + i / parts]) << parts << " " << rows;
      ASSERT_EQ(words.back(), W{42});
    }
  }
}

TEST_P(DecodingKernelsOfIsa, Interleave) {
  for_each_word([&]<class W>(W) { check_interleaving<W>(GetParam()); });
}

INSTANTIATE_TEST_SUITE_P(Isas, DecodingKernelsOfIsa,
                         testing::ValuesIn(cpu::available_isas().begin(), cpu::available_isas().end()),
                         [](const auto& isa) { return std::string(cpu::name_of(isa.param)); });

}  // namespace
}  // namespace floe::trees
