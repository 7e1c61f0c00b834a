#include "container/value_range.hpp"

#include <bit>

#include "core/half.hpp"
#include "core/type.hpp"

namespace floe::container {
namespace {

template <core::Word W>
constexpr W top = static_cast<W>(W{1} << (core::word_bits<W> - 1));

/// All ones for negative floats.
template <core::Word W>
constexpr W sign_mask(W word) {
  return static_cast<W>(W{0} - static_cast<W>(word >> (core::word_bits<W> - 1)));
}

struct Extremes {
  std::uint64_t min = 0, max = 0;
  bool found = false;
};

/// In the order of unsigned numbers after their bits in `flip` are inverted.
template <core::Word W>
Extremes integer_extremes(std::span<const W> words, W flip) {
  W min = static_cast<W>(~W{0}), max = 0;
  for (const W word : words) {
    const W number = static_cast<W>(word ^ flip);
    min = number < min ? number : min;
    max = number > max ? number : max;
  }
  return {static_cast<W>(min ^ flip), static_cast<W>(max ^ flip), !words.empty()};
}

/// In the total order of floats, without those that are larger than `infinity` without their sign.
template <core::Word W>
Extremes float_extremes(std::span<const W> words, W infinity) {
  W min = static_cast<W>(~W{0}), max = 0;
  for (const W word : words) {
    const W number = static_cast<W>(word ^ (sign_mask(word) | top<W>));
    const bool is_nan = static_cast<W>(word & ~top<W>) > infinity;
    const W as_min = is_nan ? static_cast<W>(~W{0}) : number, as_max = is_nan ? W{0} : number;
    min = as_min < min ? as_min : min;
    max = as_max > max ? as_max : max;
  }
  const auto back = [](W number) {
    return static_cast<W>(number ^ ((number & top<W>) != 0 ? top<W> : static_cast<W>(~W{0})));
  };
  return {back(min), back(max), max >= min};
}

std::uint64_t as_double(DType type, std::uint64_t bits) {
  switch (type) {
    case DType::f32:
      return std::bit_cast<std::uint64_t>(
          static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
    case DType::f16:
      return std::bit_cast<std::uint64_t>(
          static_cast<double>(core::from_f16(static_cast<std::uint16_t>(bits))));
    case DType::bf16:
      return std::bit_cast<std::uint64_t>(
          static_cast<double>(core::from_bf16(static_cast<std::uint16_t>(bits))));
    default:
      return bits;
  }
}

constexpr std::uint64_t infinity_of(DType type) {
  return type == DType::f64   ? 0x7FF0000000000000U
         : type == DType::f32 ? 0x7F800000U
         : type == DType::f16 ? 0x7C00U
                              : 0x7F80U;
}

}  // namespace

bool is_valid(const ValueRange& range, RangeKind kind) noexcept {
  if (range.kind == RangeKind::none) return range == ValueRange{};
  if (range.kind != kind) return false;
  if (kind == RangeKind::floating)
    return std::bit_cast<double>(range.min) <= std::bit_cast<double>(range.max);
  return kind == RangeKind::integer
             ? static_cast<std::int64_t>(range.min) <= static_cast<std::int64_t>(range.max)
             : range.min <= range.max;
}

RangeKind range_kind_of(DType type) noexcept {
  if (is_float(type)) return RangeKind::floating;
  return is_signed(word_type(type)) ? RangeKind::integer : RangeKind::unsigned_integer;
}

ValueRange range_of(DType type, const void* values, std::uint64_t count) {
  return with_word(size_of(type), [&]<class W>(W) -> ValueRange {
    const std::span words(static_cast<const W*>(values), static_cast<std::size_t>(count));
    if (is_float(type)) {
      const Extremes found = float_extremes(words, static_cast<W>(infinity_of(type)));
      return found.found
                 ? ValueRange{RangeKind::floating, as_double(type, found.min), as_double(type, found.max)}
                 : ValueRange{};
    }
    const bool has_sign = is_signed(word_type(type));
    const Extremes found = integer_extremes(words, has_sign ? top<W> : W{0});
    if (!found.found) return {};
    if (!has_sign) return {RangeKind::unsigned_integer, found.min, found.max};
    const auto extended = [](std::uint64_t bits) {
      return static_cast<std::uint64_t>(
          static_cast<std::int64_t>(static_cast<std::make_signed_t<W>>(static_cast<W>(bits))));
    };
    return {RangeKind::integer, extended(found.min), extended(found.max)};
  });
}

ValueRange range_of(std::span<const std::int64_t> values) {
  return range_of(DType::i64, values.data(), values.size());
}
ValueRange range_of(std::span<const float> values) {
  return range_of(DType::f32, values.data(), values.size());
}
ValueRange range_of(std::span<const double> values) {
  return range_of(DType::f64, values.data(), values.size());
}

}  // namespace floe::container
