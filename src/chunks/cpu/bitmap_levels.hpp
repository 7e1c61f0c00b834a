// The bitmap of a drop stage, shortened by dropping the bytes that repeat their predecessor, level by level.
#pragma once

#include <algorithm>
#include <array>

#include "chunks/cpu/compaction.hpp"
#include "core/chunk.hpp"

namespace floe::cpu {

/// A bitmap, or a level of one. Bit i is bit i mod 8 of byte i div 8.
template <std::size_t size>
using Level = std::array<std::uint8_t, size>;

/// Bitmaps always have the size that a full chunk needs, one bit per unit of `Unit`, also when the chunk is
/// short.
template <core::Word Unit>
using Bitmap = Level<core::chunk_bytes / sizeof(Unit) / 8>;

/// Appends the levels of a bitmap, finest first, and returns the bytes they take. A byte is kept if it
/// differs from the one before it (0 before the first); which bytes those are is the next level. A level of
/// fewer than 8 bytes is appended whole and is the last. May write 8 bytes past the end.
template <std::size_t size>
std::size_t append_levels(const Level<size>& level, std::uint8_t* out) {
  if constexpr (size < 8) {
    std::copy(level.begin(), level.end(), out);
    return size;
  } else {
    Level<size / 8> next;
    std::size_t kept = 0;
    std::uint64_t previous = 0;
    for (std::size_t i = 0; i < size / 8; ++i) {
      const auto bytes = core::load<std::uint64_t>(level.data() + 8 * i);
      const std::uint64_t changed = nonzero_flags(bytes ^ (bytes << 8 | previous));
      next[i] = mask_of(changed);
      kept += append_chosen(bytes, changed, out + kept);
      previous = bytes >> 56;
    }
    return kept + append_levels(next, out + kept);
  }
}

/// Takes the levels of a bitmap from the end of `in` and shortens `in_bytes` by them. False if there are too
/// few bytes.
template <std::size_t size>
bool take_levels(const std::uint8_t* in, std::size_t& in_bytes, Level<size>& level) {
  if constexpr (size < 8) {
    if (in_bytes < size) return false;
    in_bytes -= size;
    std::copy_n(in + in_bytes, size, level.begin());
  } else {
    Level<size / 8> next;
    if (!take_levels(in, in_bytes, next)) return false;
    const std::size_t kept = count_ones(next.data(), next.size());
    if (in_bytes < kept) return false;
    in_bytes -= kept;
    Level<size + 1>
        kept_bytes;  // begins with the 0 before the first byte, so that `latest` always points at a byte
    kept_bytes[0] = 0;
    std::copy_n(in + in_bytes, kept, kept_bytes.begin() + 1);
    const std::uint8_t* latest = kept_bytes.data();
    for (std::size_t i = 0; i < size / 8; ++i) {
      const std::uint64_t ranks = ranks_of(flags_of(next[i]));
      std::uint64_t bytes = *latest * every_byte;
      if (ranks != 0) {
        bytes = 0;
        for (unsigned b = 0; b < 8; ++b)
          bytes |= static_cast<std::uint64_t>(latest[ranks >> (8 * b) & 0xff]) << (8 * b);
      }
      core::store(level.data() + 8 * i, bytes);
      latest += ranks >> 56;
    }
  }
  return true;
}

/// Whether a bit at or after `first` is set.
template <std::size_t size>
bool any_bit_from(const Level<size>& bitmap, std::size_t first) {
  if (first >= 8 * size) return false;
  return bitmap[first / 8] >> (first % 8) != 0 ||
         std::any_of(bitmap.begin() + static_cast<std::ptrdiff_t>(first / 8 + 1), bitmap.end(),
                     [](std::uint8_t byte) { return byte != 0; });
}

}  // namespace floe::cpu
