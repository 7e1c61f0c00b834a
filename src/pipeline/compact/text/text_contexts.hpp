// What stands before a byte of CSV text, as far as it tells which byte comes next: docs/format/text.md,
// "Contexts" and "Repetition".
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace floe::pipeline {

inline constexpr std::size_t text_context_count = 8;

constexpr std::uint32_t mixed_hash(std::uint32_t a, std::uint32_t b) noexcept {
  std::uint32_t x = a * 0x9E3779B1u ^ (b * 0x85EBCA6Bu + 0x165667B1u);
  x ^= x >> 15;
  x *= 0x2C1B3C6Du;
  return x ^ x >> 13;
}

/// Reads bytes one by one.
class TextContexts {
 public:
  explicit TextContexts(std::uint8_t separator) : separator_(separator) {}

  void add(std::uint8_t byte);
  /// Of the byte that comes next.
  [[nodiscard]] std::array<std::uint32_t, text_context_count> hashes() const;
  [[nodiscard]] std::uint32_t column() const noexcept { return column_; }
  [[nodiscard]] std::uint8_t last() const noexcept {
    return bytes_.empty() ? std::uint8_t{0} : bytes_.back();
  }
  /// Bytes of the cell so far.
  [[nodiscard]] std::uint32_t position() const noexcept {
    return static_cast<std::uint32_t>(bytes_.size()) - cell_begin_;
  }
  /// So many bytes repeat others, at least; 0 if none do.
  [[nodiscard]] std::uint32_t repeated() const noexcept { return repeated_; }
  /// What follows if they go on to. Precondition: repeated() > 0.
  [[nodiscard]] std::uint8_t expected() const noexcept { return bytes_[repetition_]; }
  void end_repetition() noexcept { repeated_ = 0; }

  [[nodiscard]] const std::vector<std::uint8_t>& bytes() const noexcept { return bytes_; }

 private:
  /// The cell of a column in the row before.
  struct CellAbove {
    std::uint32_t begin = 0, length = 0;
  };
  [[nodiscard]] std::uint32_t back(std::size_t distance) const noexcept {
    return distance <= bytes_.size() ? bytes_[bytes_.size() - distance] : 0;
  }
  [[nodiscard]] std::uint32_t last_four() const noexcept {
    return back(1) | back(2) << 8 | back(3) << 16 | back(4) << 24;
  }
  [[nodiscard]] std::uint32_t byte_above(const CellAbove& above, std::uint32_t position) const noexcept;
  void end_cell(bool ends_row);
  void find_repetition(std::uint8_t byte);
  /// Begins at a position, if more bytes before it than now are those before the next one.
  void begin_repetition(std::uint32_t position);

  static constexpr std::size_t max_columns = 4096;
  static constexpr unsigned position_bits = 16;
  /// Where so many bytes stood before is remembered: few are found again soon, many at the right position.
  static constexpr std::uint32_t few_bytes = 5, many_bytes = 20;

  std::uint8_t separator_;
  std::vector<std::uint8_t> bytes_;
  bool is_in_quotes_ = false;
  std::uint32_t column_ = 0, cell_begin_ = 0;
  std::uint32_t cell_ = 0, left_ = 0, second_left_ = 0;  ///< Hashes of cells.
  std::vector<CellAbove> above_ = std::vector<CellAbove>(max_columns);
  std::vector<std::uint32_t> of_few_ = std::vector<std::uint32_t>(std::size_t{1} << position_bits),
                             of_many_ = of_few_;
  std::uint32_t many_ = 0;  ///< A hash of the last many bytes.
  std::uint32_t repetition_ = 0, repeated_ = 0;
};

}  // namespace floe::pipeline
