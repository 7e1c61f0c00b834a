// Makes a byte string of the bytes of a warp's lanes, of which every lane has up to 16.
#pragma once

#include "gpu/warp/device.hpp"

namespace floe::gpu {

/// The lowest `count` bytes of (high, low); those above are zero.
struct LaneBytes {
  std::uint64_t low = 0, high = 0;
  std::uint32_t count = 0;
};

/// `a` and behind it `b`, of `a_bytes` and `b_bytes` bytes.
FLOE_DEVICE LaneBytes join_bytes(std::uint64_t a, unsigned a_bytes, std::uint64_t b, unsigned b_bytes) {
  return {a | shift_left(b, 8 * a_bytes), shift_right(b, 64 - 8 * a_bytes), a_bytes + b_bytes};
}

/// Four pieces of whole bytes, each of at most 32 bits.
FLOE_DEVICE LaneBytes join_pieces(const std::uint32_t (&piece)[4], const std::uint32_t (&bits)[4]) {
  std::uint32_t x[4] = {piece[3]};
  FLOE_UNROLL
  for (unsigned i = 3; i > 0; --i) {  // the pieces behind piece i - 1 move behind it
    FLOE_UNROLL
    for (unsigned k = 3; k > 0; --k) {
      if (k <= 4 - i) x[k] = funnel_left_upto_32(x[k - 1], x[k], bits[i - 1]);
    }
    x[0] = piece[i - 1] | funnel_left_upto_32(0, x[0], bits[i - 1]);
  }
  return {std::uint64_t{x[1]} << 32 | x[0], std::uint64_t{x[3]} << 32 | x[2],
          (bits[0] + bits[1] + bits[2] + bits[3]) / 8};
}

/// Four pieces, each of at most 4 bytes.
FLOE_DEVICE LaneBytes join_bytes(const std::uint32_t (&piece)[4], const std::uint32_t (&bytes)[4]) {
  return join_pieces(piece, {8 * bytes[0], 8 * bytes[1], 8 * bytes[2], 8 * bytes[3]});
}

/// Bytes that are zeroed beyond the end: see zero_ahead.
inline constexpr std::uint32_t zeroed_ahead = 16;

/// Makes room for the bytes [begin, end) of `out`: sets to zero what lies there, up to a multiple of 16. What
/// lies from `begin` to the next multiple of 16 is zero already. A barrier must follow.
template <class Warp>
FLOE_DEVICE void zero_ahead(Warp& warp, std::uint8_t* out, std::uint32_t begin, std::uint32_t end) {
  const Vector<std::uint32_t> zeros = {};
  for (std::uint32_t at = (begin + 15) / 16 * 16 + 16 * warp.lane(); at < end; at += 16 * warp_lanes)
    store_aligned(out + at, zeros);
}

/// The same for at most `max_bytes` bytes.
template <std::uint32_t max_bytes, class Warp>
FLOE_DEVICE void zero_ahead(Warp& warp, std::uint8_t* out, std::uint32_t begin, std::uint32_t end) {
  const std::uint32_t first = (begin + 15) / 16 * 16 + 16 * warp.lane();
  FLOE_UNROLL
  for (std::uint32_t i = 0; i < max_bytes; i += 16 * warp_lanes) {
    if (first + i < end) store_aligned(out + first + i, Vector<std::uint32_t>{});
  }
}

/// Puts a lane's bytes to out[offset] and on, where memory is zero. The lanes' bytes do not overlap, but may
/// share their first and last 32-bit words. No branches.
template <class Warp>
FLOE_DEVICE void write_lane_bytes(Warp& warp, std::uint8_t* out, std::uint32_t offset,
                                  const LaneBytes& bytes) {
  const unsigned shift = 8 * (offset % 4);
  const std::uint32_t v[4] = {low_half(bytes.low), high_half(bytes.low), low_half(bytes.high),
                              high_half(bytes.high)};
  const std::uint32_t x[5] = {v[0] << shift, funnel_left(v[0], v[1], shift), funnel_left(v[1], v[2], shift),
                              funnel_left(v[2], v[3], shift), funnel_left(v[3], 0, shift)};
  std::uint8_t* const to = out + offset / 4 * 4;
  const unsigned words = (offset % 4 + bytes.count + 3) / 4;  // that the bytes touch
  std::uint32_t last = x[0];
  FLOE_UNROLL
  for (unsigned i = 1; i < 5; ++i) last = words > i ? x[i] : last;
  warp.shared_or(to, x[0]);
  FLOE_UNROLL
  for (unsigned i = 1; i < 4; ++i) {
    if (i + 1 < words) store_aligned(to + 4 * i, x[i]);
  }
  warp.shared_or(to + (words > 1 ? 4 * words - 4 : 0), last);
}

/// The same for 1 or 2 bytes.
template <unsigned count, class Warp>
FLOE_DEVICE void or_few_bytes(Warp& warp, std::uint8_t* out, std::uint32_t offset, std::uint32_t bits) {
  std::uint8_t* const to = out + offset / 4 * 4;
  const unsigned shift = 8 * (offset % 4);
  warp.shared_or(to, bits << shift);
  if (count > 1 && offset % 4 + count > 4) warp.shared_or(to + 4, funnel_left(bits, 0, shift));
}

/// Up to 8 bytes from any byte on. Reads whole 32-bit words.
template <core::Word W>
FLOE_DEVICE W read_word(const std::uint8_t* from, std::uint32_t byte) {
  const std::uint8_t* const words = from + byte / 4 * 4;
  const std::uint32_t a = word32(words, 0), b = word32(words, 1);
  W word = funnel_right(a, b, 8 * byte);
  if constexpr (sizeof(W) == 8) word |= static_cast<W>(funnel_right(b, word32(words, 2), 8 * byte)) << 32;
  return word;
}

}  // namespace floe::gpu
