// TileShape: tiles of as many words as a word has bits, transposed; the same plane of all tiles lies
// together.
#pragma once

#include "chunks/stages/shape.hpp"
#include "core/chunk.hpp"
#include "tests/oracle/bytes.hpp"

namespace floe::oracle {

/// Words of whole tiles are permuted bit by bit; what does not fill a tile is copied.
template <class Stage, core::Word W, bool encoding>
Bytes transpose_tiles(const Bytes& in) {
  constexpr unsigned side = core::word_bits<W>;
  const std::vector<W> from = to_words<W>(in);
  const std::size_t tiles = from.size() / side;
  std::vector<W> to(tiles * side, W{0});
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    for (unsigned plane = 0; plane < side; ++plane) {
      for (unsigned j = 0; j < side; ++j) {
        const std::size_t word_index = tile * side + j;
        const std::size_t plane_index = plane * tiles + tile;
        const unsigned word_bit = Stage::template source_bit<W>(plane);
        const unsigned plane_bit = Stage::template target_bit<W>(j);
        if constexpr (encoding) {
          to[plane_index] |= static_cast<W>(((from[word_index] >> word_bit) & 1) << plane_bit);
        } else {
          to[word_index] |= static_cast<W>(((from[plane_index] >> plane_bit) & 1) << word_bit);
        }
      }
    }
  }
  Bytes out = to_bytes(to);
  out.insert(out.end(), in.begin() + static_cast<std::ptrdiff_t>(out.size()), in.end());
  return out;
}

template <class Stage, core::Word W>
MaybeBytes encode(stages::TileShape, const Bytes& in, const core::ChunkContext&) {
  return transpose_tiles<Stage, W, true>(in);
}

template <class Stage, core::Word W>
MaybeBytes decode(stages::TileShape, const Bytes& in, const core::ChunkContext&) {
  return transpose_tiles<Stage, W, false>(in);
}

}  // namespace floe::oracle
