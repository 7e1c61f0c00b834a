// The bytes that are left of a chunk, while their number is not known yet.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/chunk.hpp"

namespace floe::cpu {

/// Stores write whole vectors. So the bytes go straight to the payload until a vector might not fit there any
/// more, which is rare, and then to memory that has room for one vector more than a chunk.
class KeptBytes {
 public:
  static constexpr std::size_t overshoot_bytes = 64;

  /// `payload` has core::chunk_bytes bytes, `spare` overshoot_bytes more.
  KeptBytes(std::uint8_t* payload, std::uint8_t* spare) : payload_(payload), spare_(spare), begin_(payload) {}

  /// The position of the next bytes; overshoot_bytes may be written, advance() says how many of them stay.
  std::uint8_t* room() {
    if (count_ > core::chunk_bytes - overshoot_bytes && begin_ == payload_) [[unlikely]] {
      std::memcpy(spare_, payload_, count_);
      begin_ = spare_;
    }
    return begin_ + count_;
  }
  void advance(std::size_t count) { count_ += count; }
  [[nodiscard]] std::size_t count() const { return count_; }

  /// Afterwards they are in the payload, which must have room for all of them.
  void finish() const {
    if (begin_ != payload_) std::memcpy(payload_, begin_, count_);
  }

 private:
  std::uint8_t* payload_;
  std::uint8_t* spare_;
  std::uint8_t* begin_;
  std::size_t count_ = 0;
};

}  // namespace floe::cpu
