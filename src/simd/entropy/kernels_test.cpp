#include "simd/entropy/kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "core/splitmix.hpp"
#include "core/type.hpp"
#include "encodings/entropy/frequencies.hpp"
#include "encodings/entropy/section_choice.hpp"

namespace floe::trees {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// Words of all lengths up to one; with `is_skewed` most of them are among a few.
template <core::Word W>
std::vector<W> words_of(const EntropyModel& model, unsigned offset_bits, std::size_t count, bool is_skewed) {
  std::vector<W> words(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t random = core::splitmix(i + 1000 * offset_bits);
    const unsigned length =
        is_skewed && i % 16 != 0 ? offset_bits / 2 : static_cast<unsigned>(i % (offset_bits + 1));
    const W offset = static_cast<W>(core::splitmix(random) & core::low_mask<std::uint64_t>(length));
    words[i] = word_of(offset, model.mode, static_cast<W>(model.base));
  }
  return words;
}

/// A block as one set of kernels encodes it.
struct Coded {
  Bytes symbols, extra, numbers;
  std::uint64_t extra_bits = 0;
  std::vector<std::uint32_t> states;
  bool operator==(const Coded&) const = default;
};

struct Code {
  SymbolCounts frequencies{};
  std::array<EncoderEntry, entropy_symbols> entries{};
  std::vector<std::uint32_t> table;
  std::uint8_t last_symbol = 0;

  Code(const Bytes& symbols, std::size_t count, unsigned frequency_bits) {
    SymbolCounts counts{};
    for (std::size_t i = 0; i < count; ++i) ++counts[symbols[i]];
    normalise(counts.data(), static_cast<std::uint32_t>(count), frequency_bits, frequencies.data());
    std::uint32_t first = 0;
    for (unsigned s = 0; s < entropy_symbols; ++s) {
      entries[s] = encoder_entry(frequencies[s], first);
      for (std::uint32_t i = 0; i < frequencies[s]; ++i) table.push_back(decoder_entry(frequencies[s], i, s));
      if (frequencies[s] > 0) last_symbol = static_cast<std::uint8_t>(s);
      first += frequencies[s];
    }
  }
};

template <core::Word W>
std::size_t filled_up(std::size_t count, const EntropyShape& shape) {
  return static_cast<std::size_t>(core::align_up(count, std::uint64_t{shape.lanes} * entropy_steps<W>));
}

template <core::Word W>
Coded split_by(cpu::Isa isa, const std::vector<W>& words, const EntropyShape& shape) {
  Coded coded;
  coded.symbols.resize(filled_up<W>(words.size(), shape));
  coded.extra.resize(words.size() * sizeof(W) + entropy_slack_bytes);
  coded.extra_bits = entropy_kernels_of(isa).of<W>().split(shape.model, words.data(), words.size(),
                                                           coded.symbols.data(), coded.extra.data());
  coded.extra.resize(static_cast<std::size_t>(core::divide_up(coded.extra_bits, 8)));
  return coded;
}

template <core::Word W>
void encode_by(cpu::Isa isa, const EntropyShape& shape, const Code& code, Coded& coded) {
  constexpr std::size_t front = 64;
  coded.states.assign(shape.lanes, min_entropy_state);
  Bytes numbers(front + 2 * coded.symbols.size());
  const std::uint8_t* const begin = entropy_kernels_of(isa).of<W>().encode(
      shape, code.entries.data(), coded.states.data(), coded.symbols.data(), nullptr, coded.symbols.size(),
      numbers.data() + numbers.size());
  coded.numbers.assign(begin, static_cast<const std::uint8_t*>(numbers.data() + numbers.size()));
}

/// A block that is decoded.
struct OpenBlock {
  alignas(64) std::array<std::uint32_t, max_entropy_lanes> states{};
  Bytes extra, numbers;
  EntropyDecoder decoder;

