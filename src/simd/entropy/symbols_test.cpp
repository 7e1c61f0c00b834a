// Symbols and extra bits of words, and sums of their counts: the same with the kernels of all instruction
// sets.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/splitmix.hpp"
#include "simd/entropy/kernels.hpp"
#include "tests/support/entropy_blocks.hpp"
#include "tests/support/every_word.hpp"

namespace floe::trees {
namespace {

class EntropySymbolsOfIsa : public testing::TestWithParam<cpu::Isa> {};

/// Whole vectors and rests, in all modes; offsets of all lengths.
TEST_P(EntropySymbolsOfIsa, FindTheSameClasses) {
  for (const std::size_t bytes : {1, 2, 4, 8}) {
    with_word(bytes, [&]<class W>(W) {
      for (unsigned mode = 0; mode < entropy_mode_count; ++mode) {
        for (unsigned mantissa_bits = 0; mantissa_bits <= max_mantissa_bits; ++mantissa_bits) {
          EntropyModel model{static_cast<EntropyMode>(mode), mantissa_bits, 0, core::splitmix(mantissa_bits)};
          if (model.mode == EntropyMode::rotated) model.base = 0;
          for (const std::size_t count : {1, 15, 16, 17, 500}) {
            const std::vector<W> words = words_of<W>(model, core::word_bits<W>, count, false);
            std::vector<std::uint16_t> expected(count), classes(count);
            const std::uint32_t last = entropy_kernels_of(cpu::Isa::generic)
                                           .of<W>()
                                           .find_classes(model, words.data(), count, expected.data());
            ASSERT_EQ(last, *std::max_element(expected.begin(), expected.end()));
            ASSERT_EQ(entropy_kernels_of(GetParam())
                          .of<W>()
                          .find_classes(model, words.data(), count, classes.data()),
                      last);
            ASSERT_EQ(classes, expected);
            for (std::size_t i = 0; i < count; ++i) {
              const W offset = offset_of(words[i], model.mode, static_cast<W>(model.base));
              ASSERT_EQ(expected[i], symbol_of(offset, mantissa_bits));
            }
          }
        }
      }
    });
  }
}

TEST_P(EntropySymbolsOfIsa, AddCountsAlike) {
  const AllEntropyKernels& kernels = entropy_kernels_of(GetParam());
  std::vector<std::uint16_t> counts(7001);
  for (std::size_t i = 0; i < counts.size(); ++i)
    counts[i] = static_cast<std::uint16_t>(core::splitmix(i) % 2048 >> i % 11);
  for (const std::size_t count : {0, 1, 2, 7, 100, 3301, 7001}) {
    ASSERT_EQ(kernels.add_all(counts.data(), count),
              std::accumulate(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(count), 0U));
    std::vector<std::uint16_t> sums(count / 2);
    kernels.add_pairs(counts.data(), sums.size(), sums.data());
    for (std::size_t i = 0; i < sums.size(); ++i) ASSERT_EQ(sums[i], counts[2 * i] + counts[2 * i + 1]);
  }
}

TEST_P(EntropySymbolsOfIsa, AddUpCostsAlike) {
  std::vector<SymbolCosts> costs(entropy_symbols);
  std::vector<std::uint8_t> symbols(entropy_run_words);
  std::uint64_t seed = 0;
  for (SymbolCosts& of_symbol : costs) {
    for (std::int16_t& cost : of_symbol.in_table)
      cost = static_cast<std::int16_t>(core::splitmix(seed++) % 256);
  }
  for (std::uint8_t& symbol : symbols) symbol = static_cast<std::uint8_t>(core::splitmix(seed++));
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{7}, symbols.size()}) {
    SymbolCosts expected{}, sums{};
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t t = 0; t < expected.in_table.size(); ++t)
        expected.in_table[t] =
            static_cast<std::int16_t>(expected.in_table[t] + costs[symbols[i]].in_table[t]);
    }
    entropy_kernels_of(GetParam()).add_costs(symbols.data(), count, costs.data(), sums);
    EXPECT_EQ(sums.in_table, expected.in_table) << count << " symbols";
  }
}

/// Words with many extra bits, now and then some with few, and blocks where most have few.
TEST_P(EntropySymbolsOfIsa, SplitLongAndShortWordsAlike) {
  for (const std::size_t bytes : {4, 8}) {
    with_word(bytes, [&]<class W>(W) {
      for (const unsigned every : {1, 3, 40, 10000}) {
        for (unsigned long_bits = 9; long_bits <= core::word_bits<W>; ++long_bits) {
          const unsigned mantissa_bits = long_bits % 4,
                         raw_bits = std::max(long_bits / 8, raw_bits_for(long_bits, mantissa_bits));
          const EntropyShape shape{{EntropyMode::folded, mantissa_bits, raw_bits, 77}};
          std::vector<W> words(5000 + long_bits);
          for (std::size_t i = 0; i < words.size(); ++i) {
            const auto turn = static_cast<unsigned>(i);
            const unsigned length = turn / 32 % every == every - 1 ? turn % 10 : long_bits - turn % 3;
            const W random = static_cast<W>(core::splitmix(i) & core::low_mask<std::uint64_t>(length));
            words[i] = word_of(random, shape.model.mode, W{77});
          }
          ASSERT_EQ(split_by(GetParam(), words, shape), split_by(cpu::Isa::generic, words, shape))
              << every << ' ' << long_bits;
        }
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, EntropySymbolsOfIsa,
                         testing::ValuesIn(cpu::available_isas().begin(), cpu::available_isas().end()),
                         [](const auto& isa) { return std::string(cpu::name_of(isa.param)); });

}  // namespace
}  // namespace floe::trees
