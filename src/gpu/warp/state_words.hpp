// Words by which the blocks of a GPU publish to each other in memory. On the CPU, threads do.
#pragma once

#include <atomic>

#include "gpu/warp/device.hpp"

namespace floe::gpu {

/// A word that others write as a whole; it says by itself whether it is there. Nothing else is ordered by it.
FLOE_DEVICE std::uint64_t read_state(const std::uint64_t* state) {
#if defined(__CUDA_ARCH__)
  std::uint64_t value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
               : "=l"(value)
               : "l"(__cvta_generic_to_global(state))
               : "memory");
  return value;
#elif defined(__CUDACC__)
  return *state;
#else
  return std::atomic_ref(*const_cast<std::uint64_t*>(state)).load(std::memory_order_relaxed);
#endif
}

FLOE_DEVICE void write_state(std::uint64_t* state, std::uint64_t value) {
#if defined(__CUDA_ARCH__)
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(state)), "l"(value)
               : "memory");
#elif defined(__CUDACC__)
  *state = value;
#else
  std::atomic_ref(*state).store(value, std::memory_order_relaxed);
#endif
}

/// Whether somebody has set a word that is 0 at first.
FLOE_DEVICE bool is_set(const std::uint32_t* word) {
#if defined(__CUDACC__)
  return *static_cast<const volatile std::uint32_t*>(word) != 0;
#else
  return std::atomic_ref(*const_cast<std::uint32_t*>(word)).load() != 0;
#endif
}
FLOE_DEVICE void set_word(std::uint32_t* word, std::uint32_t value) {
#if defined(__CUDACC__)
  atomicExch(word, value);
#else
  std::atomic_ref(*word).store(value);
#endif
}

/// Makes what a thread wrote visible before what it writes next.
FLOE_DEVICE void fence() {
#if defined(__CUDACC__)
  __threadfence();
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

/// For those that ask again and again.
FLOE_DEVICE void pause_briefly() {
#if defined(__CUDA_ARCH__)
  __nanosleep(40);
#endif
}

}  // namespace floe::gpu
