// Prefix sums of the words of a warp's lanes, in as few instructions as devices have for it.
#pragma once

#include "gpu/warp/device.hpp"

namespace floe::gpu {

/// Sum over the lanes up to and including this one, modulo 2^W. A shuffle says whether there is a lane so far
/// before, which saves a comparison.
template <core::Word W, class Warp>
FLOE_DEVICE W scan_words(Warp& warp, W word) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(W) == 8) {
    std::uint32_t low = low_half(word), high = high_half(word);
    FLOE_UNROLL
    for (unsigned distance = 1; distance < warp_lanes; distance *= 2)
      asm volatile(
          "{\n\t.reg .u32 low, high;\n\t.reg .pred has;\n\t"
          "shfl.sync.up.b32 low|has, %0, %2, 0, 0xffffffff;\n\t"
          "shfl.sync.up.b32 high, %1, %2, 0, 0xffffffff;\n\t"
          "@has add.cc.u32 %0, %0, low;\n\t@has addc.u32 %1, %1, high;\n\t}"
          : "+r"(low), "+r"(high)
          : "r"(distance));
    return std::uint64_t{high} << 32 | low;
  } else {
    std::uint32_t sum = word;
    FLOE_UNROLL
    for (unsigned distance = 1; distance < warp_lanes; distance *= 2)
      asm volatile(
          "{\n\t.reg .u32 before;\n\t.reg .pred has;\n\t"
          "shfl.sync.up.b32 before|has, %0, %1, 0, 0xffffffff;\n\t@has add.u32 %0, %0, before;\n\t}"
          : "+r"(sum)
          : "r"(distance));
    return static_cast<W>(sum);
  }
#else
  return inclusive_scan(warp, word);
#endif
}

}  // namespace floe::gpu
