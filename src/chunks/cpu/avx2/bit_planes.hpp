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

/// A block as 32 vectors of words or of bytes. Word w of tile t, w = 8 * group + place, lies in vector 4 * t
/// + group.
struct alignas(32) Block {
  std::uint8_t bytes[block_bytes];
  [[nodiscard]] __m256i load(unsigned vector) const { return load256(bytes + 32 * vector); }
  void store(unsigned vector, __m256i v) { store256(bytes + 32 * vector, v); }
  /// Four words of a tile of the block's first half, and the same four words of the tile four further on.
  [[nodiscard]] __m256i load_halves(unsigned vector, unsigned half) const {
    return load256(bytes + 32 * vector + 16 * half, bytes + 32 * (vector + 16) + 16 * half);
  }
  void store_halves(unsigned vector, unsigned half, __m256i v) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(bytes + 32 * vector + 16 * half), _mm256_castsi256_si128(v));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(bytes + 32 * (vector + 16) + 16 * half),
                     _mm256_extracti128_si256(v, 1));
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

/// Bytes 0 to 3 of four words, the last word first, become words 0 to 3; its own inverse but for the order of
/// the words.
inline __m256i gather_bytes(__m256i words) {
  const __m128i from = _mm_setr_epi8(12, 8, 4, 0, 13, 9, 5, 1, 14, 10, 6, 2, 15, 11, 7, 3);
  return _mm256_shuffle_epi8(words, _mm256_broadcastsi128_si256(from));
}
inline __m256i scatter_bytes(__m256i bytes) {
  const __m128i from = _mm_setr_epi8(3, 7, 11, 15, 2, 6, 10, 14, 1, 5, 9, 13, 0, 4, 8, 12);
  return _mm256_shuffle_epi8(bytes, _mm256_broadcastsi128_si256(from));
}

/// Vector 8 * significance + place of `bytes`: the bytes of that significance of the words of that place, in
/// the order of planes.
inline void words_to_bytes(const Block& words, Block& bytes) {
  for (unsigned half = 0; half < 2; ++half) {
    __m256i places[4][4];  // of quarters of the tiles
    for (unsigned quarter = 0; quarter < 4; ++quarter) {
      __m256i r[4];
      for (unsigned group = 0; group < 4; ++group) r[group] = words.load_halves(4 * quarter + group, half);
      transpose4(r);
      for (unsigned place = 0; place < 4; ++place) places[place][quarter] = gather_bytes(r[place]);
    }
    for (unsigned place = 0; place < 4; ++place) {
      transpose4(places[place]);
      for (unsigned significance = 0; significance < 4; ++significance) {
        bytes.store(8 * significance + 4 * half + place, places[place][significance]);
      }
    }
  }
}

inline void bytes_to_words(const Block& bytes, Block& words) {
  for (unsigned half = 0; half < 2; ++half) {
    __m256i places[4][4];
    for (unsigned place = 0; place < 4; ++place) {
      for (unsigned significance = 0; significance < 4; ++significance) {
        places[place][significance] = bytes.load(8 * significance + 4 * half + place);
      }
      transpose4(places[place]);
    }
    for (unsigned quarter = 0; quarter < 4; ++quarter) {
      __m256i r[4];
      for (unsigned place = 0; place < 4; ++place) r[place] = scatter_bytes(places[place][quarter]);
      transpose4(r);
      for (unsigned group = 0; group < 4; ++group) words.store_halves(4 * quarter + group, half, r[group]);
    }
  }
}

/// Exchanges bits of `distance` places between vectors that are `distance` apart.
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
      for (unsigned place = 0; place < 8; ++place) r[7 - place] = bytes.load(8 * significance + place);
      transpose_bits(r);
      for (unsigned bit = 0; bit < 8; ++bit)
        store256(to + (31 - 8 * significance - bit) * plane_bytes + 32 * block, r[bit]);
    }
  }
}

/// The inverse of words_to_planes.
inline void planes_to_words(const std::uint8_t* from, std::uint8_t* chunk, core::MemoryOverlap* overlap) {
  Block words, bytes;
  __m256i carry = _mm256_setzero_si256();
  for (unsigned block = 0; block < blocks; ++block) {
    carry_on(overlap, block_bytes / 128);
    for (unsigned significance = 0; significance < 4; ++significance) {
      __m256i r[8];
      for (unsigned bit = 0; bit < 8; ++bit)
        r[bit] = load256(from + (31 - 8 * significance - bit) * plane_bytes + 32 * block);
      transpose_bits(r);
      for (unsigned place = 0; place < 8; ++place) bytes.store(8 * significance + place, r[7 - place]);
    }
    bytes_to_words(bytes, words);
    for (unsigned i = 0; i < 32; ++i)
      store256(chunk + block * block_bytes + 32 * i, prefix_sums32(unfold32(words.load(i)), carry));
  }
}

}  // namespace floe::cpu::avx2
FLOE_AVX2_END
