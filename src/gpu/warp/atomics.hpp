// What threads of a device change together, one at a time. On the host, the warps of an emulated block are
// threads.
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
  std::atomic_ref place(*at);
  Number min = place.load();
  while (number < min && !place.compare_exchange_weak(min, number)) {
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
/// What other threads change atomically.
FLOE_DEVICE std::uint32_t read_shared_word(const std::uint32_t* at) {
  return *static_cast<const volatile std::uint32_t*>(at);
}

}  // namespace floe::gpu
