// Predictable upper bits dropped, as many as pay for the chunk at hand: published as RAZE and RARE.
#pragma once

#include "chunks/stages/shape.hpp"

namespace floe::stages {

/// RAZE, repeated adaptive zero elimination: upper bits that are all zero.
struct DropZeroTops {
  using Shape = DropTopsShape;
  template <core::Word W>
  static FLOE_HD constexpr W difference(W word, W /*previous*/) noexcept {
    return word;
  }
};

/// RARE, repeated adaptive repeat elimination: upper bits that equal those of the word before (0 before the
/// first).
struct DropRepeatedTops {
  using Shape = DropTopsShape;
  template <core::Word W>
  static FLOE_HD constexpr W difference(W word, W previous) noexcept {
    return static_cast<W>(word ^ previous);
  }
};

/// Values of a DropTops payload's `keep` byte that are no number of kept bits.
inline constexpr unsigned keep_everything = 64;  ///< Nothing to gain: the input follows unchanged.
inline constexpr unsigned keep_nothing = 65;     ///< Every difference is zero: no words follow.

}  // namespace floe::stages
