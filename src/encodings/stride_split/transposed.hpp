// StrideSplit with all parts in one child: rows become columns, a block of rows at a time, so that a decoder
// has no more than a block in memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "encodings/rules.hpp"
#include "encodings/source.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {

/// Words of part `part` of `parts`, of `count` words in all.
constexpr std::uint64_t share_of(std::uint64_t count, std::uint64_t parts, std::uint64_t part) {
  return (count + parts - 1 - part) / parts;
}

/// Words of all blocks but the last one: whole rows of so many.
template <core::Word W>
constexpr std::size_t words_of_block(std::size_t columns) {
  return StrideSplitRules::max_block_bytes / sizeof(W) / columns * columns;
}

/// Rows of a block, the last of which may be shorter, as columns one behind the other. Some columns at a
/// time, so that the lines that are written stay in a cache.
template <core::Word W>
void transpose_block(std::span<const W> rows, std::size_t columns, W* to) {
  constexpr std::size_t at_a_time = 16;
  std::array<W*, at_a_time> ends;
  for (std::size_t first = 0; first < std::min(columns, rows.size()); first += at_a_time) {
    const std::size_t count = std::min(at_a_time, columns - first);
    for (std::size_t i = 0; i < count; ++i) {
      ends[i] = to;
      to += share_of(rows.size(), columns, first + i);
    }
    for (std::size_t at = first; at < rows.size(); at += columns) {
      const std::size_t here = std::min(count, rows.size() - at);
      for (std::size_t i = 0; i < here; ++i) *ends[i]++ = rows[at + i];
    }
  }
}

template <core::Word W>
void transpose_blocks(std::span<const W> words, std::size_t columns, W* to) {
  const std::size_t block = words_of_block<W>(columns);
  for (std::size_t i = 0; i < words.size(); i += block)
    transpose_block(words.subspan(i, std::min(block, words.size() - i)), columns, to + i);
}

/// Reads a block of columns, and gives its rows.
template <core::Word W>
class TransposedSource final : public Source {
 public:
  TransposedSource(std::size_t columns, std::uint64_t count, std::unique_ptr<Source> parts)
      : columns_(columns),
        block_words_(words_of_block<W>(columns)),
        left_(count),
        block_(static_cast<std::size_t>(bytes(columns, count) / sizeof(W))),
        parts_(std::move(parts)) {}
  /// Of its block, and of room to move columns apart.
  static std::uint64_t bytes(std::size_t columns, std::uint64_t count) {
    return (std::min<std::uint64_t>(count, words_of_block<W>(columns)) + columns) * sizeof(W);
  }

  bool read(void* words, std::size_t count) override {
    W* out = static_cast<W*>(words);
    while (count > 0) {
      if (at_ == filled_ && !fill()) return false;
      const std::size_t part = std::min(count, filled_ - at_);
      take(out, part);
      out += part;
      count -= part;
    }
    return true;
  }
  bool skip(std::uint64_t count) override {
    const auto here = static_cast<std::size_t>(std::min<std::uint64_t>(count, filled_ - at_));
    at_ += here;
    count -= here;
    const std::uint64_t passed = count == left_ ? count : count - count % block_words_;
    if (passed > 0 && !parts_->skip(passed)) return false;
    left_ -= passed;
    count -= passed;
    if (count == 0) return true;
    if (!fill()) return false;
    at_ = static_cast<std::size_t>(count);
    return true;
  }
  /// Some rows: lines of columns are looked at once for all of them.
  [[nodiscard]] std::size_t words_at_once() const override {
    constexpr std::size_t rows = 16, max_pieces = 16;
    return std::clamp(rows * columns_, piece_words, max_pieces * piece_words);
  }

 private:
  /// Reads the next block. Its columns then lie at equal distances.
  bool fill() {
    filled_ = static_cast<std::size_t>(std::min<std::uint64_t>(block_words_, left_));
    left_ -= filled_;
    at_ = 0;
    for (std::size_t i = 0; i < filled_; i += piece_words) {
      if (!parts_->read(block_.data() + i, std::min(piece_words, filled_ - i))) return false;
    }
    const std::size_t rows = filled_ / columns_, longer = filled_ % columns_;
    distance_ = rows + (longer > 0 ? 1 : 0);
    if (longer == 0) return true;
    for (std::size_t i = columns_; i-- > longer + 1;)  // from the last one on, as each moves up
      std::memmove(block_.data() + i * distance_, block_.data() + i * rows + longer, rows * sizeof(W));
    return true;
  }
  /// Writes the next words of the block.
  void take(W* out, std::size_t count) {
    while (count > 0) {
      const std::size_t row = at_ / columns_, first = at_ % columns_, rows = count / columns_;
      std::size_t part = rows * columns_;
      if (first == 0 && rows > 0) {
        kernels().decoding<W>().interleave(block_.data() + row, distance_, columns_, rows, out);
      } else {
        part = std::min(columns_ - first, count);
        for (std::size_t i = 0; i < part; ++i) out[i] = block_[(first + i) * distance_ + row];
      }
      out += part;
      at_ += part;
      count -= part;
    }
  }

  std::size_t columns_, block_words_;
  std::uint64_t left_;  // of words that are not in the block
  std::vector<W> block_;
  std::size_t at_ = 0, filled_ = 0, distance_ = 0;
  std::unique_ptr<Source> parts_;
};

}  // namespace floe::trees
