// Maps of words, in as few instructions as devices have for them.
#pragma once

#include "core/bits.hpp"
#include "gpu/warp/device.hpp"

namespace floe::gpu {

/// The bits of a float as an integer in the same order, or back: negative ones have all other bits flipped.
template <core::Word W>
FLOE_DEVICE W flip_negative(W word) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(W) >= 4) {  // one instruction for both operations of a half
    const auto high = static_cast<std::uint32_t>(word >> (core::word_bits<W> - 32)),
               negative = static_cast<std::uint32_t>(static_cast<std::int32_t>(high) >> 31);
    std::uint32_t mapped;
    asm("lop3.b32 %0, %1, %2, 0x7FFFFFFF, 0x78;" : "=r"(mapped) : "r"(high), "r"(negative));
    if constexpr (sizeof(W) == 4) return mapped;
    return static_cast<W>(std::uint64_t{mapped} << 32 | (static_cast<std::uint32_t>(word) ^ negative));
  }
#endif
  return static_cast<W>(
      word ^ static_cast<W>(static_cast<W>(W{0} - static_cast<W>(word >> (core::word_bits<W> - 1))) >> 1));
}

/// core::unzigzag.
template <core::Word W>
FLOE_DEVICE W unfolded(W word) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(W) >= 4) {
    std::uint32_t odd;  // all bits, or none
    asm("bfe.s32 %0, %1, 0, 1;" : "=r"(odd) : "r"(static_cast<std::uint32_t>(word)));
    if constexpr (sizeof(W) == 4) return word >> 1 ^ odd;
    return static_cast<W>(word >> 1 ^ (std::uint64_t{odd} << 32 | odd));
  }
#endif
  return core::unzigzag(word);
}

}  // namespace floe::gpu
