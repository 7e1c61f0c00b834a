// What functions that a warp runs together need of the machine. Compiled by nvcc for devices, and by any
// compiler for tests, which run them with an emulated warp (tests/support/emulated_warp.hpp).
#pragma once

#include <cstdint>
#include <cstring>

#include "core/word.hpp"

// FLOE_DEVICE_CALL: functions that are called and not inlined, where there are many and each of them is long.
#if defined(__CUDACC__)
#define FLOE_DEVICE __device__ __forceinline__
#define FLOE_DEVICE_CALL inline __device__ __noinline__
#define FLOE_UNROLL _Pragma("unroll")
#define FLOE_PRAGMA(text) _Pragma(#text)
#define FLOE_UNROLL_BY(count) FLOE_PRAGMA(unroll count)
#define FLOE_NO_UNROLL _Pragma("unroll 1")
#else
#define FLOE_DEVICE inline
#define FLOE_DEVICE_CALL inline
#define FLOE_UNROLL
#define FLOE_UNROLL_BY(count)
#define FLOE_NO_UNROLL
#endif

namespace floe::gpu {

inline constexpr unsigned warp_lanes = 32;

/// What an encoder returns instead of a payload's size.
inline constexpr std::uint32_t stored_raw = 0xFFFFFFFF;

/// The words that a lane reads or writes at once.
template <core::Word W>
struct alignas(16) Vector {
  static constexpr unsigned size = 16 / sizeof(W);
  W word[size];
};

/// One load of a T from an address that is a multiple of its size.
template <class T>
FLOE_DEVICE T load_aligned(const std::uint8_t* from) {
#if defined(__CUDA_ARCH__)
  return *reinterpret_cast<const T*>(from);
#else
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
#endif
}

/// The same for 16 bytes of device memory that nobody reads soon again.
template <class T>
FLOE_DEVICE T load_once(const std::uint8_t* from) {
  static_assert(sizeof(T) == 16);
#if defined(__CUDA_ARCH__)
  const uint4 bytes = __ldcs(reinterpret_cast<const uint4*>(from));
  return *reinterpret_cast<const T*>(&bytes);
#else
  return load_aligned<T>(from);
#endif
}

/// The same for what other blocks wrote before a fence.
template <class T>
FLOE_DEVICE T load_fresh(const std::uint8_t* from) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) == 8) {
    return static_cast<T>(__ldcg(reinterpret_cast<const unsigned long long*>(from)));
  } else {
    static_assert(sizeof(T) == 4);
    return static_cast<T>(__ldcg(reinterpret_cast<const unsigned*>(from)));
  }
#else
  return load_aligned<T>(from);
#endif
}

template <class T>
FLOE_DEVICE void store_aligned(std::uint8_t* to, const T& value) {
#if defined(__CUDA_ARCH__)
  *reinterpret_cast<T*>(to) = value;
#else
  std::memcpy(to, &value, sizeof value);
#endif
}

/// Word `index` of 32-bit words at an address that is a multiple of 4.
FLOE_DEVICE std::uint32_t word32(const std::uint8_t* from, std::uint32_t index) {
  return load_aligned<std::uint32_t>(from + 4 * index);
}

/// The same number, in a register of its own: the compiler would compute it anew wherever it is wanted.
FLOE_DEVICE std::uint32_t kept(std::uint32_t number) {
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+r"(number));
#endif
  return number;
}

/// The lower 32 bits of (high, low) >> (shift mod 32).
FLOE_DEVICE std::uint32_t funnel_right(std::uint32_t low, std::uint32_t high, unsigned shift) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_r(low, high, shift);
#else
  return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) >> (shift & 31));
#endif
}

/// The same for shifts by up to 32 bits.
FLOE_DEVICE std::uint32_t funnel_right_upto_32(std::uint32_t low, std::uint32_t high, unsigned shift) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_rc(low, high, shift);
#else
  return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) >> shift);
#endif
}

/// The upper 32 bits of (high, low) << (shift mod 32).
FLOE_DEVICE std::uint32_t funnel_left(std::uint32_t low, std::uint32_t high, unsigned shift) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_l(low, high, shift);
#else
  return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) << (shift & 31) >> 32);
#endif
}

