#include "simd/entropy/kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/splitmix.hpp"
#include "tests/support/entropy_blocks.hpp"
#include "tests/support/every_word.hpp"
#include "tests/support/sanitized.hpp"

namespace floe::trees {
namespace {

class EntropyKernelsOfIsa : public testing::TestWithParam<cpu::Isa> {
 protected:
  template <core::Word W>
  void check(const EntropyShape& shape, unsigned offset_bits, std::size_t count, bool is_skewed) {
    const std::vector<W> words = words_of<W>(shape.model, offset_bits, count, is_skewed);
    Coded expected = split_by(cpu::Isa::generic, words, shape), coded = split_by(GetParam(), words, shape);
    ASSERT_EQ(coded, expected);
    const Code code(expected.symbols, count, shape.frequency_bits);
    std::fill(expected.symbols.begin() + static_cast<std::ptrdiff_t>(count), expected.symbols.end(),
              code.last_symbol);
    coded.symbols = expected.symbols;
    encode_by<W>(cpu::Isa::generic, shape, code, expected);
    encode_by<W>(GetParam(), shape, code, coded);
    ASSERT_EQ(coded, expected);
    for (const std::size_t piece_groups : {std::size_t{1}, std::size_t{3}, count}) {
      std::vector<W> decoded(count);
      ASSERT_TRUE(decode_by(GetParam(), shape, code, coded, piece_groups, decoded)) << piece_groups;
      ASSERT_EQ(decoded, words) << piece_groups;
    }
    check_two(shape, code, words, coded);
    // A number fewer, and a byte of extra bits fewer, are too few.
    std::vector<W> decoded(count);
    Coded damaged = coded;
    if (!coded.numbers.empty()) {
      damaged.numbers.resize(coded.numbers.size() - 2);
      EXPECT_FALSE(decode_by(GetParam(), shape, code, damaged, 1, decoded));
    }
    if (coded.extra_bits > 0) {
      damaged = coded;
      damaged.extra.pop_back();
      EXPECT_FALSE(decode_by(GetParam(), shape, code, damaged, 1, decoded));
    }
  }

  /// A block, and one of its words from behind, at the same time.
  template <core::Word W>
  void check_two(const EntropyShape& shape, const Code& code, const std::vector<W>& words,
                 const Coded& coded) {
    if (entropy_kernels_of(GetParam()).of<W>().decode_two == nullptr || shape.lanes != max_entropy_lanes ||
        words.size() % (shape.lanes * entropy_steps<W>) != 0)
      return;
    const std::vector<W> reversed(words.rbegin(), words.rend());
    Coded other = split_by(cpu::Isa::generic, reversed, shape);
    encode_by<W>(cpu::Isa::generic, shape, code, other);
    for (const std::size_t piece_groups : {std::size_t{3}, words.size()}) {
      std::vector<W> first(words.size()), second(words.size());
      ASSERT_TRUE(decode_two_by(GetParam(), shape, code, coded, other, piece_groups, first, second));
      ASSERT_EQ(first, words);
      ASSERT_EQ(second, reversed);
    }
    std::vector<W> first(words.size()), second(words.size());
    if (other.numbers.empty()) return;
    other.numbers.resize(other.numbers.size() - 2);
    EXPECT_FALSE(decode_two_by(GetParam(), shape, code, coded, other, 1, first, second));
  }

