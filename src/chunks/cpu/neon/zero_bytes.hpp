// Zero bytes of a full chunk dropped and put back with NEON, eight bytes per table entry, and the levels of
// the bitmap that says where they were.
#pragma once

#include <arm_neon.h>

#include <cstdint>
#include <cstring>

#include "chunks/cpu/kept_bytes.hpp"
#include "chunks/cpu/mask_moves.hpp"
#include "chunks/cpu/overlap.hpp"
#include "core/chunk.hpp"

namespace floe::cpu::neon {

/// The number of bytes that a mask of eight names: the rank of the last one.
inline std::size_t count_of(unsigned mask) { return mask_moves.rank[mask][7]; }

/// Writes the bytes of eight that the mask names and returns the position after them; may overshoot by 8
/// bytes.
inline std::uint8_t* keep_of_eight(const std::uint8_t* from, unsigned mask, std::uint8_t* out) {
  vst1_u8(out, vtbl1_u8(vld1_u8(from), vld1_u8(mask_moves.keep[mask].data())));
  return out + count_of(mask);
}

/// Bytes of ones and of zeros to the bits of two vectors, in the lower and the upper half.
inline uint8x16_t weigh(uint8x16_t ones, uint8x16_t more_ones) {
  const uint8x16_t weights = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201));
  return vpaddq_u8(vandq_u8(ones, weights), vandq_u8(more_ones, weights));
}

/// Bit i: byte i of 64 is not zero.
inline std::uint64_t nonzero_bytes(const std::uint8_t* from) {
  uint8x16_t ones[4];
  for (unsigned i = 0; i < 4; ++i) {
    const uint8x16_t v = vld1q_u8(from + 16 * i);
    ones[i] = vtstq_u8(v, v);
  }
  const uint8x16_t quarters = vpaddq_u8(weigh(ones[0], ones[1]), weigh(ones[2], ones[3]));
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(quarters, quarters)), 0);
}

/// Bit i: byte i of 32 of both is not the same.
inline std::uint32_t differing_bytes(const std::uint8_t* a, const std::uint8_t* b) {
  const uint8x16_t first = vmvnq_u8(vceqq_u8(vld1q_u8(a), vld1q_u8(b)));
  const uint8x16_t second = vmvnq_u8(vceqq_u8(vld1q_u8(a + 16), vld1q_u8(b + 16)));
  const uint8x16_t pairs = weigh(first, second), quarters = vpaddq_u8(pairs, pairs);
  return vgetq_lane_u32(vreinterpretq_u32_u8(vpaddq_u8(quarters, quarters)), 0);
}

inline void keep_bytes(const std::uint8_t* from, KeptBytes& out, std::uint8_t* bitmap,
                       core::MemoryOverlap* overlap) {
  for (std::size_t i = 0; i < core::chunk_bytes; i += 64) {
    if (i % 128 == 0) carry_on(overlap, 1);
    const std::uint64_t kept = nonzero_bytes(from + i);
    std::memcpy(bitmap + i / 8, &kept, 8);
    if (kept == 0) continue;
    std::uint8_t *const room = out.room(), *position = room;
    for (unsigned part = 0; part < 8; ++part)
      position = keep_of_eight(from + i + 8 * part, kept >> 8 * part & 0xFF, position);
    out.advance(static_cast<std::size_t>(position - room));
  }
}

/// Needs no care at the end: behind the kept bytes of a payload lie at least one byte of each of the levels 0
/// to 2, level 3 and a length.
inline void expand_bytes(const std::uint8_t* kept, const std::uint8_t* bitmap, std::uint8_t* to,
                         core::MemoryOverlap* overlap) {
  for (std::size_t i = 0; i < core::chunk_bytes; i += 64) {
    if (i % 128 == 0) carry_on(overlap, 1);
    std::uint64_t mask;
    std::memcpy(&mask, bitmap + i / 8, 8);
    if (mask == 0) {
      std::memset(to + i, 0, 64);
      continue;
    }
    for (unsigned part = 0; part < 8; ++part) {
      const unsigned bits = mask >> 8 * part & 0xFF;
      vst1_u8(to + i + 8 * part, vtbl1_u8(vld1_u8(kept), vld1_u8(mask_moves.expand[bits].data())));
      kept += count_of(bits);
    }
  }
}

inline std::uint8_t* emit_level(const std::uint8_t* level, std::size_t bytes, std::uint8_t* next,
                                std::uint8_t* out) {
  for (std::size_t i = 0; i < bytes; i += 32) {
    const std::uint32_t differ = differing_bytes(level + i, level + i - 1);
    std::memcpy(next + i / 8, &differ, 4);
    if (differ == 0) continue;
    for (unsigned part = 0; part < 4; ++part)
      out = keep_of_eight(level + i + 8 * part, differ >> 8 * part & 0xFF, out);
  }
  return out;
}

inline void restore_level(const std::uint8_t* emitted, const std::uint8_t* next, std::size_t bytes,
                          std::uint8_t* level) {
  const std::uint8_t* position = emitted;
  for (std::size_t i = 0; i < bytes; i += 8) {
    const unsigned mask = next[i / 8];
    // Rank 0 is the last byte emitted before, or 0 at the start of the level.
    const uint8x16_t ranked = position == emitted
                                  ? vextq_u8(vdupq_n_u8(0), vcombine_u8(vld1_u8(position), vdup_n_u8(0)), 15)
                                  : vld1q_u8(position - 1);
    vst1_u8(level + i, vqtbl1_u8(ranked, vld1_u8(mask_moves.rank[mask].data())));
    position += count_of(mask);
  }
}

}  // namespace floe::cpu::neon
