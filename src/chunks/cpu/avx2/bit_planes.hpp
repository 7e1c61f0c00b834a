// A full chunk of 32-bit words to bit planes and back with AVX2: eight tiles at a time, words are transposed
// as 8 x 8 words, then their bytes as 4 x 4, so that a vector holds one byte of every eighth word; the bits
// of eight such vectors are then exchanged in three steps.
#pragma once

#include <immintrin.h>

#include "chunks/cpu/avx2/overlap.hpp"
#include "chunks/cpu/avx2/target.hpp"
#include "chunks/cpu/avx2/words32.hpp"
#include "core/chunk.hpp"

FLOE_AVX2_BEGIN
namespace floe::cpu::avx2 {

inline constexpr unsigned planes = 32;
inline constexpr std::size_t plane_bytes = core::chunk_bytes / planes;
inline constexpr std::size_t block_bytes = 8 * 128;  // eight tiles of 32 words: 32 bytes of each plane
inline constexpr unsigned blocks = core::chunk_bytes / block_bytes;

/// A block as 32 vectors of words or of bytes. Word w of tile t, w = 8 * group + position, lies in vector
/// 4 * t + group.
struct alignas(32) Block {
  std::uint8_t bytes[block_bytes];
  [[nodiscard]] __m256i load(unsigned vector) const { return load256(bytes + 32 * vector); }
  void store(unsigned vector, __m256i v) { store256(bytes + 32 * vector, v); }
  /// Four words of a tile of the block's first half, and the same four words of the tile four further on.
  [[nodiscard]] __m256i load_halves(unsigned vector, unsigned half) const {
    return load256(bytes + 32 * vector + 16 * half, bytes + 32 * (vector + 16) + 16 * half);
  }
};

/// Transposes 4 x 4 words in each half.
inline void transpose4(__m256i (&r)[4]) {
  const __m256i a = _mm256_unpacklo_epi32(r[0], r[1]), b = _mm256_unpackhi_epi32(r[0], r[1]);
  const __m256i c = _mm256_unpacklo_epi32(r[2], r[3]), d = _mm256_unpackhi_epi32(r[2], r[3]);
  r[0] = _mm256_unpacklo_epi64(a, c);
  r[1] = _mm256_unpackhi_epi64(a, c);
  r[2] = _mm256_unpacklo_epi64(b, d);
  r[3] = _mm256_unpackhi_epi64(b, d);
}

/// Bytes 0 to 3 of four words, the last word first, become words 0 to 3.
inline __m256i gather_bytes(__m256i words) {
  const __m128i from = _mm_setr_epi8(12, 8, 4, 0, 13, 9, 5, 1, 14, 10, 6, 2, 15, 11, 7, 3);
  return _mm256_shuffle_epi8(words, _mm256_broadcastsi128_si256(from));
}

/// Vector 8 * significance + position of `bytes`: the bytes of that significance of the words of that
/// position, in the order of planes.
inline void words_to_bytes(const Block& words, Block& bytes) {
  for (unsigned half = 0; half < 2; ++half) {
    __m256i positions[4][4];  // of quarters of the tiles
    for (unsigned quarter = 0; quarter < 4; ++quarter) {
      __m256i r[4];
      for (unsigned group = 0; group < 4; ++group) r[group] = words.load_halves(4 * quarter + group, half);
      transpose4(r);
      for (unsigned position = 0; position < 4; ++position)
        positions[position][quarter] = gather_bytes(r[position]);
    }
    for (unsigned position = 0; position < 4; ++position) {
      transpose4(positions[position]);
      for (unsigned significance = 0; significance < 4; ++significance) {
        bytes.store(8 * significance + 4 * half + position, positions[position][significance]);
      }
    }
  }
}

/// Exchanges bits of `distance` positions between vectors that are `distance` apart.
template <int distance>
void exchange_bits(__m256i (&r)[8], __m256i lower) {
  for (unsigned i = 0; i < 8; ++i) {
    if ((i & distance) != 0) continue;
    const __m256i differ =
        _mm256_and_si256(_mm256_xor_si256(_mm256_srli_epi16(r[i], distance), r[i + distance]), lower);
    r[i + distance] = _mm256_xor_si256(r[i + distance], differ);
    r[i] = _mm256_xor_si256(r[i], _mm256_slli_epi16(differ, distance));
  }
}

/// Afterwards bit i of byte k of vector j is what bit j of byte k of vector i was.
inline void transpose_bits(__m256i (&r)[8]) {
  exchange_bits<4>(r, _mm256_set1_epi8(0x0F));
  exchange_bits<2>(r, _mm256_set1_epi8(0x33));
  exchange_bits<1>(r, _mm256_set1_epi8(0x55));
}

/// Residuals of a full chunk, folded, as bit planes; `to` is aligned to 64.
inline void words_to_planes(const std::uint8_t* chunk, std::uint8_t* to, core::MemoryOverlap* overlap) {
  Block words, bytes;
  __m256i before = _mm256_setzero_si256();
  for (unsigned block = 0; block < blocks; ++block) {
    carry_on(overlap, block_bytes / 128);
    for (unsigned i = 0; i < 32; ++i) {
      const __m256i now = load256(chunk + block * block_bytes + 32 * i);
      words.store(i, fold32(sub_previous32(now, before)));
      before = now;
    }
    words_to_bytes(words, bytes);
    for (unsigned significance = 0; significance < 4; ++significance) {
      __m256i r[8];
      for (unsigned position = 0; position < 8; ++position)
        r[7 - position] = bytes.load(8 * significance + position);
      transpose_bits(r);
      for (unsigned bit = 0; bit < 8; ++bit)
        store256(to + (31 - 8 * significance - bit) * plane_bytes + 32 * block, r[bit]);
    }
  }
}

/// Residuals of a block from its planes, as bytes in the order of words_to_bytes. The plane of signs inverts
/// the others, which stand for the bits below them.
inline void planes_to_bytes(const std::uint8_t* from, unsigned block, Block& bytes) {
  const auto plane = [&](unsigned bit) { return load256(from + (31 - bit) * plane_bytes + 32 * block); };
  const __m256i signs = plane(0);
  for (unsigned significance = 0; significance < 4; ++significance) {
    __m256i r[8];
    for (unsigned bit = 0; bit < 8; ++bit) {
      const unsigned folded_bit = 8 * significance + bit + 1;
      r[bit] = folded_bit < planes ? _mm256_xor_si256(plane(folded_bit), signs) : signs;
    }
    transpose_bits(r);
    for (unsigned position = 0; position < 8; ++position)
      bytes.store(8 * significance + position, r[7 - position]);
  }
}

/// Vector 4 * position + quarter of `words`: the words of that position of groups 3 to 0 of tile `quarter`,
/// and of the tile four further on, each with those before it in its group added. `sums` are those of whole
/// groups.
inline void bytes_to_group_sums(const Block& bytes, Block& words, __m256i (&sums)[4]) {
  for (__m256i& sum : sums) sum = _mm256_setzero_si256();
  for (unsigned position = 0; position < 8; ++position) {
    __m256i r[4];
    for (unsigned significance = 0; significance < 4; ++significance)
      r[significance] = bytes.load(8 * significance + position);
    const __m256i a = _mm256_unpacklo_epi8(r[0], r[1]), b = _mm256_unpackhi_epi8(r[0], r[1]);
    const __m256i c = _mm256_unpacklo_epi8(r[2], r[3]), d = _mm256_unpackhi_epi8(r[2], r[3]);
    const __m256i of_quarters[4] = {_mm256_unpacklo_epi16(a, c), _mm256_unpackhi_epi16(a, c),
                                    _mm256_unpacklo_epi16(b, d), _mm256_unpackhi_epi16(b, d)};
    for (unsigned quarter = 0; quarter < 4; ++quarter) {
      sums[quarter] = _mm256_add_epi32(sums[quarter], of_quarters[quarter]);
      words.store(4 * position + quarter, sums[quarter]);
    }
  }
}

/// Sums of groups to those of all words before each group; `carry` is the last word before at every position,
/// and then the last word of this block.
inline void add_up_groups(__m256i (&sums)[4], __m256i& carry) {
  __m256i before = _mm256_setzero_si256();  // of the tiles before in each half
  for (__m256i& sum : sums) {
    __m256i x = _mm256_add_epi32(sum, _mm256_srli_si256(sum, 4));
    x = _mm256_add_epi32(x, _mm256_srli_si256(x, 8));
    sum = _mm256_add_epi32(before, _mm256_sub_epi32(x, sum));
    before = _mm256_add_epi32(before, _mm256_shuffle_epi32(x, 0x00));
  }
  const __m256i swapped = _mm256_permute2x128_si256(before, before, 0x01);
  const __m256i of_halves =
      _mm256_add_epi32(carry, _mm256_blend_epi32(_mm256_setzero_si256(), swapped, 0xF0));
  for (__m256i& sum : sums) sum = _mm256_add_epi32(sum, of_halves);
  carry = _mm256_add_epi32(carry, _mm256_add_epi32(before, swapped));
}

/// The inverse of words_to_planes.
inline void planes_to_words(const std::uint8_t* from, std::uint8_t* chunk, core::MemoryOverlap* overlap) {
  Block words, bytes;
  __m256i carry = _mm256_setzero_si256();
  for (unsigned block = 0; block < blocks; ++block) {
    carry_on(overlap, block_bytes / 128);
    planes_to_bytes(from, block, bytes);
    __m256i before[4];
    bytes_to_group_sums(bytes, words, before);
    add_up_groups(before, carry);
    for (unsigned quarter = 0; quarter < 4; ++quarter) {
      std::uint8_t* const tile = chunk + block * block_bytes + 128 * quarter;
      __m256i first[4], second[4];  // positions 0 to 3 and 4 to 7 of groups 3 to 0
      for (unsigned position = 0; position < 4; ++position) {
        first[position] = _mm256_add_epi32(words.load(4 * position + quarter), before[quarter]);
        second[position] = _mm256_add_epi32(words.load(4 * (position + 4) + quarter), before[quarter]);
      }
      transpose4(first);
      transpose4(second);
      for (unsigned group = 0; group < 4; ++group) {
        const __m256i a = first[3 - group], b = second[3 - group];
        store256(tile + 32 * group, _mm256_permute2x128_si256(a, b, 0x20));
        store256(tile + block_bytes / 2 + 32 * group, _mm256_permute2x128_si256(a, b, 0x31));
      }
    }
  }
}

}  // namespace floe::cpu::avx2
FLOE_AVX2_END
