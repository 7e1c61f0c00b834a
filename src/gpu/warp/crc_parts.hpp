// CRC-32C in parts: the threads of a block take turns with the words of a message, and their shares are
// joined at the end.
#pragma once

#include <array>
#include <cstdint>

#include "core/word.hpp"

namespace floe::gpu {

/// A polynomial over GF(2) modulo that of CRC-32C, as CRC registers hold it: bit 31 is the coefficient of
/// x^0.
struct CrcPolynomial {
  static constexpr std::uint32_t modulus = 0x82F63B78;
  static constexpr std::uint32_t one = 0x80000000;

  static FLOE_HD constexpr std::uint32_t times_x(std::uint32_t a) {
    return (a >> 1) ^ ((a & 1) != 0 ? modulus : 0);
  }
  static FLOE_HD constexpr std::uint32_t multiply(std::uint32_t a, std::uint32_t b) {
    std::uint32_t product = 0;
    for (int bit = 31; bit >= 0; --bit) {
      product ^= (a >> bit & 1) != 0 ? b : 0;
      b = times_x(b);
    }
    return product;
  }
};

/// Threads that share one message. Thread t has the words t, t + crc_threads, t + 2 · crc_threads ... of the
/// message, as if it began with so many zeros that it is a multiple of crc_threads words long.
inline constexpr unsigned crc_threads = 512;

struct CrcTables {
  std::array<std::array<std::uint32_t, 256>, 4>
      step{};  ///< Of each byte of a number: its product with x^(32 · crc_threads).
  std::array<std::uint32_t, crc_threads> last{};  ///< x^(32 · (crc_threads - t)) for thread t.
};

constexpr CrcTables make_crc_tables() {
  CrcTables tables;
  std::uint32_t power = CrcPolynomial::one;
  for (unsigned t = crc_threads; t-- > 0;) {
    for (unsigned bit = 0; bit < 32; ++bit) power = CrcPolynomial::times_x(power);
    tables.last[t] = power;
  }
  for (unsigned byte = 0; byte < 4; ++byte) {
    for (std::uint32_t value = 0; value < 256; ++value) {
      tables.step[byte][value] = CrcPolynomial::multiply(value << (8 * byte), power);
    }
  }
  return tables;
}

/// A thread's share after one more word: `word` is 0 in front of the message, and the first one of the
/// message is inverted. `step` is CrcTables::step, 1024 numbers.
FLOE_HD inline std::uint32_t crc_step(const std::uint32_t* step, std::uint32_t share, std::uint32_t word) {
  return step[share & 255] ^ step[256 + (share >> 8 & 255)] ^ step[512 + (share >> 16 & 255)] ^
         step[768 + (share >> 24)] ^ word;
}

/// What a thread contributes in the end: the CRC is the inverted exclusive or of all. `last` is
/// CrcTables::last of the thread.
FLOE_HD inline std::uint32_t crc_contribution(std::uint32_t last, std::uint32_t share) {
  return CrcPolynomial::multiply(share, last);
}

}  // namespace floe::gpu
