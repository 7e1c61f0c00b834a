// Signed to unsigned with the sign in bit 0, so that small residuals of either sign become small words.
// Published as the second half of DIFFMS (two's complement to magnitude-sign) and as TCMS.
#pragma once

#include "chunks/stages/shape.hpp"
#include "core/bits.hpp"

namespace floe::stages {

struct ZigZag {
  using Shape = MapShape;
  template <core::Word W>
  static FLOE_HD constexpr W forward(W w) noexcept {
    return core::zigzag(w);
  }
  template <core::Word W>
  static FLOE_HD constexpr W inverse(W w) noexcept {
    return core::unzigzag(w);
  }
};

}  // namespace floe::stages
