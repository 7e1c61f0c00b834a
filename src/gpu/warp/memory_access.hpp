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
  const auto misaligned = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(byte) % 4);
  const std::uint8_t* const at = byte - misaligned;
  const unsigned shift = 8 * misaligned + static_cast<unsigned>(first % 8), end = shift + bits;
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

/// Begins to copy 16 bytes to shared memory, both aligned. Only the first `bytes` are read, others are zeros.
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

/// Stores 8 or 16 bytes to device memory, at a multiple of that.
template <class T>
FLOE_DEVICE void store_global(std::uint8_t* to, const T& value) {
#if defined(__CUDA_ARCH__)
  std::uint32_t word[sizeof(T) / 4];
  std::memcpy(word, &value, sizeof value);
  if constexpr (sizeof(T) == 16) {
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)), "r"(word[0]),
                 "r"(word[1]), "r"(word[2]), "r"(word[3])
                 : "memory");
  } else {
    static_assert(sizeof(T) == 8);
    asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(to)), "r"(word[0]),
                 "r"(word[1])
                 : "memory");
  }
#else
  store_aligned(to, value);
#endif
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

/// Words side by side in a register, as lanes handle them, without carries from one to the next.
template <core::Word W>
struct Pack {
  using Bits = std::conditional_t<sizeof(W) == 8, std::uint64_t, std::uint32_t>;
  static constexpr unsigned words = sizeof(Bits) / sizeof(W);
  static constexpr Bits first = static_cast<W>(~W{0});  ///< All bits of the first word.
  static constexpr Bits ones = static_cast<Bits>(~Bits{0}) / first, tops = ones << (core::word_bits<W> - 1);
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

  /// The same word in all positions.
  static FLOE_HD constexpr Bits repeat(W word) { return static_cast<Bits>(word * ones); }
  static FLOE_DEVICE Bits add(Bits a, Bits b) {
    return words == 1 ? a + b : ((a & ~tops) + (b & ~tops)) ^ ((a ^ b) & tops);
  }
  static FLOE_DEVICE Bits subtract(Bits a, Bits b) {
    return words == 1 ? a - b : ((a | tops) - (b & ~tops)) ^ (~(a ^ b) & tops);
  }
  /// All bits of the words that are less.
  static FLOE_DEVICE Bits less(Bits a, Bits b) {
    const Bits at_least = (a | tops) - (b & ~tops);
    return ((((~a & b) | (~(a ^ b) & ~at_least)) & tops) >> (core::word_bits<W> - 1)) * first;
  }
  /// A word of bit length n becomes n ones, from the lowest bit on. For words of 8 and 16 bits.
  static FLOE_DEVICE Bits lengths(Bits x) {
    FLOE_UNROLL
    for (unsigned by = 1; by < core::word_bits<W>; by *= 2)
      x |= x >> by & repeat(static_cast<W>(first >> by));
    return x;
  }
};

/// Words of a vector of bitpack, the tile of a warp.
inline constexpr unsigned tile_words = 1024;
/// Words of a tile per row of lanes, and rows of a tile.
template <core::Word W>
inline constexpr unsigned row_words = warp_lanes* Pack<W>::words;
template <core::Word W>
inline constexpr unsigned tile_rows = tile_words / row_words<W>;
/// Tiles of so many words.
FLOE_HD constexpr std::uint32_t tiles_of(std::uint32_t words) {
  return (words + tile_words - 1) / tile_words;
}

/// Words of tile `tile` of `words` words.
FLOE_HD constexpr std::uint32_t words_of_tile(std::uint32_t words, std::uint32_t tile) {
  const std::uint32_t left = words - tile * tile_words;
  return left < tile_words ? left : tile_words;
}

}  // namespace floe::gpu
