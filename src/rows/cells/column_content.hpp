// What is left of a column's cells when their way of writing is known: streams of words, and what is said
// about them.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/type.hpp"
#include "rows/cells/decimal_text.hpp"
#include "rows/cells/float_text.hpp"
#include "rows/cells/time_text.hpp"

namespace floe::rows {

/// Words of one type in memory.
class Words {
 public:
  Words() = default;
  Words(DType type, std::uint64_t count) : type_(type), count_(count), bytes_(count * size_of(type)) {}

  [[nodiscard]] DType type() const noexcept { return type_; }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] void* data() noexcept { return bytes_.data(); }
  [[nodiscard]] const void* data() const noexcept { return bytes_.data(); }
  [[nodiscard]] std::span<const std::uint8_t> bytes() const noexcept { return bytes_; }
  /// Precondition: T has the width of the type.
  template <class T>
  [[nodiscard]] std::span<T> as() noexcept {
    return {reinterpret_cast<T*>(bytes_.data()), static_cast<std::size_t>(count_)};
  }
  template <class T>
  [[nodiscard]] std::span<const T> as() const noexcept {
    return {reinterpret_cast<const T*>(bytes_.data()), static_cast<std::size_t>(count_)};
  }
  /// The word of a stream of signed or unsigned integers.
  [[nodiscard]] std::int64_t integer(std::uint64_t index) const noexcept;

 private:
  DType type_ = DType::u8;
  std::uint64_t count_ = 0;
  std::vector<std::uint8_t> bytes_;
};

/// Integers in the narrowest signed type that holds them all.
Words narrowed(std::span<const std::int64_t> values);
/// Numbers from 0 to `largest` in the narrowest unsigned type.
Words narrowed_codes(std::span<const std::uint32_t> codes, std::uint32_t largest);
Words byte_words(std::string_view bytes);

/// A column of one segment. The streams, by kind of writing:
///   native, decimal, f32, f64, time: numbers      free_decimal: numbers, decimals
///   words: lengths, bytes, codes                  text: lengths, bytes
/// and with marks after those: marks, lengths and bytes of the literals.
struct ColumnContent {
  CellFormat format;
  std::vector<Words> streams;
  ValueRange range;
};

}  // namespace floe::rows