  template <core::Word W>
  void check_modes(unsigned lanes, unsigned frequency_bits, std::size_t count) {
    for (const EntropyMode mode : {EntropyMode::upwards, EntropyMode::folded, EntropyMode::rotated}) {
      const std::uint64_t base = mode == EntropyMode::rotated ? 0 : static_cast<W>(~W{0} - 9);
      for (unsigned mantissa_bits = 0; mantissa_bits <= max_mantissa_bits; ++mantissa_bits) {
        for (const unsigned offset_bits : {1U, 7U, core::word_bits<W> / 2, core::word_bits<W>}) {
          const unsigned min_raw_bits = raw_bits_for(offset_bits, mantissa_bits);
          for (const unsigned raw_bits : {min_raw_bits, min_raw_bits + 3, core::word_bits<W> - 1}) {
            if (raw_bits >= core::word_bits<W> || (test::sanitized && number_++ % 5 != 0)) continue;
            SCOPED_TRACE(testing::Message()
                         << "words of " << sizeof(W) << " bytes, mode " << static_cast<int>(mode)
                         << ", mantissa bits " << mantissa_bits << ", raw bits " << raw_bits
                         << ", offset bits " << offset_bits << ", lanes " << lanes << ", frequency bits "
                         << frequency_bits << ", words " << count);
            check<W>({{mode, mantissa_bits, raw_bits, base}, lanes, frequency_bits}, offset_bits, count,
                     raw_bits % 2 == 0);
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }

  std::size_t number_ = 0;  ///< Of a shape: sanitizers see one of five.
};

TEST_P(EntropyKernelsOfIsa, CodeAsTheGenericOnesDo) {
  for (const std::size_t bytes : {1, 2, 4, 8}) {
    with_word(bytes, [&]<class W>(W) {
      for (const unsigned frequency_bits : {short_frequency_bits, long_frequency_bits}) {
        for (const std::size_t count : {1, 255, 700, 2048}) check_modes<W>(32, frequency_bits, count);
        for (const unsigned lanes : {1U, 2U, 16U}) check_modes<W>(lanes, frequency_bits, 300);
      }
    });
    if (HasFatalFailure()) return;
  }
}

TEST_P(EntropyKernelsOfIsa, CodeSymbolsOfAnyFrequency) {
  const std::vector<std::vector<std::uint32_t>> counts = {
      {1},       {4000, 1}, {1, 4000},   {2000, 1000, 500, 300, 1}, std::vector<std::uint32_t>(256, 16),
      {3, 3, 2}, {1, 1, 1}, {1, 0, 5000}};
  for (const std::vector<std::uint32_t>& of_symbols : counts) {
    std::vector<std::uint8_t> words;
    for (std::size_t s = 0; s < of_symbols.size(); ++s)
      words.insert(words.end(), of_symbols[s], static_cast<std::uint8_t>(s));
    for (std::size_t i = words.size(); i > 1; --i) std::swap(words[i - 1], words[core::splitmix(i) % i]);
    for (const unsigned frequency_bits : {short_frequency_bits, long_frequency_bits}) {
      const EntropyShape shape{{EntropyMode::upwards, max_mantissa_bits, 0, 0}, 32, frequency_bits};
      Coded expected = split_by(cpu::Isa::generic, words, shape);
      const Code code(expected.symbols, words.size(), frequency_bits);
      Coded coded = expected;
      encode_by<std::uint8_t>(cpu::Isa::generic, shape, code, expected);
      encode_by<std::uint8_t>(GetParam(), shape, code, coded);
      ASSERT_EQ(coded, expected);
      std::vector<std::uint8_t> decoded(words.size());
      ASSERT_TRUE(decode_by(GetParam(), shape, code, coded, 2, decoded));
      ASSERT_EQ(decoded, words);
    }
  }
}

TEST_P(EntropyKernelsOfIsa, RunsChooseAmongTables) {
  for (const std::size_t bytes : {1, 2, 4, 8}) {
    with_word(bytes, [&]<class W>(W) {
      for (const unsigned frequency_bits : {short_frequency_bits, long_frequency_bits}) {
        for (const std::size_t count : {2048, 700, 4096 + 65}) {
          const EntropyShape shape{{EntropyMode::folded, 2, 0, 0}, max_entropy_lanes, frequency_bits};
          const std::vector<W> words = words_of<W>(shape.model, 7, count, true);
          Coded expected = split_by(cpu::Isa::generic, words, shape);
          const SeveralCodes codes(expected.symbols, count, frequency_bits);
          const auto encode = [&](cpu::Isa isa) {
            Coded coded = expected;
            coded.states.assign(shape.lanes, min_entropy_state);
            Bytes numbers(64 + 2 * coded.symbols.size());
            std::uint8_t* const end = numbers.data() + numbers.size();
            const std::uint8_t* const begin = entropy_kernels_of(isa).of<W>().encode(
                shape, codes.entries.data(), coded.states.data(), coded.symbols.data(), codes.choices.data(),
                coded.symbols.size(), end);
            coded.numbers.assign(begin, static_cast<const std::uint8_t*>(end));
            return coded;
          };
          const Coded coded = encode(GetParam());
          ASSERT_EQ(coded, encode(cpu::Isa::generic));
          Code code(expected.symbols, count, frequency_bits);
          code.table = codes.table;
          const EntropyKernels<W>& kernels = entropy_kernels_of(GetParam()).of<W>();
          const std::size_t group = std::size_t{max_entropy_lanes} * entropy_steps<W>;
          for (const std::size_t piece : {group, 3 * group, 8192 * group}) {
            OpenBlock block(shape, code, coded);
            block.decoder.choices = codes.choices.data();
            std::vector<W> decoded(count);
            for (std::size_t i = 0; i < count; i += piece)
              ASSERT_TRUE(kernels.decode(block.decoder, decoded.data() + i, std::min(piece, count - i)));
            ASSERT_EQ(decoded, words);
            EXPECT_TRUE(block.ends_well(coded));
          }
          if (kernels.decode_two == nullptr || count % group != 0) continue;
          OpenBlock blocks[] = {{shape, code, coded}, {shape, code, coded}};
          for (OpenBlock& block : blocks) block.decoder.choices = codes.choices.data();
          std::vector<W> first(count), second(count);
          ASSERT_TRUE(kernels.decode_two({&blocks[0].decoder, &blocks[1].decoder},
                                         {first.data(), second.data()}, count));
          ASSERT_EQ(first, words);
          ASSERT_EQ(second, words);
        }
      }
    });
    if (HasFatalFailure()) return;
  }
}

/// Arbitrary bytes: whatever comes out, it is the same with all kernels, and nothing is read or written
/// elsewhere.
TEST_P(EntropyKernelsOfIsa, DecodeArbitraryBytesAlike) {
  for (const std::size_t bytes : {1, 2, 4, 8}) {
    with_word(bytes, [&]<class W>(W) {
      for (unsigned seed = 0; seed < 60; ++seed) {
        const auto random = [&](unsigned i) { return core::splitmix(1000 * seed + i); };
        EntropyShape shape{{static_cast<EntropyMode>(random(0) % entropy_mode_count),
                            static_cast<unsigned>(random(1) % (max_mantissa_bits + 1)), 0, random(2)},
                           32,
                           seed % 2 == 0 ? short_frequency_bits : long_frequency_bits};
        if (shape.model.mode == EntropyMode::rotated) shape.model.base = 0;
        const std::size_t count = 64 + random(3) % 2000;
        Coded coded;
        coded.symbols.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
          std::uint8_t& symbol = coded.symbols[i];
          symbol = static_cast<std::uint8_t>(core::splitmix(random(4) + i) >> (i % 3));
          while (!is_symbol_of_words(symbol, shape.model.mantissa_bits, 0, core::word_bits<W>)) symbol /= 2;
        }
        const Code code(coded.symbols, count, shape.frequency_bits);
        for (unsigned i = 0; i < random(5) % 3000; ++i)
          coded.numbers.push_back(static_cast<std::uint8_t>(random(100 + i)));
        coded.numbers.resize(coded.numbers.size() / 2 * 2);
        for (unsigned i = 0; i < random(6) % 3000; ++i)
          coded.extra.push_back(static_cast<std::uint8_t>(random(4000 + i)));
        for (unsigned lane = 0; lane < shape.lanes; ++lane)
          coded.states.push_back(static_cast<std::uint32_t>(random(8000 + lane)));
        std::vector<W> expected(count), decoded(count);
        const bool is_expected = decode_by(cpu::Isa::generic, shape, code, coded, count, expected);
        ASSERT_EQ(decode_by(GetParam(), shape, code, coded, 3, decoded), is_expected) << seed;
        if (is_expected) {
          ASSERT_EQ(decoded, expected) << seed;
        }
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, EntropyKernelsOfIsa,
                         testing::ValuesIn(cpu::available_isas().begin(), cpu::available_isas().end()),
                         [](const auto& isa) { return std::string(cpu::name_of(isa.param)); });

}  // namespace
}  // namespace floe::trees
