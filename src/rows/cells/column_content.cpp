#include "rows/cells/column_content.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

namespace floe::rows {
namespace {

template <class Narrow, class Wide>
Words converted(DType type, std::span<const Wide> values) {
  Words words(type, values.size());
  std::transform(values.begin(), values.end(), words.as<Narrow>().begin(),
                 [](Wide value) { return static_cast<Narrow>(value); });
  return words;
}

}  // namespace

std::int64_t Words::integer(std::uint64_t index) const noexcept {
  return with_word(size_of(type_), [&]<class W>(W) {
    const W word = as<W>()[index];
    return is_signed(type_) ? std::int64_t{static_cast<std::make_signed_t<W>>(word)}
                            : static_cast<std::int64_t>(word);
  });
}

Words narrowed(std::span<const std::int64_t> values) {
  std::int64_t min = 0, max = 0;
  for (const std::int64_t value : values) {
    min = std::min(min, value);
    max = std::max(max, value);
  }
  const auto fits = [&](auto limit) {
    using Narrow = decltype(limit);
    return min >= std::numeric_limits<Narrow>::min() && max <= std::numeric_limits<Narrow>::max();
  };
  if (fits(std::int8_t{})) return converted<std::int8_t>(DType::i8, values);
  if (fits(std::int16_t{})) return converted<std::int16_t>(DType::i16, values);
  if (fits(std::int32_t{})) return converted<std::int32_t>(DType::i32, values);
  return converted<std::int64_t>(DType::i64, values);
}

Words narrowed_codes(std::span<const std::uint32_t> codes, std::uint32_t largest) {
  if (largest <= std::numeric_limits<std::uint8_t>::max()) return converted<std::uint8_t>(DType::u8, codes);
  if (largest <= std::numeric_limits<std::uint16_t>::max())
    return converted<std::uint16_t>(DType::u16, codes);
  return converted<std::uint32_t>(DType::u32, codes);
}

Words byte_words(std::string_view bytes) {
  Words words(DType::u8, bytes.size());
  if (!bytes.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

}  // namespace floe::rows
