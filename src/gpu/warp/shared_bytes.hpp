// Shared memory by 32-bit addresses, as its instructions take them: what is computed from one is one
// addition. In tests it is memory of the CPU.
#pragma once

#include "gpu/warp/device.hpp"

namespace floe::gpu {

class SharedBytes {
 public:
  SharedBytes() = default;
  FLOE_DEVICE explicit SharedBytes(std::uint8_t* bytes)
#if defined(__CUDA_ARCH__)
      : at_(static_cast<std::uint32_t>(__cvta_generic_to_shared(bytes))){}
#else
      : at_(bytes) {
  }
#endif
        FLOE_DEVICE SharedBytes
        operator+(std::uint32_t offset) const {
    SharedBytes moved = *this;
    moved.at_ += offset;
    return moved;
  }
  /// Word `index` of 32-bit words from here on.
  FLOE_DEVICE SharedBytes word(std::uint32_t index) const {
    SharedBytes moved = *this;
#if defined(__CUDA_ARCH__)
    asm("mad.lo.u32 %0, %1, 4, %2;" : "=r"(moved.at_) : "r"(index), "r"(at_));
#else
    moved.at_ += 4 * std::size_t{index};
#endif
    return moved;
  }
  /// The same position, in a register of its own: the compiler would compute it anew wherever it is wanted.
  [[nodiscard]] FLOE_DEVICE SharedBytes kept() const {
    SharedBytes same = *this;
#if defined(__CUDA_ARCH__)
    asm volatile("" : "+r"(same.at_));
#endif
    return same;
  }
  /// The first multiple of `alignment`, a power of 2, from here on.
  FLOE_DEVICE SharedBytes aligned(std::uint32_t alignment) const {
    SharedBytes moved = *this;
#if defined(__CUDA_ARCH__)
    moved.at_ = (at_ + alignment - 1) & ~(alignment - 1);
#else
    moved.at_ += -reinterpret_cast<std::uintptr_t>(at_) % alignment;
#endif
    return moved;
  }

#if defined(__CUDA_ARCH__)
  FLOE_DEVICE std::uint32_t address() const { return at_; }
#endif

  FLOE_DEVICE std::uint32_t load32() const {
#if defined(__CUDA_ARCH__)
    std::uint32_t word;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(at_));
    return word;
#else
    return load_aligned<std::uint32_t>(at_);
#endif
  }
  FLOE_DEVICE std::uint32_t load16() const {
#if defined(__CUDA_ARCH__)
    std::uint16_t word;
    asm volatile("ld.shared.u16 %0, [%1];" : "=h"(word) : "r"(at_));
    return word;
#else
    return load_aligned<std::uint16_t>(at_);
#endif
  }
  FLOE_DEVICE std::uint32_t load8() const {
#if defined(__CUDA_ARCH__)
    std::uint32_t byte;
    asm volatile("ld.shared.u8 %0, [%1];" : "=r"(byte) : "r"(at_));
    return byte;
#else
    return *at_;
#endif
  }
  FLOE_DEVICE void store32(std::uint32_t word) const {
#if defined(__CUDA_ARCH__)
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(at_), "r"(word) : "memory");
#else
    store_aligned(at_, word);
#endif
  }
  /// Begins to copy 16 bytes to here, both aligned. Only the first `bytes` are read, others become zeros.
  FLOE_DEVICE void begin_copy(const std::uint8_t* from, std::uint32_t bytes) const {
#if defined(__CUDA_ARCH__)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at_),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes)
                 : "memory");
#else
    std::memset(at_, 0, 16);
    if (bytes > 0) std::memcpy(at_, from, bytes);
#endif
  }
  /// Begins to copy 16 bytes to here, both aligned, or zeros.
  FLOE_DEVICE void begin_copy_if(bool is_wanted, const std::uint8_t* from) const {
#if defined(__CUDA_ARCH__)
    asm volatile(
        "{\n\t.reg .pred ignored;\n\tsetp.eq.u32 ignored, %2, 0;\n\t"
        "cp.async.cg.shared.global [%0], [%1], 16, ignored;\n\t}" ::"r"(at_),
        "l"(__cvta_generic_to_global(from)), "r"(is_wanted ? 1u : 0u)
        : "memory");
#else
    begin_copy(from, is_wanted ? 16 : 0);
#endif
  }

 private:
#if defined(__CUDA_ARCH__)
  std::uint32_t at_;
#else
  std::uint8_t* at_;
#endif
};

/// The copies that this lane has begun since the last group become a group.
FLOE_DEVICE void end_copy_group() {
#if defined(__CUDA_ARCH__)
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
/// Waits for all groups but the last `count`.
template <unsigned count>
FLOE_DEVICE void wait_for_copy_groups() {
#if defined(__CUDA_ARCH__)
  asm volatile("cp.async.wait_group %0;" ::"n"(count) : "memory");
#endif
}

}  // namespace floe::gpu
