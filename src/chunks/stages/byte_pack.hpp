// Leading zero bytes of a residual's magnitude dropped: GFC's compaction (O'Neil & Burtscher 2011, section
// 3).
#pragma once

#include "chunks/stages/shape.hpp"
#include "core/bits.hpp"

namespace floe::stages {

/// A residual is a sign and a magnitude; a 4-bit code holds the sign (bit 3) and how many bytes of the
/// magnitude follow. 64-bit words have nine lengths for eight codes: two bytes are written as three.
struct BytePack {
  using Shape = BytePackShape;

  template <core::Word W>
  static FLOE_HD constexpr W payload(W residual) noexcept {
    return is_negative(residual) ? static_cast<W>(W{0} - residual) : residual;
  }

  template <core::Word W>
  static FLOE_HD constexpr unsigned code(W residual) noexcept {
    const unsigned bytes = (core::bit_length(payload(residual)) + 7) / 8;
    const unsigned length_code = sizeof(W) == 8 && bytes >= 2 ? (bytes == 2 ? 2 : bytes - 1) : bytes;
    return (is_negative(residual) ? 8u : 0u) | length_code;
  }

  /// 32-bit words use the length codes 0 to 4 only; the rest can only come from a damaged stream and are
  /// clamped.
  template <core::Word W>
  static FLOE_HD constexpr unsigned payload_bytes(unsigned code) noexcept {
    const unsigned length_code = code & 7;
    if (sizeof(W) == 8) return length_code < 2 ? length_code : length_code + 1;
    return length_code < sizeof(W) ? length_code : sizeof(W);
  }

  template <core::Word W>
  static FLOE_HD constexpr W word(unsigned code, W stored) noexcept {
    return (code & 8) != 0 ? static_cast<W>(W{0} - stored) : stored;
  }

 private:
  template <core::Word W>
  static FLOE_HD constexpr bool is_negative(W residual) noexcept {
    return (residual >> (core::word_bits<W> - 1)) != 0;
  }
};

}  // namespace floe::stages
