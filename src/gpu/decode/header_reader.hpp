// Reads the numbers of headers, byte by byte, by one thread.
#pragma once

#include "core/bits.hpp"
#include "gpu/warp/device.hpp"

namespace floe::gpu {

/// Bytes from `at` up to `end`. What lies beyond the end reads as zero and sets `failed`.
struct HeaderReader {
  const std::uint8_t* bytes;
  std::uint32_t at, end;
  bool failed = false;

  FLOE_DEVICE std::uint8_t get_byte() {
    if (at >= end) {
      failed = true;
      return 0;
    }
    return bytes[at++];
  }
  FLOE_DEVICE std::uint64_t get_varint() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t byte = get_byte();
      if ((shift == 63 && byte > 1) || (shift > 0 && byte == 0)) break;
      number |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return failed ? 0 : number;
    }
    failed = true;
    return 0;
  }
  /// A signed number of a word with `bits` bits, as a word.
  FLOE_DEVICE std::uint64_t get_signed(unsigned bits) {
    const std::uint64_t folded = get_varint(), mask = core::low_mask<std::uint64_t>(bits);
    if ((folded & mask) != folded) failed = true;
    return core::unzigzag(folded) & mask;
  }
  FLOE_DEVICE std::uint64_t get_word(unsigned size) {
    std::uint64_t word = 0;
    FLOE_NO_UNROLL
    for (unsigned i = 0; i < size; ++i) word |= static_cast<std::uint64_t>(get_byte()) << (8 * i);
    return word;
  }
  /// Moves behind `count` bytes.
  FLOE_DEVICE void skip(std::uint64_t count) {
    if (count > end - at) {
      failed = true;
    } else {
      at += static_cast<std::uint32_t>(count);
    }
  }
};

}  // namespace floe::gpu
