// Helpers of the oracle: growing byte strings, words and single bits. Clarity before speed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/word.hpp"

namespace floe::oracle {

using Bytes = std::vector<std::uint8_t>;
using MaybeBytes =
    std::optional<Bytes>;  ///< Empty: does not fit (encoding) or contradicts the format (decoding).

template <core::Word W>
std::vector<W> to_words(const Bytes& bytes) {
  std::vector<W> words(bytes.size() / sizeof(W));
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = core::load<W>(bytes.data() + i * sizeof(W));
  return words;
}

template <core::Word W>
void append_word(Bytes& bytes, W word, unsigned byte_count = sizeof(W)) {
  for (unsigned b = 0; b < byte_count; ++b) bytes.push_back(static_cast<std::uint8_t>(word >> (8 * b)));
}

/// The bytes after the last whole word.
template <core::Word W>
Bytes tail_of(const Bytes& bytes) {
  return Bytes(bytes.end() - static_cast<std::ptrdiff_t>(bytes.size() % sizeof(W)), bytes.end());
}

inline void append(Bytes& to, const Bytes& what) { to.insert(to.end(), what.begin(), what.end()); }

template <core::Word W>
Bytes to_bytes(const std::vector<W>& words, const Bytes& tail = {}) {
  Bytes bytes(words.size() * sizeof(W));
  for (std::size_t i = 0; i < words.size(); ++i) core::store(bytes.data() + i * sizeof(W), words[i]);
  append(bytes, tail);
  return bytes;
}

/// Bit b of the stream is bit b mod 8 of byte b div 8; numbers are written with their lowest bit first.
class BitWriter {
 public:
  void put(std::uint64_t value, unsigned bits) {
    for (unsigned i = 0; i < bits; ++i, ++count_) {
      if (count_ % 8 == 0) bytes_.push_back(0);
      bytes_[count_ / 8] |= static_cast<std::uint8_t>(((value >> i) & 1) << (count_ % 8));
    }
  }
  [[nodiscard]] const Bytes& bytes() const { return bytes_; }

 private:
  Bytes bytes_;
  std::size_t count_ = 0;
};

/// Reads what BitWriter wrote; reading past the end gives zeros and sets `failed`.
class BitReader {
 public:
  explicit BitReader(const Bytes& bytes, std::size_t first_byte = 0)
      : bytes_(bytes), position_(first_byte * 8) {}
  std::uint64_t get(unsigned bits) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < bits; ++i, ++position_) {
      if (position_ / 8 >= bytes_.size()) {
        failed_ = true;
        return value;
      }
      value |= static_cast<std::uint64_t>((bytes_[position_ / 8] >> (position_ % 8)) & 1) << i;
    }
    return value;
  }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] std::size_t bytes_used() const { return (position_ + 7) / 8; }

 private:
  const Bytes& bytes_;
  std::size_t position_;
  bool failed_ = false;
};

}  // namespace floe::oracle
