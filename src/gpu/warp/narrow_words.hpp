// Registers of four words of 8 bits, or two of 16 bits, that are computed side by side.
#pragma once

#include "gpu/warp/device.hpp"

namespace floe::gpu {

template <core::Word W>
requires(sizeof(W) < 4) struct NarrowWords {
  using Register = std::uint32_t;
  static constexpr unsigned bits = core::word_bits<W>;
  static constexpr Register low_bits = ~Register{0} / static_cast<W>(~W{0}), tops = low_bits << (bits - 1);

  static FLOE_DEVICE Register zigzag(Register words) { return (words << 1 & ~low_bits) ^ sign_masks(words); }
  static FLOE_DEVICE Register unzigzag(Register words) {
    return (words >> 1 & ~tops) ^ sign_masks(words << (bits - 1));
  }
  /// Rotates each word by one bit to the left, and back.
  static FLOE_DEVICE Register rotate(Register words) {
    return (words << 1 & ~low_bits) | (words >> (bits - 1) & low_bits);
  }
  static FLOE_DEVICE Register rotate_back(Register words) {
    return (words >> 1 & ~tops) | (words << (bits - 1) & tops);
  }
  static FLOE_DEVICE Register difference(Register a, Register b) {
    if constexpr (bits == 16) return permute_bytes(a - b, a - (b & 0xFFFF0000), 0x7610);
    return ((a | tops) - (b & ~tops)) ^ ((a ^ ~b) & tops);
  }
  static FLOE_DEVICE Register sum(Register a, Register b) {
    return ((a & ~tops) + (b & ~tops)) ^ ((a ^ b) & tops);
  }
  static FLOE_DEVICE Register sum_with_each(Register words, Register number) {
    if constexpr (bits == 16) return permute_bytes(words + number, words + (number << 16), 0x7610);
    return sum(words, permute_bytes(number, 0, 0));
  }
  static FLOE_DEVICE Register sums_within(Register words) {
    if constexpr (bits == 16) return words * 0x00010001;
    words = sum(words, words << 8);
    return sum(words, words << 16);
  }
  static FLOE_DEVICE Register last(Register words) { return words >> (32 - bits); }

  /// All ones for words whose top bit is set, and zero for others.
  static FLOE_DEVICE Register sign_masks(Register words) {
#if defined(__CUDA_ARCH__)
    Register masks;
    asm("prmt.b32 %0, %1, 0, %2;" : "=r"(masks) : "r"(words), "n"(bits == 8 ? 0xBA98 : 0xBB99));
    return masks;
#else
    return (words >> (bits - 1) & low_bits) * static_cast<W>(~W{0});
#endif
  }
  /// All ones for words other than zero.
  static FLOE_DEVICE Register nonzero_masks(Register words) {
    return sign_masks(((words & ~tops) + ~tops) | words);
  }
  static FLOE_DEVICE Register max(Register a, Register b) {
#if defined(__CUDA_ARCH__)
    return bits == 8 ? __vmaxu4(a, b) : __vmaxu2(a, b);
#else
    Register larger = 0;
    for (unsigned shift = 0; shift < 32; shift += bits) {
      const W x = static_cast<W>(a >> shift), y = static_cast<W>(b >> shift);
      larger |= Register{x > y ? x : y} << shift;
    }
    return larger;
#endif
  }
  /// The smaller ones of words less one and of `min`; 0 less one is the largest word.
  static FLOE_DEVICE Register min_less_one(Register words, Register min) {
#if defined(__CUDA_ARCH__)
    if constexpr (bits == 16) return __viaddmin_u16x2(words, ~Register{0}, min);
#endif
    return ~max(~sum(words, ~Register{0}), ~min);
  }
  static FLOE_DEVICE W largest(Register words) {
    words = max(words, words >> 16);
    return static_cast<W>(bits == 8 ? max(words, words >> 8) : words);
  }
  static FLOE_DEVICE W any(Register words) {
    words |= words >> 16;
    return static_cast<W>(bits == 8 ? words | words >> 8 : words);
  }

  /// Neighbours of `width` bits become words of twice the width, until those of a register are one; and back.
  static FLOE_DEVICE Register join(Register words, unsigned width) {
    if constexpr (bits == 8) {
      words = (words & 0x00FF00FF) + (words >> 8 & 0x00FF00FF) * (1u << width);
      width *= 2;
    }
    return words - (words >> 16) * (0x10000 - (1u << width));
  }
  static FLOE_DEVICE Register split(Register joined, unsigned width) {
    const unsigned half = bits == 8 ? 2 * width : width;
    Register words = joined + (joined >> half) * (0x10000 - (1u << half));
    if constexpr (bits == 8) {
      const Register low = core::low_mask<Register>(width) * 0x00010001;
      words = (words & low) + (words >> width & low) * 0x100;
    }
    return words;
  }
};

}  // namespace floe::gpu
