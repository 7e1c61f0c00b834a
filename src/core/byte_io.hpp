// The only ways in which numbers of a frame are written and read: bounds are checked on every step.
#pragma once

#include <cassert>
#include <cstdint>
#include <cstring>
#include <span>

#include "core/word.hpp"

namespace floe::format {

/// Writes fields one after the other into a buffer whose size was computed before.
class FieldWriter {
 public:
  explicit FieldWriter(std::span<std::uint8_t> to) : to_(to) {}
  template <core::Word W>
  void put(W value) {
    assert(position_ + sizeof value <= to_.size());
    core::store(to_.data() + position_, value);
    position_ += sizeof value;
  }
  void put_bytes(std::span<const std::uint8_t> bytes) {
    assert(position_ + bytes.size() <= to_.size());
    if (!bytes.empty()) std::memcpy(to_.data() + position_, bytes.data(), bytes.size());
    position_ += bytes.size();
  }
  void zero_until(std::size_t position) {
    assert(position_ <= position && position <= to_.size());
    std::memset(to_.data() + position_, 0, position - position_);
    position_ = position;
  }
  [[nodiscard]] std::size_t position() const { return position_; }

 private:
  std::span<std::uint8_t> to_;
  std::size_t position_ = 0;
};

/// Reads fields one after the other; what lies beyond the end reads as zero and sets `failed`.
class FieldReader {
 public:
  explicit FieldReader(std::span<const std::uint8_t> from) : from_(from) {}
  template <core::Word W>
  W get() {
    const std::span<const std::uint8_t> bytes = get_bytes(sizeof(W));
    return bytes.size() == sizeof(W) ? core::load<W>(bytes.data()) : W{0};
  }
  std::span<const std::uint8_t> get_bytes(std::size_t count) {
    if (count > from_.size() - position_) {
      failed_ = true;
      return {};
    }
    const auto bytes = from_.subspan(position_, count);
    position_ += count;
    return bytes;
  }
  /// True if all bytes from here up to `position` are zero; moves there.
  bool zeros_until(std::size_t position) {
    if (position < position_ || position > from_.size()) return false;
    bool zeros = true;
    for (; position_ < position; ++position_) zeros = zeros && from_[position_] == 0;
    return zeros;
  }
  [[nodiscard]] std::size_t position() const { return position_; }
  [[nodiscard]] std::size_t remaining() const { return from_.size() - position_; }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  std::span<const std::uint8_t> from_;
  std::size_t position_ = 0;
  bool failed_ = false;
};

}  // namespace floe::format
