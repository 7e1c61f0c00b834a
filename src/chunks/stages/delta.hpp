// Difference to the word before. Published as the first half of DIFFMS.
#pragma once

#include "chunks/stages/shape.hpp"

namespace floe::stages {

/// Wrapping subtraction of bits: lossless for every pattern. The word before the first one is 0.
struct Delta {
  using Shape = ScanShape;
  template <core::Word W>
  static FLOE_HD constexpr W residual(W word, W previous) noexcept {
    return static_cast<W>(word - previous);
  }
  template <core::Word W>
  static FLOE_HD constexpr W combine(W residual, W previous) noexcept {
    return static_cast<W>(residual + previous);
  }
};

}  // namespace floe::stages
