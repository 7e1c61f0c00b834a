#include "rows/cells/column_content.hpp"

#include <algorithm>
#include <concepts>
#include <cstring>
#include <limits>

namespace floe::tables {
namespace {

template <class Narrow, class Wide>
Words converted(series::Type type, std::span<const Wide> values) {
  Words words(type, values.size());
  std::transform(values.begin(), values.end(), words.as<Narrow>().begin(), [](Wide value) { return static_cast<Narrow>(value); });
  return words;
}

}  // namespace

std::int64_t Words::integer(std::uint64_t index) const noexcept {
  switch (type_) {
    case series::Type::i8:
      return as<std::int8_t>()[index];
    case series::Type::i16:
      return as<std::int16_t>()[index];
    case series::Type::i32:
      return as<std::int32_t>()[index];
    case series::Type::u8:
    case series::Type::boolean:
      return as<std::uint8_t>()[index];
    case series::Type::u16:
      return as<std::uint16_t>()[index];
    case series::Type::u32:
      return as<std::uint32_t>()[index];
    default:
      return as<std::int64_t>()[index];
  }
}

Words narrowed(std::span<const std::int64_t> values) {
  std::int64_t least = 0, greatest = 0;
  for (const std::int64_t value : values) {
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  }
  const auto fits = [&](auto limit) {
    using Narrow = decltype(limit);
    return least >= std::numeric_limits<Narrow>::min() && greatest <= std::numeric_limits<Narrow>::max();
  };
  if (fits(std::int8_t{})) return converted<std::int8_t>(series::Type::i8, values);
  if (fits(std::int16_t{})) return converted<std::int16_t>(series::Type::i16, values);
  if (fits(std::int32_t{})) return converted<std::int32_t>(series::Type::i32, values);
  return converted<std::int64_t>(series::Type::i64, values);
}

Words narrowed_codes(std::span<const std::uint32_t> codes, std::uint32_t largest) {
  if (largest <= std::numeric_limits<std::uint8_t>::max()) return converted<std::uint8_t>(series::Type::u8, codes);
  if (largest <= std::numeric_limits<std::uint16_t>::max()) return converted<std::uint16_t>(series::Type::u16, codes);
  return converted<std::uint32_t>(series::Type::u32, codes);
}

Words byte_words(std::string_view bytes) {
  Words words(series::Type::u8, bytes.size());
  if (!bytes.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

template <class T>
ValueRange range_of(std::span<const T> values) {
  bool found = false;
  T least{}, greatest{};
  for (const T value : values) {
    if (value != value) continue;  // NaN
    least = found ? std::min(least, value) : value;
    greatest = found ? std::max(greatest, value) : value;
    found = true;
  }
  if (!found) return {};
  if constexpr (std::floating_point<T>) {
    return {RangeKind::floating, std::bit_cast<std::uint64_t>(double{least}), std::bit_cast<std::uint64_t>(double{greatest})};
  } else if constexpr (std::unsigned_integral<T>) {
    return {RangeKind::unsigned_integer, std::uint64_t{least}, std::uint64_t{greatest}};
  } else {
    return {RangeKind::integer, static_cast<std::uint64_t>(std::int64_t{least}), static_cast<std::uint64_t>(std::int64_t{greatest})};
  }
}

template ValueRange range_of(std::span<const std::int8_t>);
template ValueRange range_of(std::span<const std::int16_t>);
template ValueRange range_of(std::span<const std::int32_t>);
template ValueRange range_of(std::span<const std::int64_t>);
template ValueRange range_of(std::span<const std::uint8_t>);
template ValueRange range_of(std::span<const std::uint16_t>);
template ValueRange range_of(std::span<const std::uint32_t>);
template ValueRange range_of(std::span<const std::uint64_t>);
template ValueRange range_of(std::span<const float>);
template ValueRange range_of(std::span<const double>);

}  // namespace floe::tables
