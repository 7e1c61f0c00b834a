// Single numbers of any bit width, one after the other: bit b of a stream is bit b mod 8 of byte b div 8,
// lowest bits first.
#pragma once

#include <cassert>
#include <cstdint>
#include <span>

#include "core/bits.hpp"
#include "core/byte_stream.hpp"

namespace floe::core {

inline constexpr std::uint64_t bytes_of_bits(std::uint64_t bits) { return bits / 8 + (bits % 8 != 0); }

/// Appends to a ByteWriter.
class BitWriter {
 public:
  explicit BitWriter(ByteWriter& to) : to_(to) {}
  /// `value` has at most `bits` bits, 0 to 64.
  void put(std::uint64_t value, unsigned bits) {
    pending_ |= value << filled_;
    if (filled_ + bits >= 64) {
      to_.put_word(pending_);
      pending_ = filled_ == 0 ? 0 : value >> (64 - filled_);
      filled_ += bits - 64;
    } else {
      filled_ += bits;
    }
  }
  /// The last byte is filled up with zeros.
  void finish() {
    for (unsigned done = 0; done < filled_; done += 8)
      to_.put_byte(static_cast<std::uint8_t>(pending_ >> done));
    pending_ = 0;
    filled_ = 0;
  }

 private:
  ByteWriter& to_;
  std::uint64_t pending_ = 0;
  unsigned filled_ = 0;  // bits of `pending_`, 0 to 63
};

/// Precondition of every call: the stream has as many bits.
class BitReader {
 public:
  explicit BitReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::uint64_t get(unsigned bits) {
    assert(position_ + bits <= bytes_.size() * 8);
    const std::size_t at = static_cast<std::size_t>(position_ / 8);
    const auto shift = static_cast<unsigned>(position_ % 8);
    position_ += bits;
    if (at + 9 <= bytes_.size()) {
      std::uint64_t value = load<std::uint64_t>(bytes_.data() + at) >> shift;
      if (shift + bits > 64) value |= static_cast<std::uint64_t>(bytes_[at + 8]) << (64 - shift);
      return value & low_mask<std::uint64_t>(bits);
    }
    std::uint64_t value = 0;
    for (std::size_t i = at; i < bytes_.size() && 8 * (i - at) < shift + bits; ++i) {
      const std::uint64_t byte = bytes_[i];
      value |= i == at ? byte >> shift : byte << (8 * (i - at) - shift);
    }
    return value & low_mask<std::uint64_t>(bits);
  }
  void skip(std::uint64_t bits) { position_ += bits; }

 private:
  std::span<const std::uint8_t> bytes_;
  std::uint64_t position_ = 0;
};

/// Calls use(index, number) for `count` numbers of `bits` bits from the begin of a stream on. Precondition:
/// the stream has as many bits.
template <class Use>
void for_each_number(std::span<const std::uint8_t> bytes, std::size_t count, unsigned bits, const Use& use) {
  constexpr unsigned max_loaded_bits = 57;  // from any bit of a byte on
  std::size_t i = 0;
  if (bits <= max_loaded_bits && bytes.size() >= sizeof(std::uint64_t)) {
    const std::uint64_t mask = low_mask<std::uint64_t>(bits),
                        end = 8 * (bytes.size() - sizeof(std::uint64_t)) + 8;
    std::uint64_t bit = 0;
    for (; i < count && bit < end; ++i, bit += bits)
      use(i, load<std::uint64_t>(bytes.data() + bit / 8) >> (bit % 8) & mask);
  }
  BitReader rest(bytes);
  rest.skip(std::uint64_t{i} * bits);
  for (; i < count; ++i) use(i, rest.get(bits));
}

}  // namespace floe::core
