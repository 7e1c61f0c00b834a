// Words of 8 and 16 bits side by side in a register of 32, compared and subtracted without carries from one
// to the next; words of 32 bits are the same with one word. Words of 64 bits have registers of 64.
#pragma once

#include <type_traits>

#include "core/bits.hpp"
#include "gpu/warp/device.hpp"

namespace floe::gpu {

/// What words of W lie in.
template <core::Word W>
using Register = std::conditional_t<sizeof(W) == 8, std::uint64_t, std::uint32_t>;

template <core::Word W>
struct Packed {
  using R = Register<W>;
  static constexpr unsigned bits = core::word_bits<W>, register_bits = 8 * sizeof(R),
                            words = register_bits / bits;
  /// The word in all places.
  static FLOE_HD constexpr R repeat(W word) {
    return static_cast<R>(word * (static_cast<R>(~R{0}) / static_cast<W>(~W{0})));
  }
  static constexpr R ones = static_cast<R>(~R{0}) / static_cast<W>(~W{0});
  static constexpr R tops = ones << (bits - 1), rests = static_cast<R>(~tops);
  static constexpr R low = static_cast<W>(~W{0});  ///< The first word.

  /// Top bits where a < b.
  static FLOE_DEVICE R less(R a, R b) {
    const R at_least = (a | tops) - (b & rests);
    return ((~a & b) | (~(a ^ b) & ~at_least)) & tops;
  }
  static FLOE_DEVICE R subtract(R a, R b) { return ((a | tops) - (b & rests)) ^ (~(a ^ b) & tops); }

  /// In every place the lowest as many bits as the word there has: a word of bit length n becomes n ones. For
  /// words of 8 and 16 bits.
  static FLOE_DEVICE R lengths(R x) {
    x |= x >> 1 & repeat(static_cast<W>(static_cast<W>(~W{0}) >> 1));
    x |= x >> 2 & repeat(static_cast<W>(static_cast<W>(~W{0}) >> 2));
    x |= x >> 4 & repeat(static_cast<W>(static_cast<W>(~W{0}) >> 4));
    if constexpr (bits == 16) x |= x >> 8 & repeat(static_cast<W>(static_cast<W>(~W{0}) >> 8));
    return x;
  }
};

}  // namespace floe::gpu
