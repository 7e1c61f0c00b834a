// A full chunk of 32-bit words to bit planes and back with NEON: four tiles at a time, words are transposed
// as 8 x 4 words, then their bytes as 4 x 4, so that a vector holds one byte of every eighth word; the bits
// of eight such vectors are then exchanged in three steps.
#pragma once

#include <arm_neon.h>

#include "chunks/cpu/neon/subchunk_packing.hpp"
#include "chunks/cpu/overlap.hpp"
#include "core/chunk.hpp"

namespace floe::cpu::neon {

inline constexpr unsigned planes = 32;
inline constexpr std::size_t plane_bytes = core::chunk_bytes / planes;
inline constexpr std::size_t block_bytes = 4 * 128;  // four tiles of 32 words: 16 bytes of each plane
inline constexpr unsigned blocks = core::chunk_bytes / block_bytes;

/// A block: words w to w + 3 of tile t lie in vector 8 * t + w / 4; or its bytes, by significance and
/// position of their words.
using Block = uint8x16_t[32];

/// Transposes 4 x 4 words.
inline void transpose4(uint8x16_t (&r)[4]) {
  const auto words = [&](unsigned i) { return vreinterpretq_u32_u8(r[i]); };
  const auto pairs = [](uint32x4_t v) { return vreinterpretq_u64_u32(v); };
  const uint64x2_t a = pairs(vtrn1q_u32(words(0), words(1))), b = pairs(vtrn2q_u32(words(0), words(1)));
  const uint64x2_t c = pairs(vtrn1q_u32(words(2), words(3))), d = pairs(vtrn2q_u32(words(2), words(3)));
  r[0] = vreinterpretq_u8_u64(vtrn1q_u64(a, c));
  r[1] = vreinterpretq_u8_u64(vtrn1q_u64(b, d));
  r[2] = vreinterpretq_u8_u64(vtrn2q_u64(a, c));
  r[3] = vreinterpretq_u8_u64(vtrn2q_u64(b, d));
}

/// Bytes 0 to 3 of four words, the last word first, become words 0 to 3; its own inverse but for the order of
/// the words.
inline uint8x16_t gather_bytes(uint8x16_t words) {
  static constexpr std::uint8_t from[16] = {12, 8, 4, 0, 13, 9, 5, 1, 14, 10, 6, 2, 15, 11, 7, 3};
  return vqtbl1q_u8(words, vld1q_u8(from));
}
inline uint8x16_t scatter_bytes(uint8x16_t bytes) {
  static constexpr std::uint8_t from[16] = {3, 7, 11, 15, 2, 6, 10, 14, 1, 5, 9, 13, 0, 4, 8, 12};
  return vqtbl1q_u8(bytes, vld1q_u8(from));
}

/// Vector 8 * significance + position of `bytes`: the bytes of that significance of the words of that
/// position, in the order of planes.
inline void words_to_bytes(const Block& words, Block& bytes) {
  for (unsigned half = 0; half < 2; ++half) {
    uint8x16_t positions[4][4];  // of the tiles
    for (unsigned tile = 0; tile < 4; ++tile) {
      uint8x16_t r[4];
      for (unsigned group = 0; group < 4; ++group) r[group] = words[8 * tile + 2 * group + half];
      transpose4(r);
      for (unsigned position = 0; position < 4; ++position)
        positions[position][tile] = gather_bytes(r[position]);
    }
    for (unsigned position = 0; position < 4; ++position) {
      transpose4(positions[position]);
      for (unsigned significance = 0; significance < 4; ++significance)
        bytes[8 * significance + 4 * half + position] = positions[position][significance];
    }
  }
}

inline void bytes_to_words(const Block& bytes, Block& words) {
  for (unsigned half = 0; half < 2; ++half) {
    uint8x16_t positions[4][4];
    for (unsigned position = 0; position < 4; ++position) {
      for (unsigned significance = 0; significance < 4; ++significance)
        positions[position][significance] = bytes[8 * significance + 4 * half + position];
      transpose4(positions[position]);
    }
    for (unsigned tile = 0; tile < 4; ++tile) {
      uint8x16_t r[4];
      for (unsigned position = 0; position < 4; ++position)
        r[position] = scatter_bytes(positions[position][tile]);
      transpose4(r);
      for (unsigned group = 0; group < 4; ++group) words[8 * tile + 2 * group + half] = r[group];
    }
  }
}

/// Exchanges bits of `distance` positions between vectors that are `distance` apart; `lower` names the ones
/// that move to the second vector.
template <int distance>
void exchange_bits(uint8x16_t (&r)[8], std::uint8_t lower) {
  const uint8x16_t stays_in_first = vdupq_n_u8(lower), stays_in_second = vmvnq_u8(stays_in_first);
  for (unsigned i = 0; i < 8; ++i) {
    if ((i & distance) != 0) continue;
    const uint8x16_t a = r[i], b = r[i + distance];
    r[i] = vbslq_u8(stays_in_first, a, vshlq_n_u8(b, distance));
    r[i + distance] = vbslq_u8(stays_in_second, b, vshrq_n_u8(a, distance));
  }
}

/// Afterwards bit i of byte k of vector j is what bit j of byte k of vector i was.
inline void transpose_bits(uint8x16_t (&r)[8]) {
  exchange_bits<4>(r, 0x0F);
  exchange_bits<2>(r, 0x33);
  exchange_bits<1>(r, 0x55);
}

/// Residuals of a full chunk, folded, as bit planes.
inline void words_to_planes(const std::uint8_t* chunk, std::uint8_t* to, core::MemoryOverlap* overlap) {
  using L = Lanes<32>;
  Block words, bytes;
  uint32x4_t before = L::zero();
  for (unsigned block = 0; block < blocks; ++block) {
    carry_on(overlap, block_bytes / 128);
    for (unsigned i = 0; i < 32; ++i) {
      const uint32x4_t now = L::load(chunk + block * block_bytes + 16 * i);
      words[i] = vreinterpretq_u8_u32(L::fold(vsubq_u32(now, vextq_u32(before, now, 3))));
      before = now;
    }
    words_to_bytes(words, bytes);
    for (unsigned significance = 0; significance < 4; ++significance) {
      uint8x16_t r[8];
      for (unsigned position = 0; position < 8; ++position)
        r[7 - position] = bytes[8 * significance + position];
      transpose_bits(r);
      for (unsigned bit = 0; bit < 8; ++bit)
        vst1q_u8(to + (31 - 8 * significance - bit) * plane_bytes + 16 * block, r[bit]);
    }
  }
}

/// The inverse of words_to_planes.
inline void planes_to_words(const std::uint8_t* from, std::uint8_t* chunk, core::MemoryOverlap* overlap) {
  using L = Lanes<32>;
  Block words, bytes;
  uint32x4_t carry = L::zero();
  for (unsigned block = 0; block < blocks; ++block) {
    carry_on(overlap, block_bytes / 128);
    for (unsigned significance = 0; significance < 4; ++significance) {
      uint8x16_t r[8];
      for (unsigned bit = 0; bit < 8; ++bit)
        r[bit] = vld1q_u8(from + (31 - 8 * significance - bit) * plane_bytes + 16 * block);
      transpose_bits(r);
      for (unsigned position = 0; position < 8; ++position)
        bytes[8 * significance + position] = r[7 - position];
    }
    bytes_to_words(bytes, words);
    for (unsigned i = 0; i < 32; ++i)
      L::store(chunk + block * block_bytes + 16 * i,
               L::prefix_sums(L::unfold(vreinterpretq_u32_u8(words[i])), carry));
  }
}

}  // namespace floe::cpu::neon
