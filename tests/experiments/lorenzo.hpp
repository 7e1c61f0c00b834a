// The Lorenzo predictor on integers, and the order of floats as integers that it needs.
#pragma once

#include "tests/experiments/shapes.hpp"

namespace floe::experiments {

/// Ibarria, Lindstrom, Rossignac, Szymczak, "Out-of-core compression and decompression of large n-dimensional
/// scalar fields", 2003: exact for polynomials of a degree below the number of dimensions. Wrapping
/// arithmetic, so lossless for every bit pattern.
template <unsigned dimensions>
struct Lorenzo {
  using Shape = LatticeShape;
  static constexpr unsigned max_dimensions = dimensions;

  template <core::Word W>
  static FLOE_HD constexpr W contribution(W neighbour, unsigned steps_back) noexcept {
    return steps_back % 2 != 0 ? neighbour : static_cast<W>(W{0} - neighbour);
  }
  template <core::Word W>
  static FLOE_HD constexpr W residual(W word, W prediction) noexcept {
    return static_cast<W>(word - prediction);
  }
  template <core::Word W>
  static FLOE_HD constexpr W combine(W residual, W prediction) noexcept {
    return static_cast<W>(residual + prediction);
  }
};

/// The bits of a float to two's complement, so that neighbouring floats become neighbouring integers, also
/// across zero.
struct OrderedFloat {
  using Shape = stages::MapShape;
  template <core::Word W>
  static FLOE_HD constexpr W forward(W w) noexcept {
    const W magnitude_bits = static_cast<W>(static_cast<W>(~W{0}) >> 1);
    const W negative = static_cast<W>(W{0} - static_cast<W>(w >> (core::word_bits<W> - 1)));
    return static_cast<W>(w ^ (negative & magnitude_bits));
  }
  template <core::Word W>
  static FLOE_HD constexpr W inverse(W w) noexcept {
    return forward(w);
  }
};

}  // namespace floe::experiments
