// Prefix sums of the words of a warp's lanes, in as few instructions as devices have for it.
#pragma once

#include "gpu/warp/device.hpp"

namespace floe::gpu {

/// Sum over the lanes up to and including this one, modulo 2^W, step by step, so that something else can
/// stand between: devices keep the order of what lanes do together. A shuffle says whether there is a lane so
/// far before, which saves a comparison.
template <core::Word W, class Warp>
class WordScan {
 public:
  static constexpr unsigned steps = 5;
  FLOE_DEVICE WordScan(Warp& warp, W word) : warp_(warp), sum_(word) {}

  /// Takes the steps that belong before part `part` of `parts` of something else.
  FLOE_DEVICE void go_on(unsigned part, unsigned parts) {
    FLOE_UNROLL
    for (unsigned i = 0; i < steps; ++i)
      if (i * parts / steps == part) step(i);
  }
  FLOE_DEVICE void finish() { go_on(0, 1); }
  /// When all steps were taken.
  [[nodiscard]] FLOE_DEVICE W sum() const { return sum_; }

 private:
  FLOE_DEVICE void step(unsigned index) {
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(W) == 8) {
      std::uint32_t low = low_half(sum_), high = high_half(sum_);
      asm volatile(
          "{\n\t.reg .u32 low, high;\n\t.reg .pred has;\n\t"
          "shfl.sync.up.b32 low|has, %0, %2, 0, 0xffffffff;\n\t"
          "shfl.sync.up.b32 high, %1, %2, 0, 0xffffffff;\n\t"
          "@has add.cc.u32 %0, %0, low;\n\t@has addc.u32 %1, %1, high;\n\t}"
          : "+r"(low), "+r"(high)
          : "r"(1u << index));
      sum_ = std::uint64_t{high} << 32 | low;
    } else {
      std::uint32_t sum = sum_;
      asm volatile(
          "{\n\t.reg .u32 before;\n\t.reg .pred has;\n\t"
          "shfl.sync.up.b32 before|has, %0, %1, 0, 0xffffffff;\n\t@has add.u32 %0, %0, before;\n\t}"
          : "+r"(sum)
          : "r"(1u << index));
      sum_ = static_cast<W>(sum);
    }
#else
    if (index + 1 == steps) sum_ = inclusive_scan(warp_, sum_);
#endif
  }

  Warp& warp_;
  W sum_;
};

/// Where there is nothing to scan.
struct NoScan {
  FLOE_DEVICE void go_on(unsigned, unsigned) {}
  FLOE_DEVICE void finish() {}
};

template <core::Word W, class Warp>
FLOE_DEVICE W scan_words(Warp& warp, W word) {
  WordScan<W, Warp> scan(warp, word);
  scan.finish();
  return scan.sum();
}

}  // namespace floe::gpu
