// A full chunk of 32-bit words to bit planes and back with GFNI: one byte permutation brings the bytes of equal significance of eight words
// together, one matrix product transposes them as 8 x 8 bits, another permutation forms the words of the planes; sixteen tiles at a time
// are then transposed as 16 x 16 words, so that planes are written in whole vectors.
#pragma once

#include <array>
#include <cstdint>

#include "backend/cpu/avx512/intrinsics.hpp"
#include "backend/cpu/avx512/target.hpp"
#include "backend/cpu/avx512/traffic.hpp"
#include "backend/cpu/avx512/words32.hpp"
#include "core/chunk.hpp"

FLOE_AVX512_BEGIN
namespace floe::cpu::avx512 {

inline constexpr unsigned planes = 32;
inline constexpr unsigned plane_bytes = core::chunk_bytes / planes;
inline constexpr unsigned tile_bytes = 128;      // 32 words
inline constexpr unsigned tiles_per_block = 16;  // a block of tiles gives one vector per plane
inline constexpr unsigned blocks = core::chunk_bytes / tile_bytes / tiles_per_block;

/// Byte permutations. Half a tile is 16 words; its 64 bytes are eight groups of eight: group (t, m) holds the bytes of significance 3 - m
/// of the words 8t ... 8t + 7.
struct PlaneControls {
  std::array<std::uint8_t, 64> gather{};           ///< Words to groups.
  std::array<std::uint8_t, 64> upper{}, lower{};   ///< Transposed groups of both halves to the planes 0-15 and 16-31.
  std::array<std::uint8_t, 64> first{}, second{};  ///< Planes to transposed groups of the halves.
  std::array<std::uint8_t, 64> scatter{};          ///< Groups to words.
};

inline constexpr PlaneControls plane_controls = [] {
  PlaneControls c;
  const auto group = [](unsigned t, unsigned m) { return 8 * (4 * t + m); };
  for (unsigned t = 0; t < 2; ++t) {
    for (unsigned m = 0; m < 4; ++m) {
      for (unsigned i = 0; i < 8; ++i) {
        c.gather[group(t, m) + i] = static_cast<std::uint8_t>((8 * t + i) * 4 + 3 - m);
        const unsigned plane = 8 * m + i, in_second_source = plane >= 16 ? 64 : 0;
        c.first[group(t, m) + i] = static_cast<std::uint8_t>(in_second_source + plane % 16 * 4 + 3 - t);
        c.second[group(t, m) + i] = static_cast<std::uint8_t>(in_second_source + plane % 16 * 4 + 1 - t);
      }
    }
  }
  for (unsigned plane = 0; plane < 16; ++plane) {
    for (unsigned byte = 0; byte < 4; ++byte) {
      const unsigned words = 3 - byte, in_second_half = words >= 2 ? 64 : 0;
      c.upper[4 * plane + byte] = static_cast<std::uint8_t>(in_second_half + group(words % 2, plane / 8) + plane % 8);
      c.lower[4 * plane + byte] = static_cast<std::uint8_t>(in_second_half + group(words % 2, plane / 8 + 2) + plane % 8);
    }
  }
  for (unsigned word = 0; word < 16; ++word) {
    for (unsigned byte = 0; byte < 4; ++byte) c.scatter[4 * word + byte] = static_cast<std::uint8_t>(group(word / 8, 3 - byte) + word % 8);
  }
  return c;
}();

/// Transposes sixteen vectors of sixteen words.
inline void transpose16(__m512i (&r)[16]) {
  __m512i a[16];
  for (int i = 0; i < 16; i += 2) {
    a[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
    a[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
  }
  for (int i = 0; i < 16; i += 4) {
    r[i] = _mm512_unpacklo_epi64(a[i], a[i + 2]);
    r[i + 1] = _mm512_unpackhi_epi64(a[i], a[i + 2]);
    r[i + 2] = _mm512_unpacklo_epi64(a[i + 1], a[i + 3]);
    r[i + 3] = _mm512_unpackhi_epi64(a[i + 1], a[i + 3]);
  }
  for (int j = 0; j < 4; ++j) {
    a[j] = _mm512_shuffle_i32x4(r[j], r[j + 4], 0x88);
    a[j + 4] = _mm512_shuffle_i32x4(r[j], r[j + 4], 0xDD);
    a[j + 8] = _mm512_shuffle_i32x4(r[j + 8], r[j + 12], 0x88);
    a[j + 12] = _mm512_shuffle_i32x4(r[j + 8], r[j + 12], 0xDD);
  }
  for (int j = 0; j < 4; ++j) {
    r[j] = _mm512_shuffle_i32x4(a[j], a[j + 8], 0x88);
    r[j + 8] = _mm512_shuffle_i32x4(a[j], a[j + 8], 0xDD);
    r[j + 4] = _mm512_shuffle_i32x4(a[j + 4], a[j + 12], 0x88);
    r[j + 12] = _mm512_shuffle_i32x4(a[j + 4], a[j + 12], 0xDD);
  }
}

inline __m512i plane_control(const std::array<std::uint8_t, 64>& from) { return _mm512_loadu_si512(from.data()); }

/// Transposes the eight 8 x 8 bit matrices of a vector.
inline __m512i transpose_bits(__m512i v) { return _mm512_gf2p8affine_epi64_epi8(_mm512_set1_epi64(0x0102040810204080), v, 0); }

/// Residuals of a full chunk, folded, as bit planes; `to` is aligned to 64.
inline void words_to_planes(const std::uint8_t* chunk, std::uint8_t* to, core::MemoryTraffic* traffic) {
  const __m512i gather = plane_control(plane_controls.gather);
  const __m512i upper = plane_control(plane_controls.upper), lower = plane_control(plane_controls.lower);
  __m512i before = _mm512_setzero_si512();
  for (unsigned block = 0; block < blocks; ++block) {
    __m512i upper_planes[16], lower_planes[16];
    for (unsigned tile = 0; tile < tiles_per_block; ++tile) {
      const std::uint8_t* words = chunk + (block * tiles_per_block + tile) * tile_bytes;
      const __m512i a = _mm512_loadu_si512(words), b = _mm512_loadu_si512(words + 64);
      const __m512i first = transpose_bits(_mm512_permutexvar_epi8(gather, fold32(sub_previous32(a, before))));
      const __m512i second = transpose_bits(_mm512_permutexvar_epi8(gather, fold32(sub_previous32(b, a))));
      before = b;
      upper_planes[tile] = _mm512_permutex2var_epi8(first, upper, second);
      lower_planes[tile] = _mm512_permutex2var_epi8(first, lower, second);
      carry_on(traffic, 1);
    }
    transpose16(upper_planes);
    transpose16(lower_planes);
    for (unsigned plane = 0; plane < 16; ++plane) {
      _mm512_store_si512(to + plane * plane_bytes + 64 * block, upper_planes[plane]);
      _mm512_store_si512(to + (plane + 16) * plane_bytes + 64 * block, lower_planes[plane]);
    }
  }
}

/// The inverse of words_to_planes.
inline void planes_to_words(const std::uint8_t* from, std::uint8_t* chunk, core::MemoryTraffic* traffic) {
  const __m512i halves[2] = {plane_control(plane_controls.first), plane_control(plane_controls.second)};
  const __m512i scatter = plane_control(plane_controls.scatter);
  __m512i carry = _mm512_setzero_si512();
  for (unsigned block = 0; block < blocks; ++block) {
    __m512i upper_planes[16], lower_planes[16];
    for (unsigned plane = 0; plane < 16; ++plane) {
      upper_planes[plane] = _mm512_load_si512(from + plane * plane_bytes + 64 * block);
      lower_planes[plane] = _mm512_load_si512(from + (plane + 16) * plane_bytes + 64 * block);
    }
    transpose16(upper_planes);
    transpose16(lower_planes);
    for (unsigned tile = 0; tile < tiles_per_block; tile += 2) {
      __m512i words[4];
      for (unsigned k = 0; k < 4; ++k) {
        const unsigned t = tile + k / 2;
        const __m512i groups = transpose_bits(_mm512_permutex2var_epi8(upper_planes[t], halves[k % 2], lower_planes[t]));
        words[k] = unfold32(_mm512_permutexvar_epi8(scatter, groups));
      }
      add_up32(words, carry);
      std::uint8_t* const to = chunk + (block * tiles_per_block + tile) * tile_bytes;
      for (unsigned k = 0; k < 4; ++k) _mm512_storeu_si512(to + 64 * k, words[k]);
      carry_on(traffic, 2);
    }
  }
}

}  // namespace floe::cpu::avx512
FLOE_AVX512_END