/// The same for shifts by up to 32 bits.
FLOE_DEVICE std::uint32_t funnel_left_upto_32(std::uint32_t low, std::uint32_t high, unsigned shift) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_lc(low, high, shift);
#else
  return shift == 32 ? low : funnel_left(low, high, shift);
#endif
}

/// The lowest bits of a word: all if `count` is 32 or more.
FLOE_DEVICE std::uint32_t low_bits(std::uint32_t word, unsigned count) {
#if defined(__CUDA_ARCH__)
  std::uint32_t bits;
  asm("szext.clamp.u32 %0, %1, %2;" : "=r"(bits) : "r"(word), "r"(count));
  return bits;
#else
  return count < 32 ? word & ((std::uint32_t{1} << count) - 1) : word;
#endif
}

/// The number of the highest bit that is set, or -1.
FLOE_DEVICE std::uint32_t highest_bit(std::uint32_t word) {
#if defined(__CUDA_ARCH__)
  std::uint32_t bit;
  asm("bfind.u32 %0, %1;" : "=r"(bit) : "r"(word));
  return bit;
#else
  return word == 0 ? ~std::uint32_t{0} : 31 - static_cast<std::uint32_t>(__builtin_clz(word));
#endif
}

/// The same of a word.
template <core::Word W>
FLOE_DEVICE std::uint32_t highest_bit_of(W word) {
  if constexpr (sizeof(W) < 8) return highest_bit(word);
#if defined(__CUDA_ARCH__)
  std::uint32_t bit;
  asm("bfind.u64 %0, %1;" : "=r"(bit) : "l"(std::uint64_t{word}));
  return bit;
#else
  return word == 0 ? ~std::uint32_t{0} : 63 - static_cast<std::uint32_t>(__builtin_clzll(word));
#endif
}

/// A constant that stays in a register: the compiler would load it anew wherever it is wanted.
FLOE_DEVICE std::uint32_t in_register(std::uint32_t constant) {
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+r"(constant));
#endif
  return constant;
}

/// An address that has a register of its own, so that accesses to several do not wait for each other.
template <class T>
FLOE_DEVICE T* in_register(T* address) {
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+l"(address));
#endif
  return address;
}

/// The sum of a word's four bytes, and `more`.
FLOE_DEVICE std::uint32_t sum_bytes(std::uint32_t bytes, std::uint32_t more) {
#if defined(__CUDA_ARCH__)
  return __dp4a(bytes, 0x01010101u, more);
#else
  return (bytes & 255) + (bytes >> 8 & 255) + (bytes >> 16 & 255) + (bytes >> 24) + more;
#endif
}

/// Bytes of (high, low), of which nibble i of the selector names the one that becomes byte i.
FLOE_DEVICE std::uint32_t permute_bytes(std::uint32_t low, std::uint32_t high, std::uint32_t selector) {
#if defined(__CUDA_ARCH__)
  return __byte_perm(low, high, selector);
#else
  const std::uint64_t bytes = std::uint64_t{high} << 32 | low;
  std::uint32_t out = 0;
  for (unsigned i = 0; i < 4; ++i)
    out |= static_cast<std::uint32_t>(bytes >> (8 * (selector >> (4 * i) & 7)) & 255) << (8 * i);
  return out;
#endif
}

/// Shifts by 64 and more give 0.
FLOE_DEVICE std::uint64_t shift_left(std::uint64_t word, unsigned shift) {
#if defined(__CUDA_ARCH__)
  std::uint64_t shifted;
  asm("shl.b64 %0, %1, %2;" : "=l"(shifted) : "l"(word), "r"(shift));
  return shifted;
#else
  return shift < 64 ? word << shift : 0;
#endif
}
FLOE_DEVICE std::uint64_t shift_right(std::uint64_t word, unsigned shift) {
#if defined(__CUDA_ARCH__)
  std::uint64_t shifted;
  asm("shr.b64 %0, %1, %2;" : "=l"(shifted) : "l"(word), "r"(shift));
  return shifted;
#else
  return shift < 64 ? word >> shift : 0;
#endif
}
/// Shifts by 32 and more give 0.
FLOE_DEVICE std::uint32_t shift_right(std::uint32_t word, unsigned shift) {
#if defined(__CUDA_ARCH__)
  std::uint32_t shifted;
  asm("shr.b32 %0, %1, %2;" : "=r"(shifted) : "r"(word), "r"(shift));
  return shifted;
#else
  return shift < 32 ? word >> shift : 0;
#endif
}

