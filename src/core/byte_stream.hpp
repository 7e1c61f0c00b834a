// How numbers of frames are written and read: little-endian words, and varints for numbers that are usually
// small.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "core/bits.hpp"
#include "core/spare_memory.hpp"
#include "core/word.hpp"

namespace floe::core {

/// Bytes that grow at the end. Their memory is kept for other writers.
class ByteWriter {
 public:
  ByteWriter() = default;
  ByteWriter(ByteWriter&& other) noexcept { bytes_.swap(other.bytes_); }
  ByteWriter& operator=(ByteWriter&& other) noexcept {
    bytes_.swap(other.bytes_);
    return *this;
  }
  ~ByteWriter() {
    if (bytes_.capacity() >= min_spare_bytes) keep_spare(std::move(bytes_));
  }

  void put_byte(std::uint8_t byte) { bytes_.push_back(byte); }
  /// 7 bits per byte, lowest first; bit 7 says that more bytes follow.
  void put_varint(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) bytes_.push_back(static_cast<std::uint8_t>(number | 0x80));
    bytes_.push_back(static_cast<std::uint8_t>(number));
  }
  /// A word taken as a signed number, as the varint of its zig-zag.
  template <Word W>
  void put_signed(W word) {
    put_varint(zigzag(word));
  }
  template <Word W>
  void put_word(W word) {
    store(extend(sizeof word), word);
  }
  /// Over bytes that were put before.
  template <Word W>
  void put_word_at(std::size_t position, W word) {
    store(bytes_.data() + position, word);
  }
  void put_bytes_at(std::size_t position, std::span<const std::uint8_t> bytes) {
    std::memcpy(bytes_.data() + position, bytes.data(), bytes.size());
  }
  void put_bytes(std::span<const std::uint8_t> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  /// Appends zeros, and returns where; valid until the next call.
  std::uint8_t* extend(std::size_t count) {
    bytes_.resize(bytes_.size() + count);
    return bytes_.data() + bytes_.size() - count;
  }
  /// Puts the number of bytes from `first` on before them, as a varint.
  void put_length_at(std::size_t first) {
    ByteWriter length;
    length.put_varint(bytes_.size() - first);
    bytes_.insert(bytes_.begin() + static_cast<std::ptrdiff_t>(first), length.bytes_.begin(),
                  length.bytes_.end());
  }
  /// Appends zeros up to a size.
  void zero_until(std::size_t size) { bytes_.resize(size); }
  void align(std::size_t alignment) {
    zero_until(static_cast<std::size_t>(align_up(bytes_.size(), alignment)));
  }
  /// Room for so many bytes, with memory that was kept if the writer is empty.
  void reserve(std::size_t size) {
    if (!bytes_.empty()) return bytes_.reserve(size);
    bytes_ = take_spare_vector(size);
  }
  /// Takes the bytes away; the writer is then empty.
  std::vector<std::uint8_t> release() { return std::exchange(bytes_, {}); }
  void cut(std::size_t size) { bytes_.resize(size); }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return bytes_; }

 private:
  std::vector<std::uint8_t> bytes_;
};

/// Reads from the front; what lies beyond the end, and a varint of more than 64 bits or of more bytes than it
/// needs, reads as zero and sets `failed`.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::uint8_t> bytes) : rest_(bytes), end_(bytes.size()) {}
  std::uint8_t get_byte() {
    const auto bytes = get_bytes(1);
    return bytes.empty() ? 0 : bytes[0];
  }
  std::uint64_t get_varint() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t byte = get_byte();
      if ((shift == 63 && byte > 1) || (shift > 0 && byte == 0)) break;
      number |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return failed_ ? 0 : number;
    }
    failed_ = true;
    return 0;
  }
  template <Word W>
  W get_signed() {
    const std::uint64_t folded = get_varint();
    if (folded != static_cast<W>(folded)) failed_ = true;
    return unzigzag(static_cast<W>(folded));
  }
  template <Word W>
  W get_word() {
    const auto bytes = get_bytes(sizeof(W));
    return bytes.empty() ? W{0} : load<W>(bytes.data());
  }
  /// Empty, and failed, if there are fewer.
  std::span<const std::uint8_t> get_bytes(std::uint64_t count) {
    if (count > rest_.size()) {
      failed_ = true;
      return {};
    }
    const auto bytes = rest_.first(static_cast<std::size_t>(count));
    rest_ = rest_.subspan(bytes.size());
    return bytes;
  }
  /// Moves on to a position; fails unless all bytes up to there are zero.
  bool zeros_until(std::size_t position) {
    const auto zeros = position < this->position() ? std::span<const std::uint8_t>{}
                                                   : get_bytes(position - this->position());
    for (const std::uint8_t byte : zeros) failed_ = failed_ || byte != 0;
    failed_ = failed_ || position != this->position();
    return !failed_;
  }
  bool align(std::size_t alignment) {
    return zeros_until(static_cast<std::size_t>(align_up(position(), alignment)));
  }
  [[nodiscard]] std::span<const std::uint8_t> rest() const { return rest_; }
  [[nodiscard]] std::size_t position() const { return end_ - rest_.size(); }
  [[nodiscard]] std::size_t remaining() const { return rest_.size(); }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  std::span<const std::uint8_t> rest_;
  std::size_t end_;
  bool failed_ = false;
};

}  // namespace floe::core
