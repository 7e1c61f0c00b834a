// Blocks of entropy as tests encode and decode them with the kernels of one instruction set.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/bits.hpp"
#include "core/splitmix.hpp"
#include "encodings/entropy/frequencies.hpp"
#include "encodings/entropy/section_choice.hpp"
#include "simd/entropy/kernels.hpp"

namespace floe::trees {

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

}  // namespace floe::trees
