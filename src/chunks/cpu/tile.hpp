// TileShape: tiles of as many words as a word has bits, transposed; the same plane of all tiles lies
// together.
#pragma once

#include <algorithm>
#include <array>

#include "chunks/stages/shape.hpp"
#include "core/bits.hpp"
#include "core/chunk.hpp"

namespace floe::cpu {

/// Row r of tile t is entry r tile_count + t: a vector instruction works on the same row of several tiles.
template <core::Word W, std::size_t tile_count>
using TileRows = std::array<W, core::word_bits<W> * tile_count>;

/// Transposes bit matrices: afterwards bit r of row q is what bit q of row r was. Exchanges the two
/// off-diagonal quarters of every 2 step x 2 step square, then does the same with half the step (Warren,
/// Hacker's Delight, section 7-3).
template <unsigned step, std::size_t tile_count, core::Word W>
inline void transpose(W* rows) {
  constexpr W lower_bits = static_cast<W>(core::low_mask<W>(core::word_bits<W>) / ((W{1} << step) + 1));
  for (unsigned square = 0; square < core::word_bits<W>; square += 2 * step) {
    W* const __restrict upper = rows + square * tile_count;
    W* const __restrict lower = upper + step * tile_count;
    for (std::size_t i = 0; i < step * tile_count; ++i) {
      const W swapped = static_cast<W>(((upper[i] >> step) ^ lower[i]) & lower_bits);
      lower[i] ^= swapped;
      upper[i] ^= static_cast<W>(swapped << step);
    }
  }
  if constexpr (step > 1) transpose<step / 2, tile_count>(rows);
}

/// Tiles `first_tile` to `first_tile + tile_count - 1` of a chunk of `tiles` tiles. The stage's order of bits
/// within words and planes is an order of rows, so it costs nothing.
template <class Stage, core::Word W, bool encoding, std::size_t tile_count>
inline void transpose_tiles(const std::uint8_t* __restrict in, std::uint8_t* __restrict out,
                            std::size_t first_tile, std::size_t tiles) {
  constexpr unsigned side = core::word_bits<W>;
  const auto word_at = [&](unsigned j, std::size_t t) { return ((first_tile + t) * side + j) * sizeof(W); };
  const auto plane_at = [&](unsigned plane, std::size_t t) {
    return (plane * tiles + first_tile + t) * sizeof(W);
  };
  TileRows<W, tile_count> rows;
  for (unsigned r = 0; r < side; ++r) {
    for (std::size_t t = 0; t < tile_count; ++t) {
      if constexpr (encoding) {
        rows[Stage::template target_bit<W>(r) * tile_count + t] = core::load<W>(in + word_at(r, t));
      } else {
        rows[Stage::template source_bit<W>(r) * tile_count + t] = core::load<W>(in + plane_at(r, t));
      }
    }
  }
  transpose<side / 2, tile_count>(rows.data());
  for (unsigned r = 0; r < side; ++r) {
    for (std::size_t t = 0; t < tile_count; ++t) {
      if constexpr (encoding) {
        core::store(out + plane_at(r, t), rows[Stage::template source_bit<W>(r) * tile_count + t]);
      } else {
        core::store(out + word_at(r, t), rows[Stage::template target_bit<W>(r) * tile_count + t]);
      }
    }
  }
}

/// What does not fill a tile is copied.
template <class Stage, core::Word W, bool encoding>
std::size_t transpose_chunk(const std::uint8_t* in, std::size_t in_bytes, std::uint8_t* out) {
  constexpr std::size_t tile_bytes = core::word_bits<W> * sizeof(W);
  constexpr std::size_t side_by_side = 64 / sizeof(W);
  const std::size_t tiles = in_bytes / tile_bytes;
  std::size_t tile = 0;
  for (; tile + side_by_side <= tiles; tile += side_by_side)
    transpose_tiles<Stage, W, encoding, side_by_side>(in, out, tile, tiles);
  for (; tile < tiles; ++tile) transpose_tiles<Stage, W, encoding, 1>(in, out, tile, tiles);
  std::copy(in + tiles * tile_bytes, in + in_bytes, out + tiles * tile_bytes);
  return in_bytes;
}

template <class Stage, core::Word W>
std::size_t encode(stages::TileShape, const std::uint8_t* in, std::size_t in_bytes, std::uint8_t* out,
                   const core::ChunkContext&) {
  return transpose_chunk<Stage, W, true>(in, in_bytes, out);
}

template <class Stage, core::Word W>
std::size_t decode(stages::TileShape, const std::uint8_t* in, std::size_t in_bytes, std::uint8_t* out,
                   const core::ChunkContext&) {
  return transpose_chunk<Stage, W, false>(in, in_bytes, out);
}

}  // namespace floe::cpu
