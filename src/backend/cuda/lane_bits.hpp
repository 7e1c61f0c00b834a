// How do the bits of a warp's lanes become a bit stream, and back? Every lane has the same number of bits, at most 128.
#pragma once

#include "backend/cuda/device.hpp"
#include "core/bits.hpp"

namespace floe::cuda {

/// Up to 128 bits of a lane, lowest first; those that are not used are zero.
struct LaneBits {
  std::uint32_t word[4];
};

/// The stream of a sub-chunk begins in the upper half of a 32-bit word: the headers of bit_pack for 32-bit and 64-bit words have 30 and 34
/// bytes, and every sub-chunk of a full chunk has a multiple of 8.
inline constexpr unsigned first_bit = 16;

/// Four words of `width` bits each, one after the other.
FLOE_DEVICE LaneBits join_words(const Vector<std::uint32_t>& v, unsigned width) {
  if (width == 32) return {{v.word[0], v.word[1], v.word[2], v.word[3]}};
  const std::uint64_t a = v.word[0] | static_cast<std::uint64_t>(v.word[1]) << width;
  const std::uint64_t b = v.word[2] | static_cast<std::uint64_t>(v.word[3]) << width;
  const unsigned shift = 2 * width;
  if (width < 16) return {{low_half(a) | low_half(b) << shift, funnel_left(low_half(b), high_half(b), shift), 0, 0}};
  return {{low_half(a), high_half(a) | low_half(b) << (shift & 31), funnel_left(low_half(b), high_half(b), shift),
           funnel_left(high_half(b), 0, shift)}};
}

FLOE_DEVICE LaneBits join_words(const Vector<std::uint64_t>& v, unsigned width) {
  const std::uint64_t a = v.word[0], b = v.word[1];
  if (width == 64) return {{low_half(a), high_half(a), low_half(b), high_half(b)}};
  if (width < 32) return {{low_half(a) | low_half(b) << width, funnel_left(low_half(b), 0, width), 0, 0}};
  return {{low_half(a), high_half(a) | low_half(b) << (width & 31), funnel_left(low_half(b), high_half(b), width),
           funnel_left(high_half(b), 0, width)}};
}

FLOE_DEVICE void split_words(const LaneBits& bits, unsigned width, Vector<std::uint32_t>& v) {
  const std::uint32_t* const w = bits.word;
  if (width == 32) {
    for (unsigned i = 0; i < 4; ++i) v.word[i] = w[i];
    return;
  }
  const std::uint32_t mask = (1u << width) - 1;
  const bool narrow = width < 16;
  const unsigned third = 3 * width;
  v.word[0] = w[0] & mask;
  v.word[1] = funnel_right(w[0], w[1], width) & mask;
  v.word[2] = funnel_right(narrow ? w[0] : w[1], narrow ? w[1] : w[2], 2 * width) & mask;
  v.word[3] = funnel_right(third < 32 ? w[0] : third < 64 ? w[1] : w[2], third < 32 ? w[1] : third < 64 ? w[2] : w[3], third) & mask;
}

FLOE_DEVICE void split_words(const LaneBits& bits, unsigned width, Vector<std::uint64_t>& v) {
  const std::uint32_t* const w = bits.word;
  const auto join = [](std::uint32_t low, std::uint32_t high) { return static_cast<std::uint64_t>(high) << 32 | low; };
  if (width == 64) {
    v.word[0] = join(w[0], w[1]);
    v.word[1] = join(w[2], w[3]);
    return;
  }
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  const bool narrow = width < 32;
  v.word[0] = join(w[0], w[1]) & mask;
  v.word[1] = join(funnel_right(narrow ? w[0] : w[1], narrow ? w[1] : w[2], width),
                   funnel_right(narrow ? w[1] : w[2], narrow ? w[2] : w[3], width)) &
              mask;
}

/// Writes 32 · whole_words to 32 · whole_words + 31 bits of every lane, so that a lane needs bits of at most the next one to fill the words
/// that begin in its range. `stream` is the word in whose upper half the stream begins. The lower half of the word in which it ends becomes
/// right, the upper half is left to what follows.
template <unsigned whole_words, class Warp>
FLOE_DEVICE void write_lane_bits(Warp& warp, std::uint8_t* stream, const LaneBits& bits, unsigned lane_bits) {
  const std::uint32_t next = warp.shuffle_down(bits.word[0], 1);
  std::uint32_t x[whole_words + 2] = {};
  FLOE_UNROLL
  for (unsigned i = 0; i < 4 && i < whole_words + 2; ++i) x[i] = bits.word[i];
  x[whole_words] |= next << (lane_bits & 31);
  x[whole_words + 1] |= funnel_left(next, 0, lane_bits);

  const unsigned begin = first_bit + warp.lane() * lane_bits;
  const unsigned first = (begin + 31) / 32, count = (begin + lane_bits + 31) / 32 - first;
  const unsigned shift = 32 * first - begin;
  std::uint8_t* const out = stream + 4 * first;
  if (warp.lane() == 0) store_aligned(stream + 2, static_cast<std::uint16_t>(bits.word[0]));
  FLOE_UNROLL
  for (unsigned i = 0; i < whole_words; ++i) store_aligned(out + 4 * i, funnel_right(x[i], x[i + 1], shift));
  if (whole_words < 4 && count > whole_words) store_aligned(out + 4 * whole_words, funnel_right(x[whole_words], x[whole_words + 1], shift));
}

/// The same for fewer than 32 bits of every lane.
template <class Warp>
FLOE_DEVICE void write_few_lane_bits(Warp& warp, std::uint8_t* stream, std::uint32_t bits, unsigned lane_bits) {
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
  if constexpr (sizeof(W) == 8) bits |= static_cast<std::uint64_t>(funnel_right(b, word32(from, 2), position)) << 32;
  return static_cast<W>(static_cast<W>(bits) & core::low_mask<W>(width));
}

/// Adds `width` bits at bit `position` of a stream that is zero there. Other lanes may do the same at the same time.
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

}  // namespace floe::cuda
