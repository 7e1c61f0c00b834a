#include "container/value_range.hpp"

#include <algorithm>

#include "simd/kernels.hpp"

namespace floe::container {
namespace {

template <core::Word W>
constexpr W top = static_cast<W>(W{1} << (core::word_bits<W> - 1));

/// Smallest and largest word, as unsigned numbers after the XOR with `flip`.
template <core::Word W>
struct Extremes {
  W min = 0, max = 0;
  Extremes(std::span<const W> words, W flip) {
    trees::kernels().of<W>().range(words.data(), words.size(), flip, min, max);
  }
};

template <core::Word W>
ValueRange integer_range(std::span<const W> words, const RangeNumbers<W>& numbers, bool is_signed) {
  const Extremes<W> words_range(words, is_signed ? top<W> : W{0});
  return numbers.range(numbers.of_integer(words_range.min), numbers.of_integer(words_range.max));
}

/// NaNs are beyond infinity; where there are some, another word takes their places.
template <core::Word W>
ValueRange float_range(std::span<const W> words, const RangeNumbers<W>& numbers) {
  W min = 0, max = 0;
  trees::kernels().of<W>().float_range(words.data(), words.size(), min, max);
  if (numbers.is_nan(min) || numbers.is_nan(max)) {
    const auto number =
        std::find_if(words.begin(), words.end(), [&](W word) { return !numbers.is_nan(word); });
    if (number == words.end()) return {};
    trees::kernels().of<W>().range_of_numbers(words.data(), words.size(), numbers.infinity(), *number, min,
                                              max);
  }
  return numbers.range(numbers.of_float(min), numbers.of_float(max));
}

}  // namespace

ValueRange range_of(DType type, const void* values, std::uint64_t count) {
  return with_word(size_of(type), [&]<class W>(W) -> ValueRange {
    const std::span words(static_cast<const W*>(values), static_cast<std::size_t>(count));
    if (words.empty()) return {};
    const RangeNumbers<W> numbers(type);
    return is_float(type) ? float_range(words, numbers)
                          : integer_range(words, numbers, is_signed(word_type(type)));
  });
}

}  // namespace floe::container
