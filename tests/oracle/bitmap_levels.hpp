// The bitmap of a drop stage, shortened by dropping the bytes that repeat their predecessor, level by level.
#pragma once

#include "core/chunk.hpp"
#include "tests/oracle/bytes.hpp"

namespace floe::oracle {

/// Bitmaps always have the size that a full chunk needs, one bit per unit of `Unit`, also when the chunk is
/// short.
template <core::Word Unit>
inline constexpr std::size_t bitmap_bytes = core::chunk_bytes / sizeof(Unit) / 8;

inline bool bit_of(const Bytes& bitmap, std::size_t i) { return (bitmap[i / 8] >> (i % 8) & 1) != 0; }
inline void set_bit(Bytes& bitmap, std::size_t i) {
  bitmap[i / 8] |= static_cast<std::uint8_t>(1u << (i % 8));
}

/// Appends each level's bytes that differ from their predecessor (0 before the first), finest level first.
/// Which bytes those are is the bitmap of the next level. A level of fewer than 8 bytes is appended whole and
/// is the last.
inline void append_levels(Bytes& out, Bytes level) {
  while (level.size() >= 8) {
    Bytes next(level.size() / 8, 0);
    std::uint8_t previous = 0;
    for (std::size_t i = 0; i < level.size(); ++i) {
      if (level[i] != previous) {
        out.push_back(level[i]);
        set_bit(next, i);
      }
      previous = level[i];
    }
    level = next;
  }
  append(out, level);
}

/// Takes the levels of a bitmap of `size` bytes from the end of `in` and shortens `in` by them.
inline MaybeBytes take_levels(Bytes& in, std::size_t size) {
  if (size < 8) {
    if (in.size() < size) return std::nullopt;
    Bytes last(in.end() - static_cast<std::ptrdiff_t>(size), in.end());
    in.resize(in.size() - size);
    return last;
  }
  const MaybeBytes next = take_levels(in, size / 8);
  if (!next) return std::nullopt;
  std::size_t emitted = 0;
  for (std::size_t i = 0; i < size; ++i) emitted += bit_of(*next, i) ? 1 : 0;
  if (in.size() < emitted) return std::nullopt;
  std::size_t position = in.size() - emitted;
  Bytes level;
  std::uint8_t previous = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (bit_of(*next, i)) previous = in[position++];
    level.push_back(previous);
  }
  in.resize(in.size() - emitted);
  return level;
}

}  // namespace floe::oracle
