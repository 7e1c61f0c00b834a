// Bit planes: published as BIT.
#pragma once

#include "chunks/stages/shape.hpp"

namespace floe::stages {

/// Tiles of as many words as a word has bits, transposed as bit matrices with the most significant bit first
/// both ways. Planes of the same significance of all tiles of a chunk lie together, the most significant
/// plane first, so that leading zeros of neighbouring words become runs of zero bytes.
struct BitTranspose {
  using Shape = TileShape;
  template <core::Word W>
  static FLOE_HD constexpr unsigned source_bit(unsigned plane) noexcept {
    return core::word_bits<W> - 1 - plane;
  }
  template <core::Word W>
  static FLOE_HD constexpr unsigned target_bit(unsigned word_of_tile) noexcept {
    return core::word_bits<W> - 1 - word_of_tile;
  }
};

}  // namespace floe::stages
