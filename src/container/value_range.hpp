// The smallest and the largest value of a column in a segment, which readers skip segments by.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>

#include "core/half.hpp"
#include "core/type.hpp"
#include "core/word.hpp"

namespace floe::container {

enum class RangeKind : std::uint8_t { none = 0, integer = 1, unsigned_integer = 2, floating = 3 };

/// NaN apart; -0.0 is smaller than 0.0.
struct ValueRange {
  RangeKind kind = RangeKind::none;
  std::uint64_t min = 0, max = 0;  ///< Bits of an i64, u64 or f64.
  friend constexpr bool operator==(const ValueRange&, const ValueRange&) = default;
};

/// Whether a range can be that of numbers for which `kind` is the right kind; none always can.
FLOE_HD constexpr bool is_valid(const ValueRange& range, RangeKind kind) noexcept {
  if (range.kind == RangeKind::none) return range == ValueRange{};
  if (range.kind != kind) return false;
  if (kind == RangeKind::floating)
    return std::bit_cast<double>(range.min) <= std::bit_cast<double>(range.max);
  return kind == RangeKind::integer
             ? static_cast<std::int64_t>(range.min) <= static_cast<std::int64_t>(range.max)
             : range.min <= range.max;
}
/// What kind of range words of a type have.
FLOE_HD constexpr RangeKind range_kind_of(DType type) noexcept {
  if (is_float(type)) return RangeKind::floating;
  return is_signed(word_type(type)) ? RangeKind::integer : RangeKind::unsigned_integer;
}

/// Of `count` words of a type, which are aligned.
ValueRange range_of(DType type, const void* words, std::uint64_t count);

/// Of words of a type.
template <core::Word W>
class RangeNumbers {
 public:
  FLOE_HD explicit constexpr RangeNumbers(DType type)
      : type_(type), flip_(is_signed(word_type(type)) ? top : W{0}), infinity_(infinity_of(type)) {}

  FLOE_HD constexpr W of_integer(W word) const { return static_cast<W>(word ^ flip_); }
  /// In the total order of floats: -0.0 is smaller than 0.0.
  FLOE_HD constexpr W of_float(W word) const {
    const auto negative = static_cast<W>(W{0} - static_cast<W>(word >> (core::word_bits<W> - 1)));
    return static_cast<W>(word ^ (negative | top));
  }
  FLOE_HD constexpr bool is_nan(W word) const { return static_cast<W>(word & ~top) > infinity_; }

  FLOE_HD constexpr W infinity() const { return infinity_; }

  /// The range of words with these numbers; NaN apart. None if `min` is greater than `max`.
  FLOE_HD constexpr ValueRange range(W min, W max) const {
    if (min > max) return {};
    const RangeKind kind = range_kind_of(type_);
    if (kind == RangeKind::floating) return {kind, as_double(from_float(min)), as_double(from_float(max))};
    const auto wide = [&](W number) {
      const auto word = static_cast<W>(number ^ flip_);
      return flip_ == 0 ? std::uint64_t{word}
                        : static_cast<std::uint64_t>(
                              static_cast<std::int64_t>(static_cast<std::make_signed_t<W>>(word)));
    };
    return {kind, wide(min), wide(max)};
  }

 private:
  static constexpr W top = static_cast<W>(W{1} << (core::word_bits<W> - 1));

  FLOE_HD static constexpr W infinity_of(DType type) {
    return static_cast<W>(type == DType::f64   ? 0x7FF0000000000000U
                          : type == DType::f32 ? 0x7F800000U
                          : type == DType::f16 ? 0x7C00U
                                               : 0x7F80U);
  }
  FLOE_HD static constexpr W from_float(W number) {
    return static_cast<W>(number ^ ((number & top) != 0 ? top : static_cast<W>(~W{0})));
  }
  /// The bits of the same number as an f64.
  FLOE_HD constexpr std::uint64_t as_double(W word) const {
    if constexpr (sizeof(W) == 8) return word;
    const float value = type_ == DType::f32   ? std::bit_cast<float>(static_cast<std::uint32_t>(word))
                        : type_ == DType::f16 ? core::from_f16(static_cast<std::uint16_t>(word))
                                              : core::from_bf16(static_cast<std::uint16_t>(word));
    return std::bit_cast<std::uint64_t>(static_cast<double>(value));
  }

  DType type_;
  W flip_, infinity_;
};

}  // namespace floe::container
