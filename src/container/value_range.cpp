#include "container/value_range.hpp"

namespace floe::container {
namespace {

template <core::Word W>
ValueRange integer_range(std::span<const W> words, const RangeNumbers<W>& numbers) {
  W min = static_cast<W>(~W{0}), max = 0;
  for (const W word : words) {
    const W number = numbers.of_integer(word);
    min = number < min ? number : min;
    max = number > max ? number : max;
  }
  return numbers.range(min, max);
}

template <core::Word W>
ValueRange float_range(std::span<const W> words, const RangeNumbers<W>& numbers) {
  W min = static_cast<W>(~W{0}), max = 0;
  for (const W word : words) {
    const W number = numbers.of_float(word);
    const bool is_nan = numbers.is_nan(word);
    const W as_min = is_nan ? static_cast<W>(~W{0}) : number, as_max = is_nan ? W{0} : number;
    min = as_min < min ? as_min : min;
    max = as_max > max ? as_max : max;
  }
  return numbers.range(min, max);
}

}  // namespace

ValueRange range_of(DType type, const void* values, std::uint64_t count) {
  return with_word(size_of(type), [&]<class W>(W) -> ValueRange {
    const std::span words(static_cast<const W*>(values), static_cast<std::size_t>(count));
    const RangeNumbers<W> numbers(type);
    return is_float(type) ? float_range(words, numbers) : integer_range(words, numbers);
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
