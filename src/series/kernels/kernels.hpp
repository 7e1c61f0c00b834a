// The inner loops of encodings, compiled once per instruction set and chosen when the program runs. Results do not depend on the choice.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/cpu/isa.hpp"
#include "core/word.hpp"

namespace floe::series {

/// Words that are packed together, with one bit width.
inline constexpr std::size_t vector_words = 1024;

/// For words of one width. Nothing needs to be aligned.
template <core::Word W>
struct WordKernels {
  /// Smallest and largest, as unsigned numbers after the XOR with `flip`; the result is flipped back. Precondition: count > 0.
  void (*range)(const W* words, std::size_t count, W flip, W& least, W& most);
  /// How many of a vector's words exceed base + limit, counted from `base` upwards.
  std::size_t (*count_above)(const W* vector, W base, W limit);
  /// The lowest `width` bits of words[i] - base, in the interleaved layout: 128 * width bytes.
  void (*pack)(const W* vector, W base, unsigned width, std::uint8_t* packed);
  void (*unpack)(const std::uint8_t* packed, W base, unsigned width, W* vector);
};

struct Kernels {
  WordKernels<std::uint8_t> u8;
  WordKernels<std::uint16_t> u16;
  WordKernels<std::uint32_t> u32;
  WordKernels<std::uint64_t> u64;

  template <core::Word W>
  [[nodiscard]] const WordKernels<W>& of() const {
    if constexpr (sizeof(W) == 1)
      return u8;
    else if constexpr (sizeof(W) == 2)
      return u16;
    else if constexpr (sizeof(W) == 4)
      return u32;
    else
      return u64;
  }
};

const Kernels& kernels_of(cpu::Isa isa) noexcept;
/// Those of cpu::active_isa().
inline const Kernels& kernels() noexcept {
  static const Kernels& active = kernels_of(cpu::active_isa());
  return active;
}

}  // namespace floe::series
