// What is read to open a cursor, and the memory for what it points to. For one thread of a device, or of the
// CPU.
#pragma once

#include "core/bits.hpp"

namespace floe::gpu {

/// Bytes in memory, from the front. What lies beyond the end reads as zero and sets `failed`.
/// trees::ByteReader for devices.
struct BytesLeft {
  const std::uint8_t* at = nullptr;
  std::uint64_t left = 0;
  bool failed = false;

  FLOE_HD std::uint8_t get_byte() {
    if (left == 0) {
      failed = true;
      return 0;
    }
    --left;
    return *at++;
  }
  FLOE_HD std::uint64_t get_varint() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t byte = get_byte();
      if (failed || (shift == 63 && byte > 1) || (shift > 0 && byte == 0)) break;
      number |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return number;
    }
    failed = true;
    return 0;
  }
  FLOE_HD std::uint64_t get_word(unsigned bytes) {
    std::uint64_t word = 0;
    for (unsigned i = 0; i < bytes; ++i) word |= static_cast<std::uint64_t>(get_byte()) << (8 * i);
    return word;
  }
  /// A word of so many bytes as the varint of its zig-zag.
  FLOE_HD std::uint64_t get_signed(unsigned bytes) {
    const std::uint64_t folded = get_varint(), word = folded >> 1 ^ (0 - (folded & 1)),
                        mask = core::low_mask<std::uint64_t>(8 * bytes);
    if (folded > mask) failed = true;
    return word & mask;
  }
  FLOE_HD const std::uint8_t* skip(std::uint64_t bytes) {
    if (bytes > left) {
      failed = true;
      return at;
    }
    at += bytes;
    left -= bytes;
    return at - bytes;
  }
};

/// Memory for what a cursor points to. Counts what is asked for even when there is no more.
struct IndexRoom {
  std::uint8_t* begin = nullptr;  ///< At a multiple of 16.
  std::uint64_t bytes = 0;
  std::uint64_t used = 0;

  template <class T>
  FLOE_HD T* take(std::uint64_t count) {
    const std::uint64_t first = used;
    used += core::align_up(count * sizeof(T), 16);
    return used <= bytes ? reinterpret_cast<T*>(begin + first) : nullptr;
  }
};

}  // namespace floe::gpu
