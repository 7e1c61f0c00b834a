// A stream: typed words in memory, borrowed or owned.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "core/type.hpp"
#include "core/word.hpp"
#include "encodings/scratch.hpp"

namespace floe::trees {

/// Words that somebody else owns. The pointer needs the alignment of the words.
struct ColumnView {
  DType type = DType::u8;
  const void* values = nullptr;
  std::uint64_t count = 0;

  [[nodiscard]] std::uint64_t bytes() const { return count * size_of(type); }
  /// Precondition: sizeof(W) == size_of(type).
  template <core::Word W>
  [[nodiscard]] std::span<const W> words() const {
    return {static_cast<const W*>(values), static_cast<std::size_t>(count)};
  }
};

/// Words that an encoding made.
class Stream {
 public:
  Stream(DType type, std::uint64_t count, Scratch& scratch)
      : type_(type), count_(count), block_(scratch.take(count * size_of(type))) {}
  [[nodiscard]] ColumnView view() const { return {type_, block_.data(), count_}; }
  [[nodiscard]] void* data() { return block_.data(); }
  template <core::Word W>
  std::span<W> words() {
    return {reinterpret_cast<W*>(block_.data()), static_cast<std::size_t>(count_)};
  }
  /// Fewer words than there is room for.
  void shorten(std::uint64_t count) { count_ = count; }

 private:
  DType type_;
  std::uint64_t count_;
  Block block_;
};

}  // namespace floe::trees
