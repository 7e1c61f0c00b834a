// The content of a column whose cell format is known: streams of words.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/type.hpp"
#include "rows/cells/cell_text.hpp"

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

/// Texts one behind the other, and their lengths.
class TextList {
 public:
  void add(std::string_view text) {
    lengths_.push_back(static_cast<std::uint32_t>(text.size()));
    longest_ = std::max(longest_, lengths_.back());
    bytes_ += text;
  }
  [[nodiscard]] std::size_t count() const { return lengths_.size(); }
  /// Their lengths and bytes.
  void append_to(std::vector<Words>& streams) const {
    streams.push_back(narrowed_codes(lengths_, longest_));
    streams.push_back(byte_words(bytes_));
  }

 private:
  std::vector<std::uint32_t> lengths_;
  std::string bytes_;
  std::uint32_t longest_ = 0;
};

/// A column of one segment. The streams, by kind of format:
///   native, decimal, f32, f64, time: numbers      free_decimal: numbers, decimals
///   words: lengths, bytes, codes                  text: lengths, bytes
/// and with codes after those: codes, lengths and bytes of the exceptions.
struct ColumnContent {
  CellFormat format;
  std::vector<Words> streams;
  ValueRange range;
  std::optional<container::BaseColumn> base = {};  ///< Then the numbers are differences.
};

}  // namespace floe::rows
