// Signed to unsigned with the sign in bit 0, so that small residuals of either sign become small words. Published as the second
// half of DIFFMS (two's complement to magnitude-sign) and as TCMS.
#pragma once

#include "stages/shape.hpp"

namespace floe::stages {

/// 0, -1, 1, -2 ... become 0, 1, 2, 3 ...: a bijection on words, so the most negative number needs no special case.
struct ZigZag {
  using Shape = MapShape;
  template <core::Word W>
  static FLOE_HD constexpr W forward(W w) noexcept {
    const W sign = static_cast<W>(w >> (core::word_bits<W> - 1));
    return static_cast<W>(static_cast<W>(w << 1) ^ static_cast<W>(W{0} - sign));
  }
  template <core::Word W>
  static FLOE_HD constexpr W inverse(W w) noexcept {
    return static_cast<W>((w >> 1) ^ static_cast<W>(W{0} - static_cast<W>(w & 1)));
  }
};

}  // namespace floe::stages
