// Leading zero bits dropped, 32 sub-chunks per chunk: published as MPLG (and HCLOG in its code).
#pragma once

#include "chunks/stages/shape.hpp"
#include "chunks/stages/zigzag.hpp"

namespace floe::stages {

/// A sub-chunk whose largest word has its top bit set gains nothing; folding such words once more often
/// helps, and is done when it makes the largest word smaller.
struct BitPack {
  using Shape = PackShape;
  template <core::Word W>
  static FLOE_HD constexpr W fold(W w) noexcept {
    return ZigZag::forward(w);
  }
  template <core::Word W>
  static FLOE_HD constexpr W unfold(W w) noexcept {
    return ZigZag::inverse(w);
  }
};

/// Bits that hold a width from 0 to the word's bits: 4, 5, 6, 7 for words of 8, 16, 32, 64 bits.
template <core::Word W>
inline constexpr unsigned width_field_bits = sizeof(W) == 1   ? 4
                                             : sizeof(W) == 2 ? 5
                                             : sizeof(W) == 4 ? 6
                                                              : 7;

}  // namespace floe::stages
