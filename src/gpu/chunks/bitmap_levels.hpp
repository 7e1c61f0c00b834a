// The bitmap of a drop stage on a warp, shortened level by level (docs/format/stages/drop_zeros.md).
#pragma once

#include "gpu/warp/device.hpp"

namespace floe::gpu {

/// One bit per byte of `word`: whether it is not 0. Bits 0 to 3.
FLOE_DEVICE std::uint32_t nonzero_bytes(std::uint32_t word) {
  const std::uint32_t tops = (((word & 0x7F7F7F7F) + 0x7F7F7F7F) | word) & 0x80808080;
  return (tops >> 7) * 0x10204080 >> 28;
}

/// The selector for permute_bytes that spreads bytes of a word to the positions in `kept`; zeros elsewhere.
FLOE_DEVICE std::uint32_t expand_selector(std::uint32_t kept) {
  const std::uint32_t set = kept * 0x00204081 & 0x01010101;     // bit i in byte i
  const std::uint32_t rank = set * 0x01010100;                  // how many are set before it
  const std::uint32_t each = rank + ((set ^ 0x01010101) << 2);  // 4 and more: a byte of the zero word
  const std::uint32_t pairs = each | each >> 4;                 // bytes 0 and 2 now hold two nibbles each
  return (pairs & 0xFF) | (pairs >> 8 & 0xFF00);
}

/// The bytes of a word that `kept` names, one behind the other, if byte 3 is 0 or named; zeros behind them.
FLOE_DEVICE std::uint32_t compact_bytes(std::uint32_t word, std::uint32_t kept) {
  if ((kept & 4) == 0) word = permute_bytes(word, 0, 0x4310);
  if ((kept & 2) == 0) word = permute_bytes(word, 0, 0x4320);
  if ((kept & 1) == 0) word = permute_bytes(word, 0, 0x4321);
  return word;
}

/// Stores four bits of each lane, lane l's at nibble l.
template <class Warp>
FLOE_DEVICE void store_nibbles(Warp& warp, std::uint8_t* to, std::uint32_t nibble) {
  const std::uint32_t next = warp.shuffle_down(nibble, 1);
  if (warp.lane() % 2 == 0) to[warp.lane() / 2] = static_cast<std::uint8_t>(nibble | next << 4);
}

/// Appends a level of `bytes` bytes (a multiple of 4) at out + position and writes the next one, of an
/// eighth, to `next`. Returns the new position. What would reach beyond `limit` is counted but not written.
template <class Warp>
FLOE_DEVICE std::uint32_t append_level(Warp& warp, std::uint8_t* out, std::uint32_t position,
                                       std::uint32_t limit, const std::uint8_t* level, std::uint32_t bytes,
                                       std::uint8_t* next) {
  std::uint32_t carry = 0;
  for (std::uint32_t base = 0; base < bytes; base += 4 * warp_lanes) {
    const std::uint32_t at = base + 4 * warp.lane();
    const std::uint32_t word = at < bytes ? load_aligned<std::uint32_t>(level + at) : 0;
    const std::uint32_t before = word_before(warp, word, carry);
    const std::uint32_t kept = at < bytes ? nonzero_bytes(word ^ funnel_left(before, word, 8)) : 0;
    const std::uint32_t count = count_bits(kept), inclusive = inclusive_scan(warp, count);
    std::uint32_t to = position + inclusive - count;
    FLOE_UNROLL
    for (unsigned b = 0; b < 4; ++b) {
      if ((kept >> b & 1) == 0) continue;
      if (to < limit) out[to] = static_cast<std::uint8_t>(word >> (8 * b));
      ++to;
    }
    store_nibbles(warp, next + base / 8, kept);
    position += warp.shuffle(inclusive, 31);
  }
  warp.sync();
  return position;
}

/// Appends all levels of a bitmap of 2048 or 256 bytes, up to `limit`. `scratch` has 512 bytes. Returns the
/// new position.
template <std::uint32_t bitmap_bytes, class Warp>
FLOE_DEVICE std::uint32_t append_levels(Warp& warp, std::uint8_t* out, std::uint32_t position,
                                        std::uint32_t limit, const std::uint8_t* bitmap,
                                        std::uint8_t* scratch) {
  static_assert(bitmap_bytes == 2048 || bitmap_bytes == 256);
  const std::uint8_t* level = bitmap;
  if constexpr (bitmap_bytes == 2048) {
    position = append_level(warp, out, position, limit, level, 2048, scratch);
    level = scratch;
  }
  position = append_level(warp, out, position, limit, level, 256, scratch + 256);
  position = append_level(warp, out, position, limit, scratch + 256, 32, scratch + 288);
  if (warp.lane() < 4 && position + warp.lane() < limit)
    out[position + warp.lane()] = scratch[288 + warp.lane()];
  warp.sync();
  return position + 4;
}

/// Writes a level of `bytes` bytes (a multiple of 32) from the bytes in front of `end` that were kept of it;
/// `next` says which. Returns where they begin, or stored_raw if that lies before the front.
template <class Warp>
FLOE_DEVICE std::uint32_t expand_level(Warp& warp, const std::uint8_t* in, std::uint32_t end,
                                       const std::uint8_t* next, std::uint32_t bytes, std::uint8_t* level) {
  std::uint32_t mine = 0;
  for (std::uint32_t i = warp.lane(); i < bytes / 32; i += warp_lanes) mine += count_bits(word32(next, i));
  const std::uint32_t kept = warp.reduce_add(mine);
  if (kept > end) return stored_raw;
  const std::uint32_t begin = end - kept;
  std::uint32_t rank = 0;
  for (std::uint32_t i = 0; i < bytes / 32; ++i) {
    const std::uint32_t set = word32(next, i);
    const std::uint32_t inclusive = rank + count_bits(set & (0xFFFFFFFF >> (31 - warp.lane())));
    level[32 * i + warp.lane()] = inclusive == 0 ? std::uint8_t{0} : in[begin + inclusive - 1];
    rank += count_bits(set);
  }
  warp.sync();
  return begin;
}

/// Takes the levels of a bitmap of 2048 or 256 bytes that end at in + end. Returns where they begin, or
/// stored_raw if that lies before the front. `scratch` has 512 bytes.
template <std::uint32_t bitmap_bytes, class Warp>
FLOE_DEVICE std::uint32_t expand_levels(Warp& warp, const std::uint8_t* in, std::uint32_t end,
                                        std::uint8_t* bitmap, std::uint8_t* scratch) {
  static_assert(bitmap_bytes == 2048 || bitmap_bytes == 256);
  if (end < 4) return stored_raw;
  if (warp.lane() < 4) scratch[288 + warp.lane()] = in[end - 4 + warp.lane()];
  warp.sync();
  end = expand_level(warp, in, end - 4, scratch + 288, 32, scratch + 256);
  if (end == stored_raw) return stored_raw;
  std::uint8_t* const level = bitmap_bytes == 2048 ? scratch : bitmap;
  end = expand_level(warp, in, end, scratch + 256, 256, level);
  if (bitmap_bytes == 256 || end == stored_raw) return end;
  return expand_level(warp, in, end, level, 2048, bitmap);
}

/// True if a bit at `first` or beyond is set in a bitmap of `bitmap_bytes` bytes.
template <std::uint32_t bitmap_bytes, class Warp>
FLOE_DEVICE bool any_bit_from(Warp& warp, const std::uint8_t* bitmap, std::uint32_t first) {
  std::uint32_t found = 0;
  for (std::uint32_t i = first / 32 + warp.lane(); i < bitmap_bytes / 4; i += warp_lanes)
    found |= word32(bitmap, i) & (i == first / 32 ? 0xFFFFFFFF << (first % 32) : 0xFFFFFFFF);
  return warp.ballot(found != 0) != 0;
}

/// Number of bits set in a bitmap of `bitmap_bytes` bytes.
template <std::uint32_t bitmap_bytes, class Warp>
FLOE_DEVICE std::uint32_t count_bitmap(Warp& warp, const std::uint8_t* bitmap) {
  std::uint32_t count = 0;
  for (std::uint32_t i = warp.lane(); i < bitmap_bytes / 4; i += warp_lanes)
    count += count_bits(word32(bitmap, i));
  return warp.reduce_add(count);
}

}  // namespace floe::gpu
