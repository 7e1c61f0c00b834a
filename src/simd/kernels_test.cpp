#include "simd/kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>
#include <vector>

#include "core/bits.hpp"
#include "core/power_of_ten.hpp"
#include "core/splitmix.hpp"
#include "tests/support/every_word.hpp"

namespace floe::trees {
namespace {

template <class W>
std::array<W, vector_words> random_vector(unsigned width, W base) {
  std::array<W, vector_words> vector;
  for (std::size_t i = 0; i < vector_words; ++i) {
    vector[i] =
        static_cast<W>(base + (core::splitmix(i * 100 + width) & core::low_mask<std::uint64_t>(width)));
  }
  return vector;
}

/// Bit b of word i where the format says that it is.
template <class W>
bool packed_bit(const std::vector<std::uint8_t>& packed, unsigned width, std::size_t i, unsigned b) {
  constexpr std::size_t lanes = 1024 / core::word_bits<W>;
  const std::size_t lane = i % lanes, in_lane = i / lanes * width + b;
  const std::size_t at =
      in_lane / core::word_bits<W> * 1024 + lane * core::word_bits<W> + in_lane % core::word_bits<W>;
  return (packed[at / 8] >> (at % 8) & 1) != 0;
}

class KernelsOfIsa : public testing::TestWithParam<cpu::Isa> {
 protected:
  template <class W>
  void check_packing() {
    const WordKernels<W>& kernel = kernels_of(GetParam()).of<W>();
    for (unsigned width = 0; width <= core::word_bits<W>; ++width) {
      for (const W base : {W{0}, static_cast<W>(~W{0} - 3)}) {
        const auto vector = random_vector<W>(width, base);
        std::vector<std::uint8_t> packed(std::size_t{128} * width);
        kernel.pack(vector.data(), base, width, packed.data());
        for (const std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{517}, std::size_t{1023}}) {
          for (unsigned b = 0; b < width; ++b) {
            ASSERT_EQ(packed_bit<W>(packed, width, i, b), (static_cast<W>(vector[i] - base) >> b & 1) != 0)
                << width << " " << i << " " << b;
          }
        }
        std::array<W, vector_words> unpacked{};
        kernel.unpack(packed.data(), base, width, unpacked.data());
        ASSERT_EQ(unpacked, vector) << width;
      }
    }
  }

  template <class W, class InOrder>
  void check_range_of_numbers(std::span<const W> words, const InOrder& in_order) {
    const W magnitude = static_cast<W>(~W{0}) >> 1, infinity = magnitude / 4 * 3;
    std::vector<W> numbers;
    std::copy_if(words.begin(), words.end(), std::back_inserter(numbers),
                 [&](W word) { return (word & magnitude) <= infinity; });
    ASSERT_LT(numbers.size(), words.size());
    const auto [lowest, highest] = std::minmax_element(numbers.begin(), numbers.end(), in_order);
    W min = 0, max = 0;
    kernels_of(GetParam())
        .of<W>()
        .range_of_numbers(words.data(), words.size(), infinity, numbers[0], min, max);
    EXPECT_EQ(min, *lowest);
    EXPECT_EQ(max, *highest);
  }

