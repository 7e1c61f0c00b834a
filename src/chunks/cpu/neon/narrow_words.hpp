// Words of 8 and 16 bits in vectors with NEON: what speed.inl needs of them. To be packed, neighbours become
// words of 32 bits.
#pragma once

#include "chunks/cpu/neon/subchunk_packing.hpp"

namespace floe::cpu::neon {

template <>
struct Lanes<16> {
  using Word = std::uint16_t;
  using Vector = uint16x8_t;
  using Subchunk = Vector[vectors];
  static constexpr bool residuals_read_word_before = true;
  static constexpr unsigned word_bits = 16, width_field = 5, words_per_lane = 4;
  static Vector load(const std::uint8_t* from) { return vreinterpretq_u16_u8(vld1q_u8(from)); }
  static void store(std::uint8_t* to, Vector v) { vst1q_u8(to, vreinterpretq_u8_u16(v)); }
  static Vector zero() { return vdupq_n_u16(0); }
  static Vector set(unsigned word) { return vdupq_n_u16(static_cast<Word>(word)); }
  static Vector bit_or(Vector a, Vector b) { return vorrq_u16(a, b); }
  static std::uint64_t or_of(Vector v) { return Lanes<64>::or_of(vreinterpretq_u64_u16(v)); }
  static Vector residuals(const std::uint8_t* words, Vector&) {
    return vsubq_u16(load(words), load(words - sizeof(Word)));
  }
  static Vector fold(Vector d) {
    return veorq_u16(vaddq_u16(d, d), vreinterpretq_u16_s16(vshrq_n_s16(vreinterpretq_s16_u16(d), 15)));
  }
  static Vector unfold(Vector y) {
    return veorq_u16(vshrq_n_u16(y, 1), vsubq_u16(zero(), vandq_u16(y, set(1))));
  }
  static Vector prefix_sums(Vector x, Vector& carry) {
    x = vaddq_u16(x, vextq_u16(zero(), x, 7));
    x = vaddq_u16(x, vextq_u16(zero(), x, 6));
    x = vaddq_u16(x, vextq_u16(zero(), x, 4));
    x = vaddq_u16(x, carry);
    carry = last_word(x);
    return x;
  }
  static Vector last_word(Vector v) { return vdupq_laneq_u16(v, 7); }
  /// The sign becomes the lowest bit.
  static Vector ordered(Vector v) { return vorrq_u16(vaddq_u16(v, v), vshrq_n_u16(v, 15)); }
  static void range_of(const std::uint8_t* words, std::uint64_t& below_smallest, std::uint64_t& largest) {
    Vector min = set(~0u), max = zero();
    for (std::size_t i = 0; i < subchunk_bytes; i += sizeof(Vector)) {
      const Vector v = ordered(load(words + i));
      min = vminq_u16(min, vsubq_u16(v, set(1)));
      max = vmaxq_u16(max, v);
    }
    below_smallest = vminvq_u16(min);
    largest = vmaxvq_u16(max);
  }
  static Vector offsets(Vector v, unsigned base) { return vqsubq_u16(ordered(v), set(base)); }
  static Vector words(Vector v, unsigned base) {
    const Vector w = vandq_u16(vaddq_u16(v, set(base)), vtstq_u16(v, v));
    return vorrq_u16(vshrq_n_u16(w, 1), vshlq_n_u16(w, 15));
  }
  /// Pairs of words to words of 2 * width bits.
  static uint32x4_t join32(Vector v, unsigned width) {
    const uint32x4_t pairs = vreinterpretq_u32_u16(v);
    const uint32x4_t second = vshlq_u32(vshrq_n_u32(pairs, 16), vdupq_n_s32(static_cast<int>(width)));
    return vorrq_u32(vandq_u32(pairs, vdupq_n_u32(0xFFFF)), second);
  }
  /// The words of a lane of 64 bits side by side.
  static uint64x2_t join(Vector v, unsigned width) { return Lanes<32>::join(join32(v, width), 2 * width); }
  /// The inverse of join32; bits from 2 * width on do not matter.
  static Vector split(uint32x4_t v, unsigned width) {
    const uint32x4_t second = vshlq_u32(v, vdupq_n_s32(static_cast<int>(16 - width)));
    const uint32x4_t words = vbslq_u32(vdupq_n_u32(0xFFFF), v, second);
    return vandq_u16(vreinterpretq_u16_u32(words), set(core::low_mask<Word>(width)));
  }
};

template <>
struct Lanes<8> {
  using Word = std::uint8_t;
  using Vector = uint8x16_t;
  using Subchunk = Vector[vectors];
  static constexpr bool residuals_read_word_before = true;
  static constexpr unsigned word_bits = 8, width_field = 4, words_per_lane = 8;
  static Vector load(const std::uint8_t* from) { return vld1q_u8(from); }
  static void store(std::uint8_t* to, Vector v) { vst1q_u8(to, v); }
  static Vector zero() { return vdupq_n_u8(0); }
  static Vector set(unsigned word) { return vdupq_n_u8(static_cast<Word>(word)); }
  static Vector bit_or(Vector a, Vector b) { return vorrq_u8(a, b); }
  static std::uint64_t or_of(Vector v) { return Lanes<64>::or_of(vreinterpretq_u64_u8(v)); }
  static Vector residuals(const std::uint8_t* words, Vector&) {
    return vsubq_u8(load(words), load(words - sizeof(Word)));
  }
  static Vector fold(Vector d) {
    return veorq_u8(vaddq_u8(d, d), vreinterpretq_u8_s8(vshrq_n_s8(vreinterpretq_s8_u8(d), 7)));
  }
  static Vector unfold(Vector y) { return veorq_u8(vshrq_n_u8(y, 1), vsubq_u8(zero(), vandq_u8(y, set(1)))); }
  static Vector prefix_sums(Vector x, Vector& carry) {
    x = vaddq_u8(x, vextq_u8(zero(), x, 15));
    x = vaddq_u8(x, vextq_u8(zero(), x, 14));
    x = vaddq_u8(x, vextq_u8(zero(), x, 12));
    x = vaddq_u8(x, vextq_u8(zero(), x, 8));
    x = vaddq_u8(x, carry);
    carry = last_word(x);
    return x;
  }
  static Vector last_word(Vector v) { return vdupq_laneq_u8(v, 15); }
  static Vector ordered(Vector v) { return v; }
  static void range_of(const std::uint8_t* words, std::uint64_t& below_smallest, std::uint64_t& largest) {
    Vector min = set(~0u), max = zero();
    for (std::size_t i = 0; i < subchunk_bytes; i += sizeof(Vector)) {
      const Vector v = ordered(load(words + i));
      min = vminq_u8(min, vsubq_u8(v, set(1)));
      max = vmaxq_u8(max, v);
    }
    below_smallest = vminvq_u8(min);
    largest = vmaxvq_u8(max);
  }
  static Vector offsets(Vector v, unsigned base) { return vqsubq_u8(ordered(v), set(base)); }
  static Vector words(Vector v, unsigned base) {
    const Vector w = vandq_u8(vaddq_u8(v, set(base)), vtstq_u8(v, v));
    return w;
  }
  static uint32x4_t join32(Vector v, unsigned width) {
    const uint16x8_t pairs = vreinterpretq_u16_u8(v);
    const uint16x8_t second = vshlq_u16(vshrq_n_u16(pairs, 8), vdupq_n_s16(static_cast<short>(width)));
    return Lanes<16>::join32(vorrq_u16(vandq_u16(pairs, vdupq_n_u16(0xFF)), second), 2 * width);
  }
  static uint64x2_t join(Vector v, unsigned width) { return Lanes<32>::join(join32(v, width), 4 * width); }
  static Vector split(uint32x4_t v, unsigned width) {
    const uint16x8_t pairs = Lanes<16>::split(v, 2 * width);
    const uint16x8_t second = vshlq_u16(pairs, vdupq_n_s16(static_cast<short>(8 - width)));
    const uint16x8_t words = vbslq_u16(vdupq_n_u16(0xFF), pairs, second);
    return vandq_u8(vreinterpretq_u8_u16(words), set(core::low_mask<Word>(width)));
  }
};

}  // namespace floe::cpu::neon
