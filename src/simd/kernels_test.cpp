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
#include "core/type.hpp"

namespace floe::trees {
namespace {

/// Calls `check` with a word of every width.
template <class Check>
void for_each_word(const Check& check) {
  for (const std::size_t bytes : {1, 2, 4, 8}) with_word(bytes, check);
}

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
    W least = 0, most = 0;
    kernels_of(GetParam())
        .of<W>()
        .range_of_numbers(words.data(), words.size(), infinity, numbers[0], least, most);
    EXPECT_EQ(least, *lowest);
    EXPECT_EQ(most, *highest);
  }

  template <class W>
  void check_counts() {
    const WordKernels<W>& kernel = kernels_of(GetParam()).of<W>();
    const auto vector = random_vector<W>(core::word_bits<W>, 0);
    const W flip = static_cast<W>(W{1} << (core::word_bits<W> - 1));
    W least = 0, most = 0;
    kernel.range(vector.data(), vector.size(), flip, least, most);
    using Signed = std::make_signed_t<W>;
    const auto [low, high] = std::minmax_element(vector.begin(), vector.end(), [](W a, W b) {
      return static_cast<Signed>(a) < static_cast<Signed>(b);
    });
    EXPECT_EQ(least, *low);
    EXPECT_EQ(most, *high);
    kernel.float_range(vector.data(), vector.size(), least, most);
    const auto in_order = [](W a, W b) {  // of two negative ones, the larger word is the smaller number
      const bool both_negative = static_cast<Signed>(a) < 0 && static_cast<Signed>(b) < 0;
      return both_negative ? a > b : static_cast<Signed>(a) < static_cast<Signed>(b);
    };
    const auto [lowest, highest] = std::minmax_element(vector.begin(), vector.end(), in_order);
    EXPECT_EQ(least, *lowest);
    EXPECT_EQ(most, *highest);
    check_range_of_numbers(std::span<const W>(vector), in_order);
    kernel.range(vector.data(), vector.size(), flip, least, most);
    for (const std::size_t count : {vector.size(), vector.size() - 1, std::size_t{1}}) {
      std::array<std::uint16_t, core::word_bits<W> + 1> lengths, expected{};
      for (const W word : std::span(vector).first(count))
        ++expected[core::bit_length(static_cast<W>(word - least))];
      kernel.count_lengths(vector.data(), count, least, lengths.data());
      EXPECT_EQ(lengths, expected) << count;
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
    for (const W most : {W{1}, static_cast<W>(100), static_cast<W>(~W{0})}) {
      std::vector<W> words(count);
      for (std::size_t i = 0; i < count; ++i)
        words[i] = static_cast<W>(core::splitmix(i) % most + core::splitmix(i) % 2);
      const W least = *std::min_element(words.begin(), words.end());
      BitSums expected{};
      for (std::size_t i = 0; i < count; ++i) {
        expected.offsets += core::bit_length(static_cast<W>(words[i] - least));
        if (i >= 2)
          expected.second_differences +=
              zigzag_bits(static_cast<W>(words[i] - words[i - 1] - (words[i - 1] - words[i - 2])));
        if (i < 5) continue;
        expected.differences += zigzag_bits(static_cast<W>(words[i] - words[i - 1]));
        expected.differences_by_two += zigzag_bits(static_cast<W>(words[i] - words[i - 2]));
      }
      const BitSums sums = kernels_of(isa).of<W>().sum_bit_lengths(words.data(), count, least, 5);
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
    for (const W most : {W{1}, static_cast<W>(100), static_cast<W>(~W{0})}) {
      std::vector<W> words(count);
      for (std::size_t i = 0; i < count; ++i)
        words[i] = static_cast<W>(core::splitmix(i) % most + core::splitmix(i) % 2);
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

TEST_P(KernelsOfIsa, AddUpWhatIsAStrideApart) {
  for_each_word([&]<class W>(W) { check_sums<W>(GetParam()); });
}

template <class W>
void check_addition(cpu::Isa isa) {
  for (const std::size_t count : {0, 1, 7, 64, 65, 1000}) {
    const std::vector<W> others = random_words<W>(count, 5);
    std::vector<W> words = random_words<W>(count + 1, 6), expected = words;
    for (std::size_t i = 0; i < count; ++i) expected[i] = static_cast<W>(expected[i] + others[i]);
    kernels_of(isa).decoding<W>().add(words.data(), others.data(), count);
    EXPECT_EQ(words, expected) << count;
  }
}

TEST_P(KernelsOfIsa, AddsWordsOfTwoRows) {
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

TEST_P(KernelsOfIsa, MapWords) {
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

TEST_P(KernelsOfIsa, RepeatWords) {
  for_each_word([&]<class W>(W) { check_runs<W>(GetParam()); });
}

template <class W>
void check_interleaving(cpu::Isa isa) {
  for (std::size_t parts = 2; parts <= 8; ++parts) {
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

TEST_P(KernelsOfIsa, Interleave) {
  for_each_word([&]<class W>(W) { check_interleaving<W>(GetParam()); });
}

template <class F, class I>
void check_decimals(cpu::Isa isa) {
  std::vector<I> integers = {0, 1, -1, std::numeric_limits<std::int32_t>::max(),
                             std::numeric_limits<std::int32_t>::min()};
  for (const std::int64_t odd : {16777217, 16777219, 33554431}) {  // halfway between two floats
    for (const std::int64_t factor : {1, 5, 25, 125}) {
      for (std::int64_t tie = odd * factor; tie < std::int64_t{1} << 31; tie *= 2)
        integers.insert(integers.end(), {static_cast<I>(tie), static_cast<I>(-tie), static_cast<I>(tie + 1)});
    }
  }
  for (std::uint64_t i = 0; i < 1000; ++i)
    integers.push_back(static_cast<I>(static_cast<std::int32_t>(core::splitmix(i) >> (i % 64))));
  std::vector<F> values(integers.size());
  for (std::uint32_t digits = 0; digits <= core::max_decimal_digits; ++digits) {
    const double power = core::power_of_ten(digits);
    ASSERT_TRUE(
        (kernels_of(isa).decimals<F, I>().to_values(integers.data(), integers.size(), power, values.data())));
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(values[i], static_cast<F>(static_cast<double>(integers[i]) / power))
          << integers[i] << " " << digits;
  }
}

TEST_P(KernelsOfIsa, DivideByPowersOfTen) {
  check_decimals<float, std::int32_t>(GetParam());
  check_decimals<double, std::int32_t>(GetParam());
  check_decimals<double, std::int64_t>(GetParam());
  const std::vector<std::int64_t> wide = {std::int64_t{1} << 51};
  double value = 0;
  EXPECT_FALSE(
      (kernels_of(GetParam()).decimals<double, std::int64_t>().to_values(wide.data(), 1, 10, &value)));
}

/// Every instruction set rounds each operation, as the definition does, and finds what came from a line.
template <class F>
void check_lines(cpu::Isa isa) {
  using W = std::conditional_t<sizeof(F) == 8, std::uint64_t, std::uint32_t>;
  constexpr std::size_t count = 1003;
  std::vector<std::int32_t> integers(count), found(count);
  std::vector<std::int8_t> errors(count), found_errors(count);
  std::vector<std::uint8_t> failed(count);
  std::vector<double> steps(count), offsets(count);
  std::vector<F> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    integers[i] = static_cast<std::int32_t>(core::splitmix(i) >> 50) - 8192;
    errors[i] = static_cast<std::int8_t>(static_cast<int>(core::splitmix(i) % 255) - 127);
    steps[i] = i % 2 == 0 ? 0.1 : 1.0 / 3;
    offsets[i] = i % 3 == 0 ? 0 : 1234.5678;
  }
  const AffineKernels<F>& kernel = kernels_of(isa).affine<F>();
  const int forms = sizeof(F) == 8 ? 3 : 6;
  for (int i = 1; i <= forms; ++i) {
    const auto form = static_cast<AffineForm>(i);
    kernel.to_values(form, integers.data(), errors.data(), count, steps.data(), offsets.data(),
                     values.data());
    for (std::size_t at = 0; at < count; ++at) {
      const F on_line = float_on<F>(form, steps[at], offsets[at], integers[at]);
      const auto in_order = [](F value) {
        const W bits = std::bit_cast<W>(value), top = W{1} << (8 * sizeof(W) - 1);
        return (bits & top) != 0 ? static_cast<W>(~bits) : static_cast<W>(bits | top);
      };
      ASSERT_EQ(in_order(values[at]), static_cast<W>(in_order(on_line) + static_cast<W>(errors[at])))
          << i << " " << at;
    }
    EXPECT_EQ(kernel.to_integers(form, values.data(), count, steps.data(), offsets.data(), found.data(),
                                 found_errors.data(), failed.data()),
              0U);
    EXPECT_EQ(found, integers);
    EXPECT_EQ(found_errors, errors);
  }
  values[5] = std::numeric_limits<F>::quiet_NaN();
  values[6] = std::numeric_limits<F>::infinity();
  values[7] = static_cast<F>(1e30);
  EXPECT_GE(kernel.to_integers(AffineForm::sum, values.data(), 8, steps.data(), offsets.data(), found.data(),
                               found_errors.data(), failed.data()),
            3U);
  EXPECT_EQ(failed[5] + failed[6] + failed[7], 3);
}

TEST_P(KernelsOfIsa, Lines) {
  check_lines<float>(GetParam());
  check_lines<double>(GetParam());
}

/// Mantissas of `mantissa_bits` bits behind the leading one; exponents up to `most`, the one of the grid, and
/// some beyond what it can say.
template <class W>
void check_grid(cpu::Isa isa, unsigned mantissa_bits, unsigned most) {
  constexpr std::size_t count = 1001;
  constexpr W top = W{1} << (8 * sizeof(W) - 1);
  std::vector<W> words(count), multiples(count), low(count);
  std::vector<std::uint8_t> widths(count), failed(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto own = static_cast<W>(most + 1 - core::splitmix(i) % (mantissa_bits + 3));
    words[i] = i % 50 == 0 ? W{0}
                           : static_cast<W>((own << mantissa_bits) |
                                            (core::splitmix(i + count) & ((W{1} << mantissa_bits) - 1)) |
                                            (i % 3 == 0 ? top : W{0}));
  }
  words[7] = top;  // -0.0
  const GridKernels<W>& kernel = kernels_of(isa).grid<W>();
  std::size_t failures = 0;
  EXPECT_EQ(kernel.to_multiples(words.data(), count, most, multiples.data(), low.data(), widths.data(),
                                failed.data()),
            [&] {
              for (const W word : words) {
                const W own = (word & ~top) >> mantissa_bits;
                failures += word != 0 && (own > most || own + mantissa_bits < most || own == 0) ? 1 : 0;
              }
              return failures;
            }());
  EXPECT_EQ(failed[7], 1);
  std::vector<std::uint8_t> bits(count * sizeof(W) + 8), found(count);
  std::size_t end = 3, sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (failed[i] != 0) words[i] = multiples[i] = low[i] = widths[i] = 0;
    for (unsigned bit = 0; bit < widths[i]; ++bit, ++end)
      bits[end / 8] |= static_cast<std::uint8_t>((low[i] >> bit & 1) << (end % 8));
    sum += widths[i];
  }
  EXPECT_EQ(kernel.to_floats(multiples.data(), count, most, found.data()), sum);
  EXPECT_EQ(found, widths);
  EXPECT_EQ(kernel.put_low(multiples.data(), count, widths.data(), bits.data(), 3), end);
  EXPECT_EQ(multiples, words);
  multiples[5] = W{1} << (mantissa_bits + 1);
  EXPECT_EQ(kernel.to_floats(multiples.data(), count, most, found.data()), ~std::size_t{0});
}

TEST_P(KernelsOfIsa, Grids) {
  check_grid<std::uint32_t>(GetParam(), 23, 130);
  check_grid<std::uint64_t>(GetParam(), 52, 1030);
}

INSTANTIATE_TEST_SUITE_P(Isas, KernelsOfIsa,
                         testing::ValuesIn(cpu::available_isas().begin(), cpu::available_isas().end()),
                         [](const auto& isa) { return std::string(cpu::name_of(isa.param)); });

}  // namespace
}  // namespace floe::trees