  template <class W>
  void check_counts() {
    const WordKernels<W>& kernel = kernels_of(GetParam()).of<W>();
    const auto vector = random_vector<W>(core::word_bits<W>, 0);
    const W flip = static_cast<W>(W{1} << (core::word_bits<W> - 1));
    W min = 0, max = 0;
    kernel.range(vector.data(), vector.size(), flip, min, max);
    using Signed = std::make_signed_t<W>;
    const auto [low, high] = std::minmax_element(vector.begin(), vector.end(), [](W a, W b) {
      return static_cast<Signed>(a) < static_cast<Signed>(b);
    });
    EXPECT_EQ(min, *low);
    EXPECT_EQ(max, *high);
    kernel.float_range(vector.data(), vector.size(), min, max);
    const auto in_order = [](W a, W b) {  // of two negative ones, the larger word is the smaller number
      const bool both_negative = static_cast<Signed>(a) < 0 && static_cast<Signed>(b) < 0;
      return both_negative ? a > b : static_cast<Signed>(a) < static_cast<Signed>(b);
    };
    const auto [lowest, highest] = std::minmax_element(vector.begin(), vector.end(), in_order);
    EXPECT_EQ(min, *lowest);
    EXPECT_EQ(max, *highest);
    check_range_of_numbers(std::span<const W>(vector), in_order);
    kernel.range(vector.data(), vector.size(), flip, min, max);
    for (const std::size_t count : {vector.size(), vector.size() - 1, std::size_t{1}}) {
      std::vector<std::uint8_t> lengths(count), expected;
      for (const W word : std::span(vector).first(count))
        expected.push_back(static_cast<std::uint8_t>(core::bit_length(static_cast<W>(word - min))));
      kernel.find_lengths(vector.data(), count, min, lengths.data());
      EXPECT_EQ(lengths, expected) << count;
      const auto length = expected[count / 2];
      EXPECT_EQ(kernels_of(GetParam()).count_bytes(lengths.data(), count, length),
                static_cast<std::size_t>(std::count(expected.begin(), expected.end(), length)));
    }
  }
};

TEST_P(KernelsOfIsa, PackAsTheFormatSays) {
  for_each_word([&]<class W>(W) { check_packing<W>(); });
}

TEST_P(KernelsOfIsa, FindRanges) {
  for_each_word([&]<class W>(W) { check_counts<W>(); });
}

template <class W>
void check_bit_sums(cpu::Isa isa) {
  const auto zigzag_bits = [](W difference) { return core::bit_length(core::zigzag(difference)); };
  for (const std::size_t count : {1, 2, 3, 8, 9, 100, 1000}) {
    for (const W max : {W{1}, static_cast<W>(100), static_cast<W>(~W{0})}) {
      std::vector<W> words(count);
      for (std::size_t i = 0; i < count; ++i)
        words[i] = static_cast<W>(core::splitmix(i) % max + core::splitmix(i) % 2);
      const W min = *std::min_element(words.begin(), words.end());
      BitSums expected{};
      for (std::size_t i = 0; i < count; ++i) {
        expected.offsets += core::bit_length(static_cast<W>(words[i] - min));
        if (i >= 2)
          expected.second_differences +=
              zigzag_bits(static_cast<W>(words[i] - words[i - 1] - (words[i - 1] - words[i - 2])));
        if (i < 5) continue;
        expected.differences += zigzag_bits(static_cast<W>(words[i] - words[i - 1]));
        expected.differences_by_two += zigzag_bits(static_cast<W>(words[i] - words[i - 2]));
      }
      const BitSums sums = kernels_of(isa).of<W>().sum_bit_lengths(words.data(), count, min, 5);
      EXPECT_EQ(sums.offsets, expected.offsets);
      EXPECT_EQ(sums.differences, expected.differences);
      EXPECT_EQ(sums.differences_by_two, expected.differences_by_two);
      EXPECT_EQ(sums.second_differences, expected.second_differences);
    }
  }
}

TEST_P(KernelsOfIsa, SumBitLengths) {
  for_each_word([&]<class W>(W) { check_bit_sums<W>(GetParam()); });
}

template <class W>
void check_sampling(cpu::Isa isa) {
  const WordKernels<W>& kernel = kernels_of(isa).of<W>();
  const WordKernels<W>& reference = kernels_of(cpu::Isa::generic).of<W>();
  for (const std::size_t count : {0, 1, 8, 9, 63, 100, 511}) {
    for (const W max : {W{1}, static_cast<W>(100), static_cast<W>(~W{0})}) {
      std::vector<W> words(count);
      for (std::size_t i = 0; i < count; ++i)
        words[i] = static_cast<W>(core::splitmix(i) % max + core::splitmix(i) % 2);
      for (const std::size_t stride : {1, 3, 8}) {
        std::uint32_t bits = 0;
        for (std::size_t i = 8; i < count; ++i)
          bits += core::bit_length(core::zigzag(static_cast<W>(words[i] - words[i - stride])));
        EXPECT_EQ(kernel.sum_difference_bits(words.data(), count, stride, 8), bits);
      }
      std::vector<std::uint16_t> slots(count), expected(count);
      kernel.hash_words(words.data(), count, slots.data());
      reference.hash_words(words.data(), count, expected.data());
      EXPECT_EQ(slots, expected);
      EXPECT_TRUE(
          std::all_of(slots.begin(), slots.end(), [](std::uint16_t slot) { return slot < hash_slots; }));
      for (const W divisor : {W{1}, W{2}, W{3}, W{5}, W{12}, W{96}, W{255}}) {
        const W base = static_cast<W>(count);
        const auto fitting = std::count_if(
            words.begin(), words.end(), [&](W word) { return static_cast<W>(word - base) % divisor == 0; });
        EXPECT_EQ(kernel.count_multiples(words.data(), count, base, divisor),
                  static_cast<std::size_t>(fitting))
            << +divisor;
      }
    }
  }
}

TEST_P(KernelsOfIsa, LookAtSamples) {
  for_each_word([&]<class W>(W) { check_sampling<W>(GetParam()); });
}

template <class W>
void check_merging(cpu::Isa isa) {
  constexpr std::size_t slack = merge_slack_bytes / sizeof(W);
  for (const std::size_t count : {0, 1, 7, 8, 63, 64, 65, 1000}) {
    for (const unsigned share : {0, 1, 50, 255, 256}) {  // of 256 words from the second
      std::vector<std::uint8_t> picks(count);
      std::vector<W> first(slack, 0), second(slack, 0), expected(count), merged(count);
      for (std::size_t i = 0; i < count; ++i) {
        picks[i] = static_cast<std::uint8_t>(core::splitmix(i) % 256 < share ? 1 + i % 255 : 0);
        expected[i] = static_cast<W>(core::splitmix(i + 5000));
        std::vector<W>& to = picks[i] != 0 ? second : first;
        to.insert(to.end() - slack, expected[i]);
      }
      kernels_of(isa).of<W>().merge(picks.data(), first.data(), second.data(), count, merged.data());
      ASSERT_EQ(merged, expected) << count << " " << share;
    }
  }
}

TEST_P(KernelsOfIsa, MergeByPicks) {
  for_each_word([&]<class W>(W) { check_merging<W>(GetParam()); });
}

/// Words of which about `share` of 256 are more than `limit` above `base`, which wraps around.
template <class W>
void check_dividing(cpu::Isa isa, std::size_t count, unsigned share, W limit) {
  const W base = static_cast<W>(~W{0} - 5);
  std::vector<W> words(count), firsts, seconds;
  std::vector<std::uint8_t> expected(count), marks(count, 7);
  for (std::size_t i = 0; i < count; ++i) {
    const W random = static_cast<W>(core::splitmix(i + 5000));
    const bool is_above = core::splitmix(i) % 256 < share && limit < static_cast<W>(~W{0});
    const W offset = is_above ? static_cast<W>(std::max<W>(random, static_cast<W>(limit + 1)))
                              : std::min<W>(random, limit);
    words[i] = static_cast<W>(base + offset);
    expected[i] = is_above ? 1 : 0;
    (is_above ? seconds : firsts).push_back(words[i]);
  }
  constexpr std::size_t slack = merge_slack_bytes / sizeof(W);
  std::vector<W> first(count + slack), second(count + slack);
  ASSERT_EQ(kernels_of(isa).of<W>().divide(words.data(), count, base, limit, marks.data(), first.data(),
                                           second.data()),
            seconds.size());
  first.resize(firsts.size());
  second.resize(seconds.size());
  EXPECT_EQ(marks, expected) << count << " " << share;
  EXPECT_EQ(first, firsts) << count << " " << share;
  EXPECT_EQ(second, seconds) << count << " " << share;
}

TEST_P(KernelsOfIsa, DivideByThresholds) {
  for_each_word([&]<class W>(W) {
    for (const std::size_t count : {0, 1, 4, 7, 8, 63, 64, 65, 1000}) {
      for (const unsigned share : {0, 1, 50, 255, 256}) {
        for (const W limit :
             {W{0}, W{3}, static_cast<W>(~W{0} >> 1), static_cast<W>(~W{0} - 1), static_cast<W>(~W{0})})
          check_dividing<W>(GetParam(), count, share, limit);
      }
    }
  });
}

TEST_P(KernelsOfIsa, MarkOtherWords) {
  for_each_word([&]<class W>(W) {
    for (const std::size_t count : {0, 1, 31, 63, 64, 65, 127, 128, 1000}) {
      const W word = static_cast<W>(core::splitmix(1));
      std::vector<W> words(count);
      std::vector<std::uint64_t> expected((count + 63) / 64), masks(expected.size(), 99);
      std::size_t others = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const bool is_other = core::splitmix(i) % 3 == 0;
        const W bit = static_cast<W>(W{1} << (core::splitmix(i + 9) % core::word_bits<W>));
        words[i] = static_cast<W>(word ^ (is_other ? bit : 0));
        expected[i / 64] |= std::uint64_t{is_other ? 1U : 0U} << (i % 64);
        others += is_other ? 1 : 0;
      }
      EXPECT_EQ(kernels_of(GetParam()).of<W>().mark_others(words.data(), count, word, masks.data()), others);
      EXPECT_EQ(masks, expected) << count;
    }
  });
}

