// Words of any type as unsigned numbers in the same order.
#pragma once

#include "core/bits.hpp"
#include "core/type.hpp"

namespace floe::trees {

/// How words of a type compare.
enum class WordOrder : std::uint8_t { unsigned_integers, signed_integers, floats };

constexpr WordOrder order_of(DType type) noexcept {
  return is_float(type)    ? WordOrder::floats
         : is_signed(type) ? WordOrder::signed_integers
                           : WordOrder::unsigned_integers;
}

/// What words of an integer type are exclusive-ored with to be unsigned numbers in the same order.
template <core::Word W>
constexpr W sign_flip(DType type) noexcept {
  return is_signed(type) ? static_cast<W>(W{1} << (core::word_bits<W> - 1)) : W{0};
}

/// A bijection. Floats come in the total order of IEEE 754: -NaN, -Inf ... -0.0, 0.0 ... Inf, NaN.
template <core::Word W>
constexpr W in_order(W word, WordOrder order) noexcept {
  constexpr W top = static_cast<W>(W{1} << (core::word_bits<W> - 1));
  if (order == WordOrder::floats)
    return (word & top) != 0 ? static_cast<W>(~word) : static_cast<W>(word | top);
  return order == WordOrder::signed_integers ? static_cast<W>(word ^ top) : word;
}
template <core::Word W>
constexpr W from_order(W number, WordOrder order) noexcept {
  constexpr W top = static_cast<W>(W{1} << (core::word_bits<W> - 1));
  if (order == WordOrder::floats)
    return (number & top) != 0 ? static_cast<W>(number ^ top) : static_cast<W>(~number);
  return order == WordOrder::signed_integers ? static_cast<W>(number ^ top) : number;
}

}  // namespace floe::trees
