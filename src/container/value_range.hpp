// The smallest and the largest value of a column in a segment, which readers skip segments by.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "core/type.hpp"

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
ValueRange range_of(std::span<const std::int64_t> values);
ValueRange range_of(std::span<const float> values);
ValueRange range_of(std::span<const double> values);

}  // namespace floe::container
