// A full chunk of 32-bit words to bit planes and back with GFNI: one byte permutation brings the bytes of
// equal significance of eight words together, one matrix product transposes them as 8 x 8 bits, another
// permutation forms the words of the planes; sixteen tiles at a time are then transposed as 16 x 16 words, so
// that planes are written in whole vectors.
#pragma once

#include <array>
#include <cstdint>

#include "chunks/cpu/avx512/intrinsics.hpp"
#include "chunks/cpu/avx512/output_past_caches.hpp"
#include "chunks/cpu/avx512/overlap.hpp"
#include "chunks/cpu/avx512/target.hpp"
#include "chunks/cpu/avx512/words32.hpp"
#include "core/chunk.hpp"

FLOE_AVX512_BEGIN
namespace floe::cpu::avx512 {

inline constexpr unsigned planes = 32;
inline constexpr unsigned plane_bytes = core::chunk_bytes / planes;
inline constexpr unsigned tile_bytes = 128;      // 32 words
inline constexpr unsigned tiles_per_block = 16;  // a block of tiles gives one vector per plane
inline constexpr unsigned blocks = core::chunk_bytes / tile_bytes / tiles_per_block;

/// Byte permutations. Half a tile is 16 words; its 64 bytes are eight groups of eight: group (t, m) holds the
/// bytes of significance 3 - m of the words 8t ... 8t + 7. Each quarter of a vector holds two groups, of the
/// planes 0-15 or of the planes 16-31; the second half of a tile has these the other way round, so that
/// quarters of both halves change places without a permutation: take_odd_quarters.
struct PlaneControls {
  using Permutation = std::array<std::uint8_t, 64>;
  Permutation gather[2]{};       ///< The words of each half to groups.
  Permutation upper{}, lower{};  ///< Transposed groups of the planes 0-15, or 16-31, of both halves, to the
                                 ///< words of these planes.
  Permutation to_upper{}, to_lower{};  ///< The inverse of these.
  Permutation scatter[2]{};            ///< The groups of each half to words.
};

inline constexpr PlaneControls plane_controls = [] {
  PlaneControls c;
  for (unsigned half = 0; half < 2; ++half) {
    for (unsigned t = 0; t < 2; ++t) {
      for (unsigned m = 0; m < 4; ++m) {
        for (unsigned i = 0; i < 8; ++i) {
          const unsigned group = 8 * (4 * t + (m + 2 * half) % 4) + i,
                         byte_of_words = (8 * t + i) * 4 + 3 - m;
          c.gather[half][group] = static_cast<std::uint8_t>(byte_of_words);
          c.scatter[half][byte_of_words] = static_cast<std::uint8_t>(group);

          // The planes 0-15 are in the even quarters of the first half and, when quarters have changed
          // positions, in the odd ones of the second.
          const unsigned plane = 8 * m + i, byte_of_planes = plane % 16 * 4 + 3 - 2 * half - t;
          (plane < 16 ? c.upper : c.lower)[byte_of_planes] = static_cast<std::uint8_t>(group);
          (plane < 16 ? c.to_upper : c.to_lower)[group] = static_cast<std::uint8_t>(byte_of_planes);
        }
      }
    }
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

inline __m512i plane_control(const std::array<std::uint8_t, 64>& from) {
  return _mm512_loadu_si512(from.data());
}

/// Transposes the eight 8 x 8 bit matrices of a vector.
inline __m512i transpose_bits(__m512i v) {
  return _mm512_gf2p8affine_epi64_epi8(_mm512_set1_epi64(0x0102040810204080), v, 0);
}

/// The even quarters of one vector and the odd ones of another.
inline __m512i take_odd_quarters(__m512i even, __m512i odd) {
  return _mm512_mask_blend_epi64(0xCC, even, odd);
}

/// Residuals of a full chunk, folded, as bit planes; `to` is aligned to 64.
inline void words_to_planes(const std::uint8_t* chunk, std::uint8_t* to, core::MemoryOverlap* overlap) {
  const __m512i gather[2] = {plane_control(plane_controls.gather[0]),
                             plane_control(plane_controls.gather[1])};
  const __m512i upper = plane_control(plane_controls.upper), lower = plane_control(plane_controls.lower);
  __m512i before = _mm512_setzero_si512();
  for (unsigned block = 0; block < blocks; ++block) {
    __m512i upper_planes[16], lower_planes[16];
    for (unsigned tile = 0; tile < tiles_per_block; ++tile) {
      const std::uint8_t* words = chunk + (block * tiles_per_block + tile) * tile_bytes;
      const __m512i a = _mm512_loadu_si512(words), b = _mm512_loadu_si512(words + 64);
      const __m512i first =
          transpose_bits(_mm512_permutexvar_epi8(gather[0], fold32(sub_previous32(a, before))));
      const __m512i second = transpose_bits(_mm512_permutexvar_epi8(gather[1], fold32(sub_previous32(b, a))));
      before = b;
      upper_planes[tile] = _mm512_permutexvar_epi8(upper, take_odd_quarters(first, second));
      lower_planes[tile] = _mm512_permutexvar_epi8(lower, take_odd_quarters(second, first));
      carry_on(overlap, 1);
    }
    transpose16(upper_planes);
    transpose16(lower_planes);
    for (unsigned plane = 0; plane < 16; ++plane) {
      _mm512_store_si512(to + plane * plane_bytes + 64 * block, upper_planes[plane]);
      _mm512_store_si512(to + (plane + 16) * plane_bytes + 64 * block, lower_planes[plane]);
    }
  }
}

/// The inverse of words_to_planes; `from.next(plane, block)` gives the vectors of the planes, block after
/// block.
template <class Planes, class Output>
void planes_to_output(Planes& from, Output& out, core::MemoryOverlap* overlap) {
  const __m512i to_upper = plane_control(plane_controls.to_upper),
                to_lower = plane_control(plane_controls.to_lower);
  const __m512i scatter[2] = {plane_control(plane_controls.scatter[0]),
                              plane_control(plane_controls.scatter[1])};
  __m512i carry = _mm512_setzero_si512();
  for (unsigned block = 0; block < blocks; ++block) {
    __m512i upper_planes[16], lower_planes[16];
    for (unsigned plane = 0; plane < 16; ++plane) upper_planes[plane] = from.next(plane, block);
    transpose16(upper_planes);
    carry_on(overlap, tiles_per_block / 2);
    for (unsigned plane = 0; plane < 16; ++plane) lower_planes[plane] = from.next(plane + 16, block);
    transpose16(lower_planes);
    carry_on(overlap, tiles_per_block / 2);
    for (unsigned tile = 0; tile < tiles_per_block; tile += 2) {
      __m512i words[4];
      for (unsigned k = 0; k < 4; k += 2) {
        const __m512i upper = transpose_bits(_mm512_permutexvar_epi8(to_upper, upper_planes[tile + k / 2]));
        const __m512i lower = transpose_bits(_mm512_permutexvar_epi8(to_lower, lower_planes[tile + k / 2]));
        words[k] = unfold32(_mm512_permutexvar_epi8(scatter[0], take_odd_quarters(upper, lower)));
        words[k + 1] = unfold32(_mm512_permutexvar_epi8(scatter[1], take_odd_quarters(lower, upper)));
      }
      add_up32(words, carry);
      for (const __m512i& v : words) out.put(v);
      carry_on(overlap, 2);
    }
  }
}

template <class Planes>
void planes_to_words(Planes& from, std::uint8_t* chunk, core::MemoryOverlap* overlap) {
  decode_with_output(chunk, overlap, [&](auto& out) {
    planes_to_output(from, out, overlap);
    return true;
  });
}

}  // namespace floe::cpu::avx512
FLOE_AVX512_END
