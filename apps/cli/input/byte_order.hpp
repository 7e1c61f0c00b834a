// Words of the other byte order, piece by piece.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace floe::cli {

/// Reverses the bytes of words that arrive in pieces of any size.
class ByteOrderFilter {
 public:
  /// 1 byte: words stay as they are.
  explicit ByteOrderFilter(std::size_t word_bytes) : word_bytes_(word_bytes) {}

  /// The words that are complete now, reversed; valid until the next call.
  std::span<const std::byte> reverse(std::span<const std::byte> bytes);

 private:
  std::size_t word_bytes_;
  std::vector<std::byte> begun_;  ///< The first bytes of a word.
  std::vector<std::byte> words_;
};

}  // namespace floe::cli