TEST_P(KernelsOfIsa, SubtractWords) {
  for_each_word([&]<class W>(W) {
    for (const std::size_t count : {0, 1, 15, 64, 65, 1000}) {
      for (const std::size_t stride : {1, 3, 8, 100}) {
        for (const bool turns : {false, true}) {
          std::vector<W> words(count + stride), expected(count), differences(count);
          for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<W>(core::splitmix(i));
          const auto turned = [&](W word) {
            return turns && word >> (core::word_bits<W> - 1) != 0 ? static_cast<W>(word ^ (W(~W{0}) >> 1))
                                                                  : word;
          };
          for (std::size_t i = 0; i < count; ++i)
            expected[i] = static_cast<W>(turned(words[i + stride]) - turned(words[i]));
          const auto subtract = kernels_of(GetParam()).of<W>().subtract;
          subtract(words.data() + stride, words.data(), differences.data(), count, turns);
          EXPECT_EQ(differences, expected) << count << " " << stride;
          subtract(words.data() + stride, words.data(), words.data(), count, turns);
          words.resize(count);
          EXPECT_EQ(words, expected) << count << " " << stride << " in place";
        }
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Isas, KernelsOfIsa,
                         testing::ValuesIn(cpu::available_isas().begin(), cpu::available_isas().end()),
                         [](const auto& isa) { return std::string(cpu::name_of(isa.param)); });

}  // namespace
}  // namespace floe::trees