  OpenBlock(const EntropyShape& shape, const Code& code, const Coded& coded)
      : extra(coded.extra), numbers(coded.numbers) {
    std::copy(coded.states.begin(), coded.states.end(), states.begin());
    extra.resize(extra.size() + entropy_slack_bytes);
    numbers.resize(numbers.size() + entropy_slack_bytes);
    decoder = {.shape = shape,
               .max_extra_bits =
                   dropped_bits_of_symbol(code.last_symbol, shape.model.mantissa_bits) + shape.model.raw_bits,
               .table = code.table.data(),
               .states = states.data(),
               .words = numbers.data(),
               .words_end = numbers.data() + coded.numbers.size(),
               .extra = extra.data(),
               .extra_bit = 0,
               .extra_end = 8 * coded.extra.size()};
  }
  OpenBlock(const OpenBlock&) = delete;
  [[nodiscard]] bool ends_well(const Coded& coded) const {
    return decoder.words == decoder.words_end && decoder.extra_bit == coded.extra_bits &&
           std::all_of(states.begin(), states.begin() + decoder.shape.lanes,
                       [](std::uint32_t state) { return state == min_entropy_state; });
  }
};

/// Decodes a block in pieces of some groups.
template <core::Word W>
bool decode_by(cpu::Isa isa, const EntropyShape& shape, const Code& code, const Coded& coded,
               std::size_t piece_groups, std::vector<W>& words) {
  OpenBlock block(shape, code, coded);
  const std::size_t piece = piece_groups * shape.lanes * entropy_steps<W>;
  for (std::size_t i = 0; i < words.size(); i += piece) {
    const std::size_t count = std::min(piece, words.size() - i);
    if (!entropy_kernels_of(isa).of<W>().decode(block.decoder, words.data() + i, count)) return false;
  }
  return block.ends_well(coded);
}
/// The same of two blocks at the same time, of whole groups.
template <core::Word W>
bool decode_two_by(cpu::Isa isa, const EntropyShape& shape, const Code& code, const Coded& first,
                   const Coded& second, std::size_t piece_groups, std::vector<W>& of_first,
                   std::vector<W>& of_second) {
  OpenBlock blocks[] = {{shape, code, first}, {shape, code, second}};
  const std::size_t piece = piece_groups * shape.lanes * entropy_steps<W>;
  for (std::size_t i = 0; i < of_first.size(); i += piece) {
    const std::size_t count = std::min(piece, of_first.size() - i);
    if (!entropy_kernels_of(isa).of<W>().decode_two({&blocks[0].decoder, &blocks[1].decoder},
                                                    {of_first.data() + i, of_second.data() + i}, count))
      return false;
  }
  return blocks[0].ends_well(first) && blocks[1].ends_well(second);
}

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
            if (raw_bits >= core::word_bits<W>) continue;
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

/// Runs of which each has one of three codes, by what is in it.
struct SeveralCodes {
  std::vector<EncoderEntry> entries;
  std::vector<std::uint32_t> table;
  Bytes choices;

  SeveralCodes(Bytes& symbols, std::size_t count, unsigned frequency_bits) {
    Bytes of_tables[3];
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      if (i % entropy_run_words == 0) choices.push_back(static_cast<std::uint8_t>(i / 64 * 7 % 3));
      if (i >= count) symbols[i] = 0;
      Bytes& of_table = of_tables[choices.back()];
      of_table.push_back(symbols[i]);
    }
    for (Bytes& of_table : of_tables) {
      of_table.push_back(0);
      const Code code(of_table, of_table.size(), frequency_bits);
      entries.insert(entries.end(), code.entries.begin(), code.entries.end());
      table.insert(table.end(), code.table.begin(), code.table.end());
    }
  }
};

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

/// Whole vectors and rests, in all modes; offsets of all lengths.
TEST_P(EntropyKernelsOfIsa, FindTheSameClasses) {
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

TEST_P(EntropyKernelsOfIsa, AddCountsAlike) {
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

/// Words with many extra bits, now and then some with few, and blocks where most have few.
TEST_P(EntropyKernelsOfIsa, SplitLongAndShortWordsAlike) {
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
