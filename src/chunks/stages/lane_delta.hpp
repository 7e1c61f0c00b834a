// Difference to the sub-chunk before: GFC's predictor (O'Neil & Burtscher 2011, section 3).
#pragma once

#include "chunks/stages/shape.hpp"

namespace floe::stages {

/// All 32 lanes of a sub-chunk are predicted from the last `dimensionality` lanes of the sub-chunk before, so
/// that the distance is the smallest one that is a multiple of the dimensionality. The first sub-chunk of a
/// chunk is predicted to be 0.
struct LaneDelta {
  using Shape = LaneScanShape;
  template <core::Word W>
  static FLOE_HD constexpr W residual(W word, W previous) noexcept {
    return static_cast<W>(word - previous);
  }
  template <core::Word W>
  static FLOE_HD constexpr W combine(W residual, W previous) noexcept {
    return static_cast<W>(residual + previous);
  }
  static FLOE_HD constexpr unsigned source_lane(unsigned lane, unsigned dimensionality) noexcept {
    return lanes - dimensionality + lane % dimensionality;
  }
};

}  // namespace floe::stages
