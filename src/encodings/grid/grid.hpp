// Floats as multiples of a power of two: the arithmetic of words.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>

#include "core/bits.hpp"
#include "core/type.hpp"
#include "core/word.hpp"

namespace floe::trees {

/// A float on a grid: `multiple` is in two's complement; its magnitude and `low`, which has `low_bits` bits,
/// are the mantissa.
template <core::Word W>
struct GridWord {
  W multiple = 0, low = 0;
  unsigned low_bits = 0;
};

/// Where the bits of a type of floats lie. Exponents are as they are stored, biased.
struct FloatLayout {
  unsigned bits = 0;       ///< Of a word.
  unsigned precision = 0;  ///< Of a mantissa, with the leading one.

  /// That of infinities and NaNs.
  [[nodiscard]] FLOE_HD constexpr unsigned top_exponent() const { return (1U << (bits - precision)) - 1; }
  template <core::Word W>
  [[nodiscard]] FLOE_HD constexpr unsigned exponent_of(W word) const {
    return static_cast<unsigned>(word >> (precision - 1)) & top_exponent();
  }

  /// Whether the grid whose largest multiples have `exponent` can say it.
  template <core::Word W>
  [[nodiscard]] FLOE_HD constexpr bool is_on_grid(W word, unsigned exponent) const {
    const unsigned own = exponent_of(word);  // the difference wraps around if it is too large
    return word == 0 || (own != 0 && exponent - own < precision);
  }
  /// Precondition: is_on_grid, or the result does not matter.
  template <core::Word W>
  [[nodiscard]] FLOE_HD constexpr GridWord<W> to_grid(W word, unsigned exponent) const {
    if (!is_on_grid(word, exponent) || word == 0) return {};
    const unsigned shift = exponent - exponent_of(word);
    const W hidden = static_cast<W>(W{1} << (precision - 1)),
            mantissa = static_cast<W>(hidden | (word & static_cast<W>(hidden - 1))),
            magnitude = static_cast<W>(mantissa >> shift);
    const bool is_negative = (word >> (bits - 1)) != 0;
    return {is_negative ? static_cast<W>(W{0} - magnitude) : magnitude,
            static_cast<W>(mantissa & core::low_mask<W>(shift)), shift};
  }
  /// Nothing if the grid cannot say it.
  template <core::Word W>
  [[nodiscard]] constexpr std::optional<GridWord<W>> on_grid(W word, unsigned exponent) const {
    return is_on_grid(word, exponent) ? std::optional(to_grid(word, exponent)) : std::nullopt;
  }

  template <core::Word W>
  [[nodiscard]] static FLOE_HD constexpr W magnitude_of(W multiple) {
    const W sign = static_cast<W>(W{0} - static_cast<W>(multiple >> (core::word_bits<W> - 1)));
    return static_cast<W>((multiple ^ sign) - sign);
  }
  /// The bits of a mantissa that a multiple does not have; none if it is 0, or too large.
  template <core::Word W>
  [[nodiscard]] FLOE_HD constexpr unsigned low_bits_of(W multiple) const {
    const unsigned length = core::bit_length(magnitude_of(multiple));
    return length == 0 || length > precision ? 0 : precision - length;
  }
  template <core::Word W>
  [[nodiscard]] FLOE_HD constexpr bool is_valid(W multiple, unsigned exponent, unsigned low_bits) const {
    return core::bit_length(magnitude_of(multiple)) <= precision && low_bits < exponent;
  }
  /// The inverse of on_grid. Precondition: is_valid, or the word does not matter.
  template <core::Word W>
  [[nodiscard]] FLOE_HD constexpr W off_grid(W multiple, unsigned exponent, W low, unsigned low_bits) const {
    const W magnitude = magnitude_of(multiple), sign = static_cast<W>(multiple >> (core::word_bits<W> - 1));
    const W mantissa = static_cast<W>(static_cast<W>(magnitude << low_bits) | low);
    // The leading one of the mantissa adds 1 to the exponent.
    const W word =
        static_cast<W>(static_cast<W>(static_cast<W>(exponent - low_bits - 1) << (precision - 1)) + mantissa);
    return magnitude == 0
               ? W{0}
               : static_cast<W>((word & core::low_mask<W>(bits - 1)) | static_cast<W>(sign << (bits - 1)));
  }
};

/// What a word costs that a grid cannot say.
template <core::Word W>
inline constexpr std::uint64_t grid_exception_bits = core::word_bits<W> + 8;

/// The exponent that makes least of exceptions and of bits below the grid, of which about half could be
/// predicted. 0 if there is none. `counts(e)` says how many of `words` words have exponent e, none of those
/// that count outside of [first, end).
template <core::Word W, class Counts>
FLOE_HD constexpr unsigned best_grid_exponent(const Counts& counts, unsigned first, unsigned end,
                                              std::uint64_t words, const FloatLayout& layout) {
  std::uint64_t above = 0, too_small = 0, best_cost = ~std::uint64_t{0};
  for (unsigned e = first; e < end; ++e) above += counts(e);
  unsigned best = 0;
  for (unsigned e = first; e < end; ++e) {
    above -= counts(e);
    if (e >= first + layout.precision) too_small += counts(e - layout.precision);
    if (counts(e) == 0) continue;
    const std::uint64_t cost = (above + too_small) * grid_exception_bits<W> + (words * e) / 2;
    if (cost < best_cost) {
      best_cost = cost;
      best = e;
    }
  }
  return best;
}

FLOE_HD constexpr FloatLayout layout_of(DType type) noexcept {
  return type == DType::f64   ? FloatLayout{64, 53}
         : type == DType::f32 ? FloatLayout{32, 24}
         : type == DType::f16 ? FloatLayout{16, 11}
                              : FloatLayout{16, 8};
}

}  // namespace floe::trees