FLOE_DEVICE unsigned count_bits(std::uint32_t word) {
#if defined(__CUDA_ARCH__)
  return static_cast<unsigned>(__popc(static_cast<int>(word)));
#else
  return static_cast<unsigned>(__builtin_popcount(word));
#endif
}

FLOE_DEVICE std::uint32_t low_half(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
FLOE_DEVICE std::uint32_t high_half(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }

/// Sum over the lanes up to and including this one.
template <class Warp, class Number>
FLOE_DEVICE Number scan_by_shuffles(Warp& warp, Number number) {
  FLOE_UNROLL
  for (unsigned distance = 1; distance < warp_lanes; distance *= 2) {
    const Number before = warp.shuffle_up(number, distance);
    if (warp.lane() >= distance) number = static_cast<Number>(number + before);
  }
  return number;
}

/// The same for several numbers side by side, whose steps do not wait for each other.
template <unsigned count, class Warp, class Number>
FLOE_DEVICE void scans_by_shuffles(Warp& warp, Number (&number)[count]) {
  FLOE_UNROLL
  for (unsigned distance = 1; distance < warp_lanes; distance *= 2) {
    FLOE_UNROLL
    for (unsigned i = 0; i < count; ++i) {
      const Number before = warp.shuffle_up(number[i], distance);
      if (warp.lane() >= distance) number[i] = static_cast<Number>(number[i] + before);
    }
  }
}

/// A warp that has a scan of its own, as emulated ones do, need not shuffle.
template <class Warp, class Number>
FLOE_DEVICE Number inclusive_scan(Warp& warp, Number number) {
  if constexpr (requires { warp.scan(number); }) {
    return warp.scan(number);
  } else {
    return scan_by_shuffles(warp, number);
  }
}
template <unsigned count, class Warp, class Number>
FLOE_DEVICE void inclusive_scans(Warp& warp, Number (&number)[count]) {
  if constexpr (requires { warp.scan(number[0]); }) {
    for (unsigned i = 0; i < count; ++i) number[i] = warp.scan(number[i]);
  } else {
    scans_by_shuffles(warp, number);
  }
}

/// The word of the lane before; that of the first one is `carry`, which becomes the last one's word.
template <class Warp, class Word>
FLOE_DEVICE Word word_before(Warp& warp, Word word, Word& carry) {
  Word before = warp.shuffle_up(word, 1);
  if (warp.lane() == 0) before = carry;
  carry = warp.shuffle(word, warp_lanes - 1);
  return before;
}

/// How many of some lanes come before this one.
template <class Warp>
FLOE_DEVICE std::uint32_t count_before(Warp& warp, std::uint32_t lanes) {
  return count_bits(lanes & ((1u << warp.lane()) - 1));
}

/// The least word of all lanes, to all.
template <core::Word W, class Warp>
FLOE_DEVICE W min_of_warp(Warp& warp, W word) {
  if constexpr (sizeof(W) <= 4) {
    return static_cast<W>(~warp.reduce_max(~std::uint32_t{word}));
  } else {
    FLOE_UNROLL
    for (unsigned distance = 1; distance < warp_lanes; distance *= 2) {
      const W other = warp.shuffle(word, warp.lane() ^ distance);
      word = other < word ? other : word;
    }
    return word;
  }
}

/// Sets `count` 32-bit words to zero, from a multiple of 4 on.
template <class Warp>
FLOE_DEVICE void zero_words(Warp& warp, std::uint8_t* to, std::uint32_t count) {
  for (std::uint32_t i = warp.lane(); i < count; i += warp_lanes) store_aligned(to + 4 * i, std::uint32_t{0});
}

/// Sets the bytes [begin, end) to zero.
template <class Warp>
FLOE_DEVICE void zero_bytes(Warp& warp, std::uint8_t* bytes, std::uint32_t begin, std::uint32_t end) {
  for (std::uint32_t i = begin + warp.lane(); i < end; i += warp_lanes) bytes[i] = 0;
}

}  // namespace floe::gpu
