// Makes a bit stream of the bits of a warp's lanes, and back. Lanes have as many bits, at most 128.
#pragma once

#include "core/bits.hpp"
#include "gpu/warp/device.hpp"

namespace floe::gpu {

/// Up to 128 bits of a lane, lowest first; those that are not used are zero.
struct LaneBits {
  std::uint32_t word[4];
};

/// The stream of a sub-chunk begins in the upper half of a 32-bit word: the headers of bit_pack for 32-bit
/// and 64-bit words have 30 and 34 bytes, and every sub-chunk of a full chunk has a multiple of 8.
inline constexpr unsigned first_bit = 16;

/// Four words of `width` bits each, one after the other.
FLOE_DEVICE LaneBits join_words(const Vector<std::uint32_t>& v, unsigned width) {
  const std::uint64_t a = v.word[0] | static_cast<std::uint64_t>(v.word[1]) << width;
  const std::uint64_t b = v.word[2] | static_cast<std::uint64_t>(v.word[3]) << width;
  const std::uint64_t low = a | shift_left(b, 2 * width), high = shift_right(b, 64 - 2 * width);
  return {{low_half(low), high_half(low), low_half(high), high_half(high)}};
}

FLOE_DEVICE LaneBits join_words(const Vector<std::uint64_t>& v, unsigned width) {
  const std::uint64_t low = v.word[0] | shift_left(v.word[1], width),
                      high = shift_right(v.word[1], 64 - width);
  return {{low_half(low), high_half(low), low_half(high), high_half(high)}};
}

/// The 32 bits from bit `position` on of 128 bits; zeros behind them. Without branches, as are all callers:
/// the widths of neighbouring sub-chunks differ, and their words are taken apart side by side.
FLOE_DEVICE std::uint32_t bits_from(const std::uint32_t (&word)[4], unsigned max, unsigned position) {
  const unsigned index = position / 32;
  std::uint32_t low = word[0], high = word[1];
  FLOE_UNROLL
  for (unsigned i = 1; i < 4; ++i) {
    if (i > max) continue;
    low = index >= i ? word[i] : low;
    high = index >= i ? (i < 3 ? word[i + 1] : 0) : high;
  }
  return funnel_right(low, high, position);
}

FLOE_DEVICE void split_words(const LaneBits& bits, unsigned width, Vector<std::uint32_t>& v) {
  const std::uint32_t mask = core::low_mask<std::uint32_t>(width);
  FLOE_UNROLL
  for (unsigned i = 0; i < 4; ++i) v.word[i] = bits_from(bits.word, i, i * width) & mask;
}

FLOE_DEVICE void split_words(const LaneBits& bits, unsigned width, Vector<std::uint64_t>& v) {
  const std::uint64_t mask = core::low_mask<std::uint64_t>(width);
  const auto join = [](std::uint32_t low, std::uint32_t high) {
    return static_cast<std::uint64_t>(high) << 32 | low;
  };
  v.word[0] = join(bits.word[0], bits.word[1]) & mask;
  v.word[1] = join(bits_from(bits.word, 2, width),
                   bits_from({bits.word[1], bits.word[2], bits.word[3], 0}, 2, width)) &
              mask;
}

/// Writes 32 to 128 bits of every lane, so that a lane needs bits of at most the next one to fill the words
/// that begin in its range. `stream` is the word in whose upper half the stream begins; that half is left to
/// write_first_bits, and the upper half of the word in which the stream ends becomes garbage. No branches:
/// widths of neighbouring sub-chunks differ, and they are written side by side.
template <class Warp>
FLOE_DEVICE void write_lane_bits(Warp& warp, std::uint8_t* stream, const LaneBits& bits, unsigned lane_bits) {
  const std::uint32_t next = warp.shuffle_down(bits.word[0], 1);
  const std::uint32_t next_low = next << (lane_bits & 31), next_high = funnel_left(next, 0, lane_bits);
  const unsigned whole_words = lane_bits / 32;
  std::uint32_t x[5];
  x[0] = bits.word[0];
  FLOE_UNROLL
  for (unsigned i = 1; i < 5; ++i) {
    x[i] = (i < 4 ? bits.word[i] : 0) | (i == whole_words ? next_low : i == whole_words + 1 ? next_high : 0);
  }
  const unsigned begin = first_bit + warp.lane() * lane_bits;
  const unsigned first = (begin + 31) / 32, count = (begin + lane_bits + 31) / 32 - first;
  const unsigned shift = 32 * first - begin;
  std::uint8_t* const out = stream + 4 * first;
  FLOE_UNROLL
  for (unsigned i = 0; i < 4; ++i) {
    if (i == 0 || i < count) store_aligned(out + 4 * i, funnel_right(x[i], x[i + 1], shift));
  }
}

/// The first 16 bits of a stream, after write_lane_bits and a barrier.
template <class Warp>
FLOE_DEVICE void write_first_bits(Warp& warp, std::uint8_t* stream, const LaneBits& bits) {
  if (warp.lane() == 0) store_aligned(stream + 2, static_cast<std::uint16_t>(bits.word[0]));
}

/// Both for fewer than 32 bits of every lane; contains a barrier.
template <class Warp>
FLOE_DEVICE void write_few_lane_bits(Warp& warp, std::uint8_t* stream, std::uint32_t bits,
                                     unsigned lane_bits) {
  if (warp.lane() < lane_bits) store_aligned(stream + 4 * (1 + warp.lane()), std::uint32_t{0});
  if (warp.lane() == 0) store_aligned(stream + 2, std::uint16_t{0});
  warp.sync();
  const unsigned begin = first_bit + warp.lane() * lane_bits, shift = begin % 32;
  warp.shared_or(stream + 4 * (begin / 32), bits << shift);
  if (shift + lane_bits > 32) warp.shared_or(stream + 4 * (begin / 32 + 1), funnel_left(bits, 0, shift));
}

/// Up to 128 bits of every lane. Reads up to 20 bytes from the lane's first word on.
template <class Warp>
FLOE_DEVICE LaneBits read_lane_bits(Warp& warp, const std::uint8_t* stream, unsigned lane_bits) {
  const unsigned begin = first_bit + warp.lane() * lane_bits;
  const std::uint8_t* const from = stream + 4 * (begin / 32);
  std::uint32_t x[5];
  FLOE_UNROLL
  for (unsigned i = 0; i < 5; ++i) x[i] = word32(from, i);
  LaneBits bits;
  FLOE_UNROLL
  for (unsigned i = 0; i < 4; ++i) bits.word[i] = funnel_right(x[i], x[i + 1], begin);
  return bits;
}

/// `width` bits from bit `position` of a stream on; reads up to 12 bytes.
template <core::Word W>
FLOE_DEVICE W read_bits(const std::uint8_t* stream, std::uint32_t position, unsigned width) {
  const std::uint8_t* const from = stream + position / 32 * 4;
  const std::uint32_t a = word32(from, 0), b = word32(from, 1);
  std::uint64_t bits = funnel_right(a, b, position);
  if constexpr (sizeof(W) == 8)
    bits |= static_cast<std::uint64_t>(funnel_right(b, word32(from, 2), position)) << 32;
  return static_cast<W>(static_cast<W>(bits) & core::low_mask<W>(width));
}

/// Adds bits at a `position` of a stream that is zero there. Other lanes may do so at the same time.
template <core::Word W, class Warp>
FLOE_DEVICE void or_bits(Warp& warp, std::uint8_t* stream, std::uint32_t position, unsigned width, W word) {
  if (width == 0) return;
  std::uint8_t* const to = stream + position / 32 * 4;
  const unsigned shift = position % 32;
  const std::uint64_t bits = word;
  warp.shared_or(to, low_half(bits) << shift);
  if (shift + width > 32) warp.shared_or(to + 4, funnel_left(low_half(bits), high_half(bits), shift));
  if (shift + width > 64) warp.shared_or(to + 8, funnel_left(high_half(bits), 0, shift));
}

}  // namespace floe::gpu
