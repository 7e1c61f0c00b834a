#include "container/value_range.hpp"

namespace floe::container {
namespace {

/// Without branches: the loop is one of vectors.
template <bool floats, core::Word W>
ValueRange range_of_words(std::span<const W> words, const RangeNumbers<W>& numbers) {
  W min = static_cast<W>(~W{0}), max = 0;
  for (const W word : words) {
    const W number = floats ? numbers.of_float(word) : numbers.of_integer(word);
    const bool counts = !floats || !numbers.is_nan(word);
    const W as_min = counts ? number : static_cast<W>(~W{0}), as_max = counts ? number : W{0};
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
    return is_float(type) ? range_of_words<true>(words, numbers) : range_of_words<false>(words, numbers);
  });
}

}  // namespace floe::container
