// PackShape: 32 sub-chunks per chunk, each written with the bit width of its largest word.
#pragma once

#include <algorithm>

#include "chunks/stages/stages.hpp"
#include "core/bits.hpp"
#include "core/chunk.hpp"
#include "tests/oracle/bytes.hpp"

namespace floe::oracle {

inline std::size_t subchunk_begin(std::size_t words, unsigned subchunk) {
  return words * subchunk / core::subchunks_per_chunk;
}

template <class Stage, core::Word W>
MaybeBytes encode(stages::PackShape, const Bytes& in, const core::ChunkContext&) {
  std::vector<W> words = to_words<W>(in);
  std::uint32_t folded = 0;
  unsigned widths[core::subchunks_per_chunk] = {};
  for (unsigned s = 0; s < core::subchunks_per_chunk; ++s) {
    const std::size_t begin = subchunk_begin(words.size(), s), end = subchunk_begin(words.size(), s + 1);
    W largest = 0, largest_folded = 0;
    for (std::size_t i = begin; i < end; ++i) {
      largest = std::max(largest, words[i]);
      largest_folded = std::max(largest_folded, Stage::fold(words[i]));
    }
    if (largest_folded < largest) {
      folded |= 1u << s;
      for (std::size_t i = begin; i < end; ++i) words[i] = Stage::fold(words[i]);
    }
    widths[s] = core::bit_length(std::min(largest, largest_folded));
  }

  BitWriter bits;
  bits.put(folded, 32);
  bits.put(in.size(), 16);
  for (const unsigned width : widths) bits.put(width, stages::width_field_bits<W>);
  for (unsigned s = 0; s < core::subchunks_per_chunk; ++s) {
    for (std::size_t i = subchunk_begin(words.size(), s); i < subchunk_begin(words.size(), s + 1); ++i)
      bits.put(words[i], widths[s]);
  }
  Bytes out = bits.bytes();
  append(out, tail_of<W>(in));
  if (out.size() >= core::chunk_bytes) return std::nullopt;
  return out;
}

template <class Stage, core::Word W>
MaybeBytes decode(stages::PackShape, const Bytes& in, const core::ChunkContext&) {
  BitReader bits(in);
  const auto folded = static_cast<std::uint32_t>(bits.get(32));
  const auto length = static_cast<std::size_t>(bits.get(16));
  unsigned widths[core::subchunks_per_chunk];
  for (unsigned& width : widths) {
    width = static_cast<unsigned>(bits.get(stages::width_field_bits<W>));
    if (width > core::word_bits<W>) return std::nullopt;
  }
  if (bits.failed() || length > core::chunk_bytes) return std::nullopt;

  std::vector<W> words(length / sizeof(W));
  for (unsigned s = 0; s < core::subchunks_per_chunk; ++s) {
    for (std::size_t i = subchunk_begin(words.size(), s); i < subchunk_begin(words.size(), s + 1); ++i) {
      const auto word = static_cast<W>(bits.get(widths[s]));
      words[i] = (folded >> s & 1) != 0 ? Stage::unfold(word) : word;
    }
  }
  const std::size_t tail_bytes = length % sizeof(W);
  if (bits.failed() || bits.bytes_used() + tail_bytes != in.size()) return std::nullopt;
  return to_bytes(words, Bytes(in.end() - static_cast<std::ptrdiff_t>(tail_bytes), in.end()));
}

}  // namespace floe::oracle
