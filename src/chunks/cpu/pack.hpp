// PackShape: 32 sub-chunks per chunk, each written with the bit width of its largest word.
#pragma once

#include <algorithm>

#include "chunks/cpu/map.hpp"
#include "chunks/cpu/pack_words.hpp"
#include "chunks/cpu/workspace.hpp"
#include "chunks/stages/stages.hpp"

namespace floe::cpu {

/// The payload's fields before the packed words: bits folded (32), length (16), widths.
template <core::Word W>
inline constexpr std::size_t pack_header_bits =
    32 + 16 + core::subchunks_per_chunk* stages::width_field_bits<W>;

inline constexpr std::size_t largest_subchunk_bytes = core::chunk_bytes / core::subchunks_per_chunk;

constexpr std::size_t subchunk_begin(std::size_t words, unsigned subchunk) {
  return words * subchunk / core::subchunks_per_chunk;
}

struct PackHeader {
  std::uint32_t folded = 0;  ///< Bit s: sub-chunk s holds folded words.
  unsigned widths[core::subchunks_per_chunk] = {};

  /// Bits of header and words for a chunk of `words` words.
  template <core::Word W>
  [[nodiscard]] std::size_t total_bits(std::size_t words) const {
    std::size_t bits = pack_header_bits<W>;
    for (unsigned s = 0; s < core::subchunks_per_chunk; ++s)
      bits += widths[s] * (subchunk_begin(words, s + 1) - subchunk_begin(words, s));
    return bits;
  }
};

struct WidthChoice {
  unsigned width;
  bool fold;
};

/// The bit length of the largest word, folded or not, whichever is smaller. All bits together have the bit
/// length of the largest word, which decides unless both lengths are equal.
template <class Stage, core::Word W>
WidthChoice choose_width(const std::uint8_t* words, std::size_t count) {
  W all = 0, all_folded = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const W word = core::load<W>(words + i * sizeof(W));
    all = static_cast<W>(all | word);
    all_folded = static_cast<W>(all_folded | Stage::fold(word));
  }
  const unsigned bits = core::bit_length(all), bits_folded = core::bit_length(all_folded);
  if (bits != bits_folded) return {std::min(bits, bits_folded), bits_folded < bits};

  W largest = 0, largest_folded = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const W word = core::load<W>(words + i * sizeof(W));
    largest = std::max(largest, word);
    largest_folded = std::max(largest_folded, Stage::fold(word));
  }
  return {bits, largest_folded < largest};
}

template <class Stage, core::Word W>
std::size_t encode(stages::PackShape, const std::uint8_t* __restrict in, std::size_t in_bytes,
                   std::uint8_t* __restrict out, const core::ChunkContext&) {
  if (in_bytes > core::chunk_bytes) return no_result;
  const std::size_t words = in_bytes / sizeof(W), tail_bytes = in_bytes % sizeof(W);
  PackHeader header;
  for (unsigned s = 0; s < core::subchunks_per_chunk; ++s) {
    const std::size_t begin = subchunk_begin(words, s);
    const WidthChoice choice =
        choose_width<Stage, W>(in + begin * sizeof(W), subchunk_begin(words, s + 1) - begin);
    header.folded |= static_cast<std::uint32_t>(choice.fold) << s;
    header.widths[s] = choice.width;
  }
  const std::size_t packed_bytes = (header.total_bits<W>(words) + 7) / 8;
  if (packed_bytes + tail_bytes >= core::chunk_bytes) return no_result;

  BitWriter writer(out, 0);
  writer.put(header.folded, 32);
  writer.put(in_bytes, 16);
  for (const unsigned width : header.widths) writer.put(width, stages::width_field_bits<W>);
  writer.finish();
  std::size_t bit = pack_header_bits<W>;
  for (unsigned s = 0; s < core::subchunks_per_chunk; ++s) {
    const std::size_t begin = subchunk_begin(words, s), count = subchunk_begin(words, s + 1) - begin;
    const std::uint8_t* subchunk = in + begin * sizeof(W);
    std::uint8_t folded[largest_subchunk_bytes];
    if ((header.folded >> s & 1) != 0) {
      for (std::size_t i = 0; i < count; ++i)
        core::store(folded + i * sizeof(W), Stage::fold(core::load<W>(subchunk + i * sizeof(W))));
      subchunk = folded;
    }
    pack_words<W>(subchunk, count, header.widths[s], out, bit);
    bit += count * header.widths[s];
  }
  std::copy(in + words * sizeof(W), in + in_bytes, out + packed_bytes);
  return packed_bytes + tail_bytes;
}

template <class Stage, core::Word W>
std::size_t decode(stages::PackShape, const std::uint8_t* __restrict in, std::size_t in_bytes,
                   std::uint8_t* __restrict out, const core::ChunkContext&) {
  if (in_bytes * 8 < pack_header_bits<W>) return no_result;
  PackHeader header;
  header.folded = static_cast<std::uint32_t>(read_bits(in, 0, 32));
  const auto length = static_cast<std::size_t>(read_bits(in, 32, 16));
  std::size_t bit = 48;
  for (unsigned& width : header.widths) {
    width = static_cast<unsigned>(read_bits(in, bit, stages::width_field_bits<W>));
    if (width > core::word_bits<W>) return no_result;
    bit += stages::width_field_bits<W>;
  }
  const std::size_t words = length / sizeof(W), tail_bytes = length % sizeof(W);
  if (length > core::chunk_bytes || (header.total_bits<W>(words) + 7) / 8 + tail_bytes != in_bytes)
    return no_result;

  for (unsigned s = 0; s < core::subchunks_per_chunk; ++s) {
    const std::size_t begin = subchunk_begin(words, s), count = subchunk_begin(words, s + 1) - begin;
    std::uint8_t* subchunk = out + begin * sizeof(W);
    unpack_words<W>(in, bit, count, header.widths[s], subchunk);
    if ((header.folded >> s & 1) != 0) {
      for (std::size_t i = 0; i < count; ++i)
        core::store(subchunk + i * sizeof(W), Stage::unfold(core::load<W>(subchunk + i * sizeof(W))));
    }
    bit += count * header.widths[s];
  }
  std::copy(in + in_bytes - tail_bytes, in + in_bytes, out + words * sizeof(W));
  return length;
}

}  // namespace floe::cpu
