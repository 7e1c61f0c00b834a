// Single numbers of any bit width at any bit position. Bit b of a stream is bit b mod 8 of byte b div 8;
// lowest bits first.
#pragma once

#include "core/bits.hpp"

namespace floe::cpu {

/// Writes on from a bit position; the bits before it in the same byte stay. Writes up to 8 bytes past the
/// last bit.
class BitWriter {
 public:
  BitWriter(std::uint8_t* stream, std::size_t first_bit)
      : to_(stream + first_bit / 8),
        filled_(static_cast<unsigned>(first_bit % 8)),
        pending_(filled_ == 0 ? 0 : *to_ & core::low_mask<std::uint64_t>(filled_)) {}

  /// `value` has at most `bits` bits, 0 to 64.
  void put(std::uint64_t value, unsigned bits) {
    pending_ |= value << filled_;
    if (filled_ + bits >= 64) {
      core::store(to_, pending_);
      to_ += 8;
      pending_ = filled_ == 0 ? 0 : value >> (64 - filled_);
      filled_ += bits - 64;
    } else {
      filled_ += bits;
    }
  }
  /// The last byte is filled up with zeros.
  void finish() { core::store(to_, pending_); }

 private:
  std::uint8_t* to_;
  unsigned filled_;  // bits of `pending_`, 0 to 63
  std::uint64_t pending_;
};

/// `bits` is 0 to 64. Reads up to 9 bytes from the byte that holds `first_bit`.
inline std::uint64_t read_bits(const std::uint8_t* stream, std::size_t first_bit, unsigned bits) {
  const std::uint8_t* from = stream + first_bit / 8;
  const auto shift = static_cast<unsigned>(first_bit % 8);
  std::uint64_t value = core::load<std::uint64_t>(from) >> shift;
  if (shift + bits > 64) value |= static_cast<std::uint64_t>(from[8]) << (64 - shift);
  return value & core::low_mask<std::uint64_t>(bits);
}

}  // namespace floe::cpu
