// Atomic operations, and words that threads publish. On the host, the warps of an emulated block are threads.
#pragma once

#include <atomic>

#include "gpu/warp/device.hpp"

namespace floe::gpu {

FLOE_DEVICE std::uint32_t atomic_add(std::uint32_t* at, std::uint32_t number) {
#if defined(__CUDACC__)
  return atomicAdd(at, number);
#else
  return std::atomic_ref(*at).fetch_add(number);
#endif
}
FLOE_DEVICE void atomic_add(std::uint64_t* at, std::uint64_t number) {
#if defined(__CUDACC__)
  atomicAdd(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(number));
#else
  std::atomic_ref(*at).fetch_add(number);
#endif
}
/// Puts `number` where `expected` was; returns what was there.
FLOE_DEVICE std::uint32_t atomic_swap(std::uint32_t* at, std::uint32_t expected, std::uint32_t number) {
#if defined(__CUDACC__)
  return atomicCAS(at, expected, number);
#else
  std::atomic_ref(*at).compare_exchange_strong(expected, number);
  return expected;
#endif
}
FLOE_DEVICE std::uint64_t atomic_swap(std::uint64_t* at, std::uint64_t expected, std::uint64_t number) {
#if defined(__CUDACC__)
  return atomicCAS(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(expected),
                   static_cast<unsigned long long>(number));
#else
  std::atomic_ref(*at).compare_exchange_strong(expected, number);
  return expected;
#endif
}
#if !defined(__CUDACC__)
template <class Number>
void atomic_min_on_host(Number* at, Number number) {
  std::atomic_ref target(*at);
  Number min = target.load();
  while (number < min && !target.compare_exchange_weak(min, number)) {
  }
}
#endif
FLOE_DEVICE void atomic_min(std::uint32_t* at, std::uint32_t number) {
#if defined(__CUDACC__)
  atomicMin(at, number);
#else
  atomic_min_on_host(at, number);
#endif
}
FLOE_DEVICE void atomic_min(std::uint64_t* at, std::uint64_t number) {
#if defined(__CUDACC__)
  atomicMin(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(number));
#else
  atomic_min_on_host(at, number);
#endif
}

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

/// What other threads change atomically.
FLOE_DEVICE std::uint32_t read_shared_word(const std::uint32_t* at) {
#if defined(__CUDACC__)
  return *static_cast<const volatile std::uint32_t*>(at);
#else
  return std::atomic_ref(*const_cast<std::uint32_t*>(at)).load();
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
