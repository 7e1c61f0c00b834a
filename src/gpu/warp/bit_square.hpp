// Squares of 32 x 32 bits in registers, and how those of a chunk lie in shared memory without conflicts.
#pragma once

#include "gpu/warp/device.hpp"

namespace floe::gpu {

struct BitSquare {
  std::uint32_t row[32];
};

/// Transposes with the most significant bit first both ways, as bit_transpose does: its own inverse.
FLOE_DEVICE void transpose(BitSquare& square) {
  std::uint32_t* const x = square.row;
  FLOE_UNROLL
  for (unsigned i = 0; i < 16; ++i) {
    const std::uint32_t a = x[i], b = x[i + 16];
    x[i] = permute_bytes(a, b, 0x3276);
    x[i + 16] = permute_bytes(a, b, 0x1054);
  }
  FLOE_UNROLL
  for (unsigned i = 0; i < 32; ++i) {
    if ((i & 8) != 0) continue;
    const std::uint32_t a = x[i], b = x[i + 8];
    x[i] = permute_bytes(a, b, 0x3715);
    x[i + 8] = permute_bytes(a, b, 0x2604);
  }
  FLOE_UNROLL
  for (unsigned i = 0; i < 32; ++i) {
    if ((i & 4) != 0) continue;
    const std::uint32_t a = x[i], b = x[i + 4];
    x[i] = (a & 0xF0F0F0F0) | (b >> 4 & 0x0F0F0F0F);
    x[i + 4] = (b & 0x0F0F0F0F) | (a << 4 & 0xF0F0F0F0);
  }
  FLOE_UNROLL
  for (unsigned i = 0; i < 32; ++i) {
    if ((i & 2) != 0) continue;
    const std::uint32_t a = x[i], b = x[i + 2];
    x[i] = (a & 0xCCCCCCCC) | (b >> 2 & 0x33333333);
    x[i + 2] = (b & 0x33333333) | (a << 2 & 0xCCCCCCCC);
  }
  FLOE_UNROLL
  for (unsigned i = 0; i < 32; ++i) {
    if ((i & 1) != 0) continue;
    const std::uint32_t a = x[i], b = x[i + 1];
    x[i] = (a & 0xAAAAAAAA) | (b >> 1 & 0x55555555);
    x[i + 1] = (b & 0x55555555) | (a << 1 & 0xAAAAAAAA);
  }
}

/// Byte offset of words 4 · quad to 4 · quad + 3 of a square, so that 8 lanes meet 8 groups of banks.
FLOE_DEVICE std::uint32_t quad_offset(std::uint32_t square, std::uint32_t quad) {
  return 128 * square + 16 * (quad ^ (square & 7));
}

}  // namespace floe::gpu
