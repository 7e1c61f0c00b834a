#include "pipeline/compact/text/text_contexts.hpp"

#include <algorithm>

namespace floe::pipeline {

std::uint32_t TextContexts::byte_above(const CellAbove& above, std::uint32_t position) const noexcept {
  if (position < above.length) return bytes_[above.begin + position];
  return position == above.length ? separator_ : 0;
}

std::array<std::uint32_t, text_context_count> TextContexts::hashes() const {
  const std::uint32_t column = column_ % max_columns, four = last_four();
  const std::uint32_t position = this->position();
  const CellAbove& above = above_[column];
  const std::uint32_t next_above = byte_above(above, position),
                      second_above =
                          position + 1 < above.length ? std::uint32_t{bytes_[above.begin + position + 1]} : 0;
  const std::uint32_t cell = mixed_hash(cell_, column);
  std::array<std::uint32_t, text_context_count> hashes{
      four & 0xFF,
      four & 0xFFFFFF,
      mixed_hash(four, back(5) | back(6) << 8),
      cell,
      mixed_hash(cell, mixed_hash(left_, second_left_)),
      mixed_hash(next_above | second_above << 8 | back(1) << 16, column),
      mixed_hash(column, position | next_above << 16),
      mixed_hash(column, position | std::uint32_t{1} << 31),
  };
  for (std::uint32_t i = 0; i < hashes.size(); ++i) hashes[i] = mixed_hash(hashes[i], i);
  return hashes;
}

void TextContexts::add(std::uint8_t byte) {
  bytes_.push_back(byte);
  if (byte == '"') is_in_quotes_ = !is_in_quotes_;
  if (byte == '\n' || (byte == separator_ && !is_in_quotes_))
    end_cell(byte == '\n');
  else
    cell_ = mixed_hash(cell_, std::uint32_t{byte} + 1);
  find_repetition(byte);
}

void TextContexts::end_cell(bool ends_row) {
  const auto begin = static_cast<std::uint32_t>(bytes_.size());
  above_[column_ % max_columns] = {cell_begin_, begin - 1 - cell_begin_};
  second_left_ = left_;
  left_ = cell_;
  ++column_;
  if (ends_row) {
    column_ = left_ = second_left_ = 0;
    is_in_quotes_ = false;
  }
  cell_ = 0;
  cell_begin_ = begin;
}

/// The repetition goes on, or another one is looked for. A short one may be a chance.
void TextContexts::find_repetition(std::uint8_t byte) {
  constexpr std::uint32_t max_counted = 65535, factor = 0x2C1B3C6D;
  constexpr std::uint32_t of_dropped = [] {  // factor to the power of many_bytes + 1
    std::uint32_t power = 1;
    for (std::uint32_t i = 0; i <= many_bytes; ++i) power *= factor;
    return power;
  }();
  if (repeated_ > 0 && bytes_[repetition_] == byte) {
    ++repetition_;
    repeated_ = std::min(repeated_ + 1, max_counted);
  } else {
    repeated_ = 0;
  }
  many_ = (many_ + byte) * factor - back(many_bytes + 1) * of_dropped;
  const auto size = static_cast<std::uint32_t>(bytes_.size());
  if (size >= many_bytes) {
    std::uint32_t& position = of_many_[mixed_hash(many_, many_bytes) >> (32 - position_bits)];
    if (repeated_ < many_bytes) begin_repetition(position);
    position = size;
  }
  if (size < few_bytes) return;
  std::uint32_t& position = of_few_[mixed_hash(last_four(), back(few_bytes)) >> (32 - position_bits)];
  if (repeated_ == 0) begin_repetition(position);
  position = size;
}

void TextContexts::begin_repetition(std::uint32_t position) {
  constexpr std::uint32_t max_compared = 32;
  const std::size_t size = bytes_.size();
  std::uint32_t same = 0;
  while (same < std::min(max_compared, position) && bytes_[position - 1 - same] == bytes_[size - 1 - same])
    ++same;
  if (same <= repeated_) return;
  repetition_ = position;
  repeated_ = same;
}

}  // namespace floe::pipeline
