// OffsetPackShape: 32 sub-chunks per chunk of narrow words, as differences or offsets, each with one bit
// width.
#pragma once

#include <algorithm>

#include "chunks/cpu/pack.hpp"

namespace floe::cpu {

/// How a sub-chunk is written.
template <core::Word W>
struct OffsetPackChoice {
  unsigned width = 0;
  bool fold = false, offsets = false;
  W base = 0;
};

/// The mapping with the fewest bits; of equal ones differences, then folded ones. `previous` is the word
/// before.
template <class Stage, core::Word W>
OffsetPackChoice<W> choose_mapping(const std::uint8_t* words, std::size_t count, W previous) {
  W all = 0, all_folded = 0, largest = 0, below_smallest = static_cast<W>(~W{0});
  for (std::size_t i = 0; i < count; ++i) {
    const W word = core::load<W>(words + i * sizeof(W)), residual = Stage::residual(word, previous),
            ordered = Stage::ordered(word);
    previous = word;
    all = static_cast<W>(all | residual);
    all_folded = static_cast<W>(all_folded | Stage::fold(residual));
    largest = std::max(largest, ordered);
    below_smallest = std::min(below_smallest, static_cast<W>(ordered - 1));
  }
  OffsetPackChoice<W> choice{core::bit_length(all)};
  if (core::bit_length(all_folded) < choice.width) choice = {core::bit_length(all_folded), true};
  if (core::bit_length(all) <= Stage::template enough_bits<W>) return choice;
  const W base = largest == 0 ? W{0} : below_smallest;
  const unsigned offset_width = std::max(1u, core::bit_length(static_cast<W>(largest - base)));
  const bool fewer_bits = count * offset_width + core::word_bits<W> < count * choice.width;
  return fewer_bits ? OffsetPackChoice<W>{offset_width, false, true, base} : choice;
}

/// The fields before the packed words, and the offsets' bases behind them.
template <core::Word W>
struct OffsetPackHeader : PackHeader {
  std::uint32_t offsets = 0;  ///< Bit s: sub-chunk s holds offsets.

  /// Bytes of everything for a chunk of `words` words, without a tail.
  [[nodiscard]] std::size_t total_bytes(std::size_t words) const {
    return (this->template total_bits<W>(words) + 7) / 8 +
           sizeof(W) * static_cast<unsigned>(std::popcount(offsets));
  }
};

template <class Stage, core::Word W>
std::size_t encode(stages::OffsetPackShape, const std::uint8_t* __restrict in, std::size_t in_bytes,
                   std::uint8_t* __restrict out, const core::ChunkContext&) {
  if (in_bytes > core::chunk_bytes) return no_result;
  const std::size_t words = in_bytes / sizeof(W), tail_bytes = in_bytes % sizeof(W);
  const auto word_before = [&](std::size_t i) {
    return i == 0 ? W{0} : core::load<W>(in + (i - 1) * sizeof(W));
  };
  OffsetPackHeader<W> header;
  OffsetPackChoice<W> choices[core::subchunks_per_chunk];
  for (unsigned s = 0; s < core::subchunks_per_chunk; ++s) {
    const std::size_t begin = subchunk_begin(words, s);
    choices[s] = choose_mapping<Stage, W>(in + begin * sizeof(W), subchunk_begin(words, s + 1) - begin,
                                          word_before(begin));
    header.widths[s] = choices[s].width;
    header.folded |= static_cast<std::uint32_t>(choices[s].fold) << s;
    header.offsets |= static_cast<std::uint32_t>(choices[s].offsets) << s;
  }
  const std::size_t packed_bytes = header.total_bytes(words);
  if (packed_bytes + tail_bytes >= core::chunk_bytes) return no_result;

  BitWriter writer(out, 0);
  writer.put(header.folded, 32);
  writer.put(in_bytes, 16);
  for (const auto& choice : choices)
    writer.put(choice.width + (choice.offsets ? core::word_bits<W> : 0), stages::width_field_bits<W>);
  writer.finish();
  std::size_t bit = pack_header_bits<W>;
  for (unsigned s = 0; s < core::subchunks_per_chunk; ++s) {
    const std::size_t begin = subchunk_begin(words, s), count = subchunk_begin(words, s + 1) - begin;
    std::uint8_t numbers[largest_subchunk_bytes];
    W previous = word_before(begin);
    for (std::size_t i = 0; i < count; ++i) {
      const W word = core::load<W>(in + (begin + i) * sizeof(W)), residual = Stage::residual(word, previous);
      previous = word;
      core::store(numbers + i * sizeof(W), choices[s].offsets ? Stage::offset(word, choices[s].base)
                                           : choices[s].fold  ? Stage::fold(residual)
                                                              : residual);
    }
    pack_words<W>(numbers, count, choices[s].width, out, bit);
    bit += count * choices[s].width;
  }
  std::uint8_t* to = out + (bit + 7) / 8;
  for (const auto& choice : choices) {
    if (!choice.offsets) continue;
    core::store(to, choice.base);
    to += sizeof(W);
  }
  std::copy(in + words * sizeof(W), in + in_bytes, to);
  return packed_bytes + tail_bytes;
}

template <class Stage, core::Word W>
std::size_t decode(stages::OffsetPackShape, const std::uint8_t* __restrict in, std::size_t in_bytes,
                   std::uint8_t* __restrict out, const core::ChunkContext&) {
  if (in_bytes * 8 < pack_header_bits<W>) return no_result;
  OffsetPackHeader<W> header;
  header.folded = static_cast<std::uint32_t>(read_bits(in, 0, 32));
  const auto length = static_cast<std::size_t>(read_bits(in, 32, 16));
  std::size_t bit = 48;
  for (unsigned s = 0; s < core::subchunks_per_chunk; ++s, bit += stages::width_field_bits<W>) {
    header.widths[s] = static_cast<unsigned>(read_bits(in, bit, stages::width_field_bits<W>));
    if (header.widths[s] <= core::word_bits<W>) continue;
    header.widths[s] -= core::word_bits<W>;
    header.offsets |= 1u << s;
  }
  const std::size_t words = length / sizeof(W), tail_bytes = length % sizeof(W);
  if (length > core::chunk_bytes || (header.folded & header.offsets) != 0 ||
      header.total_bytes(words) + tail_bytes != in_bytes)
    return no_result;

  const std::uint8_t* bases = in + (header.template total_bits<W>(words) + 7) / 8;
  W previous = 0;
  for (unsigned s = 0; s < core::subchunks_per_chunk; ++s) {
    const std::size_t begin = subchunk_begin(words, s), count = subchunk_begin(words, s + 1) - begin;
    std::uint8_t* subchunk = out + begin * sizeof(W);
    unpack_words<W>(in, bit, count, header.widths[s], subchunk);
    bit += count * header.widths[s];
    const bool offsets = (header.offsets >> s & 1) != 0, folded = (header.folded >> s & 1) != 0;
    const W base = offsets ? core::load<W>(bases) : W{0};
    if (offsets) bases += sizeof(W);
    for (std::size_t i = 0; i < count; ++i) {
      const W number = core::load<W>(subchunk + i * sizeof(W));
      previous = offsets ? Stage::word(number, base)
                         : Stage::combine(folded ? Stage::unfold(number) : number, previous);
      core::store(subchunk + i * sizeof(W), previous);
    }
  }
  std::copy(in + in_bytes - tail_bytes, in + in_bytes, out + words * sizeof(W));
  return length;
}

}  // namespace floe::cpu
