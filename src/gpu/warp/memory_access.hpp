// Reads and writes words at any address. Devices load and store words only at multiples of their size.
// Nothing here touches a 32-bit word of memory that holds none of the bytes asked for.
#pragma once

#include "core/bits.hpp"
#include "gpu/warp/device.hpp"

namespace floe::gpu {

/// `bits` bits, 0 to 64, from bit `first` on of the bytes at `from`.
FLOE_DEVICE std::uint64_t load_bits(const std::uint8_t* from, std::uint64_t first, unsigned bits) {
  if (bits == 0) return 0;
  const std::uint8_t* const byte = from + first / 8;
  const auto misplaced = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(byte) % 4);
  const std::uint8_t* const at = byte - misplaced;
  const unsigned shift = 8 * misplaced + static_cast<unsigned>(first % 8), end = shift + bits;
  std::uint64_t low = word32(at, 0);
  if (end > 32) low |= std::uint64_t{word32(at, 1)} << 32;
  std::uint64_t value = low >> shift;
  if (end > 64) value |= std::uint64_t{word32(at, 2)} << (64 - shift);
  return value & core::low_mask<std::uint64_t>(bits);
}

template <core::Word W>
FLOE_DEVICE W load_word(const std::uint8_t* from) {
  if (reinterpret_cast<std::uintptr_t>(from) % sizeof(W) == 0) return load_aligned<W>(from);
  return static_cast<W>(load_bits(from, 0, core::word_bits<W>));
}

/// Begins to copy 16 bytes to shared memory, both at multiples of 16. Only the first `bytes` of them are
/// read, the others become zeros.
FLOE_DEVICE void begin_copy(std::uint8_t* to, const std::uint8_t* from, unsigned bytes) {
#if defined(__CUDA_ARCH__)
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                   static_cast<std::uint32_t>(__cvta_generic_to_shared(to))),
               "l"(__cvta_generic_to_global(from)), "r"(bytes)
               : "memory");
#else
  std::memset(to, 0, 16);
  std::memcpy(to, from, bytes);
#endif
}
/// The same for bytes that nobody reads soon again: they make room in the L2 cache.
FLOE_DEVICE void begin_last_copy(std::uint8_t* to, const std::uint8_t* from, unsigned bytes) {
#if defined(__CUDA_ARCH__)
  std::uint64_t policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2, %3;" ::"r"(
                   static_cast<std::uint32_t>(__cvta_generic_to_shared(to))),
               "l"(__cvta_generic_to_global(from)), "r"(bytes), "l"(policy)
               : "memory");
#else
  begin_copy(to, from, bytes);
#endif
}
/// Waits for the copies that this lane has begun.
FLOE_DEVICE void end_copies() {
#if defined(__CUDA_ARCH__)
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/// One load from device memory that nobody writes meanwhile, at a multiple of the word's size.
template <core::Word W>
FLOE_DEVICE W load_global(const std::uint8_t* from) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(W) == 8) return __ldg(reinterpret_cast<const unsigned long long*>(from));
  if constexpr (sizeof(W) == 4) return __ldg(reinterpret_cast<const unsigned*>(from));
#endif
  return load_aligned<W>(from);
}

/// Asks for bytes that will be read soon to be brought into the L2 cache.
FLOE_DEVICE void prefetch([[maybe_unused]] const std::uint8_t* from) {
#if defined(__CUDA_ARCH__)
  asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(from)));
#endif
}

/// Asks for a stretch of memory, by all lanes of a warp.
template <class Warp>
FLOE_DEVICE void prefetch(Warp& warp, const std::uint8_t* from, std::uint32_t bytes) {
  constexpr std::uint32_t line = 128;
  for (std::uint32_t i = line * warp.lane(); i < bytes; i += line * warp_lanes) prefetch(from + i);
}

/// Stores a word at a multiple of its size.
template <core::Word W>
FLOE_DEVICE void store_word(std::uint8_t* to, std::uint64_t index, W word) {
  store_aligned(to + index * sizeof(W), word);
}

/// Calls work(word) with a word of `bytes` bytes.
template <class Work>
FLOE_DEVICE void with_word_of(unsigned bytes, const Work& work) {
  if (bytes == 8) return work(std::uint64_t{});
  if (bytes == 4) return work(std::uint32_t{});
  if (bytes == 2) return work(std::uint16_t{});
  work(std::uint8_t{});
}

/// Words side by side in a register: the unit in which lanes handle them.
template <core::Word W>
struct Pack {
  using Bits = std::conditional_t<sizeof(W) == 8, std::uint64_t, std::uint32_t>;
  static constexpr unsigned words = sizeof(Bits) / sizeof(W);
  Bits bits = 0;

  FLOE_DEVICE W word(unsigned k) const {
    return static_cast<W>(bits >> (words == 1 ? 0 : k * core::word_bits<W>));
  }
  FLOE_DEVICE void put(unsigned k, W word) {
    if constexpr (words == 1) {
      bits = word;
    } else {
      bits |= static_cast<Bits>(static_cast<Bits>(word) << (k * core::word_bits<W>));
    }
  }
};

/// The same bits in every word of a pack.
template <core::Word W>
FLOE_HD constexpr typename Pack<W>::Bits repeated(W bits) {
  using Bits = typename Pack<W>::Bits;
  return static_cast<Bits>(bits * (static_cast<Bits>(~Bits{0}) / static_cast<W>(~W{0})));
}

/// Sums word by word.
template <core::Word W>
FLOE_DEVICE typename Pack<W>::Bits add_words(typename Pack<W>::Bits a, typename Pack<W>::Bits b) {
  if constexpr (Pack<W>::words == 1) {
    return a + b;
  } else {
    constexpr auto tops = repeated<W>(static_cast<W>(W{1} << (core::word_bits<W> - 1)));
    return ((a & ~tops) + (b & ~tops)) ^ ((a ^ b) & tops);
  }
}

}  // namespace floe::gpu
