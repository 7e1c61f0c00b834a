// OffsetPackShape: 32 sub-chunks per chunk of narrow words, as differences or offsets, each with one width.
#pragma once

#include <algorithm>

#include "chunks/stages/stages.hpp"
#include "core/bits.hpp"
#include "tests/oracle/pack.hpp"

namespace floe::oracle {

/// How a sub-chunk is written, and the numbers that are written.
template <core::Word W>
struct PackedSubchunk {
  bool folded = false, offsets = false;
  W base = 0;
  std::vector<W> numbers;
  [[nodiscard]] unsigned width() const {
    const W largest = numbers.empty() ? W{0} : *std::max_element(numbers.begin(), numbers.end());
    return std::max(offsets ? 1u : 0u, core::bit_length(largest));
  }
  [[nodiscard]] std::size_t bits() const {
    return numbers.size() * width() + (offsets ? core::word_bits<W> : 0);
  }
  [[nodiscard]] unsigned field() const { return offsets ? core::word_bits<W> + width() : width(); }
};

/// The words [begin, end) of a chunk.
template <class Stage, core::Word W>
PackedSubchunk<W> packed_subchunk(const std::vector<W>& words, std::size_t begin, std::size_t end) {
  PackedSubchunk<W> plain, folded, offsets;
  folded.folded = offsets.offsets = true;
  for (std::size_t i = begin; i < end; ++i) {
    plain.numbers.push_back(Stage::residual(words[i], i == 0 ? W{0} : words[i - 1]));
    folded.numbers.push_back(Stage::fold(plain.numbers.back()));
    const W ordered = Stage::ordered(words[i]);
    if (ordered != 0 && (offsets.base == 0 || ordered < offsets.base)) offsets.base = ordered;
  }
  if (offsets.base != 0) --offsets.base;
  for (std::size_t i = begin; i < end; ++i) offsets.numbers.push_back(Stage::offset(words[i], offsets.base));

  const PackedSubchunk<W>& best = folded.width() < plain.width() ? folded : plain;
  const bool enough = plain.width() <= Stage::template enough_bits<W>;
  return !enough && offsets.bits() < best.bits() ? offsets : best;
}

template <class Stage, core::Word W>
MaybeBytes encode(stages::OffsetPackShape, const Bytes& in, const core::ChunkContext&) {
  const std::vector<W> words = to_words<W>(in);
  std::vector<PackedSubchunk<W>> subchunks;
  std::uint32_t folded = 0;
  for (unsigned s = 0; s < core::subchunks_per_chunk; ++s) {
    subchunks.push_back(packed_subchunk<Stage, W>(words, subchunk_begin(words.size(), s),
                                                  subchunk_begin(words.size(), s + 1)));
    folded |= (subchunks.back().folded ? 1u : 0u) << s;
  }
  BitWriter bits;
  bits.put(folded, 32);
  bits.put(in.size(), 16);
  for (const auto& subchunk : subchunks) bits.put(subchunk.field(), stages::width_field_bits<W>);
  Bytes bases;
  for (const auto& subchunk : subchunks) {
    const unsigned width = subchunk.width();
    for (const W number : subchunk.numbers) bits.put(number, width);
    if (subchunk.offsets) append_word(bases, subchunk.base);
  }
  Bytes out = bits.bytes();
  append(out, bases);
  append(out, tail_of<W>(in));
  if (out.size() >= core::chunk_bytes) return std::nullopt;
  return out;
}

template <class Stage, core::Word W>
MaybeBytes decode(stages::OffsetPackShape, const Bytes& in, const core::ChunkContext&) {
  BitReader bits(in);
  const auto folded = static_cast<std::uint32_t>(bits.get(32));
  const auto length = static_cast<std::size_t>(bits.get(16));
  unsigned widths[core::subchunks_per_chunk];
  std::uint32_t offsets = 0;
  for (unsigned s = 0; s < core::subchunks_per_chunk; ++s) {
    widths[s] = static_cast<unsigned>(bits.get(stages::width_field_bits<W>));
    if (widths[s] <= core::word_bits<W>) continue;
    widths[s] -= core::word_bits<W>;
    offsets |= 1u << s;
  }
  if (bits.failed() || length > core::chunk_bytes || (folded & offsets) != 0) return std::nullopt;

  std::vector<W> words(length / sizeof(W));
  for (unsigned s = 0; s < core::subchunks_per_chunk; ++s) {
    for (std::size_t i = subchunk_begin(words.size(), s); i < subchunk_begin(words.size(), s + 1); ++i)
      words[i] = static_cast<W>(bits.get(widths[s]));
  }
  BitReader bases(in, bits.bytes_used());
  for (unsigned s = 0; s < core::subchunks_per_chunk; ++s) {
    const bool has_base = (offsets >> s & 1) != 0;
    const W base = has_base ? static_cast<W>(bases.get(core::word_bits<W>)) : W{0};
    for (std::size_t i = subchunk_begin(words.size(), s); i < subchunk_begin(words.size(), s + 1); ++i) {
      if (has_base) {
        words[i] = Stage::word(words[i], base);
      } else {
        const W residual = (folded >> s & 1) != 0 ? Stage::unfold(words[i]) : words[i];
        words[i] = Stage::combine(residual, i == 0 ? W{0} : words[i - 1]);
      }
    }
  }
  const std::size_t tail_bytes = length % sizeof(W);
  if (bases.failed() || bits.failed() || bases.bytes_used() + tail_bytes != in.size()) return std::nullopt;
  return to_bytes(words, Bytes(in.end() - static_cast<std::ptrdiff_t>(tail_bytes), in.end()));
}

}  // namespace floe::oracle
