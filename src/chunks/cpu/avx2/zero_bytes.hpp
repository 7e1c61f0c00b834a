// Zero bytes of a full chunk dropped and put back with AVX2, eight bytes per table entry, and the levels of
// the bitmap that says where they were.
#pragma once

#include <immintrin.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "chunks/cpu/avx2/overlap.hpp"
#include "chunks/cpu/avx2/target.hpp"
#include "chunks/cpu/avx2/words32.hpp"
#include "chunks/cpu/kept_bytes.hpp"
#include "chunks/cpu/mask_moves.hpp"
#include "core/chunk.hpp"

FLOE_AVX2_BEGIN
namespace floe::cpu::avx2 {

inline unsigned popcount(unsigned mask) { return static_cast<unsigned>(_mm_popcnt_u32(mask)); }

inline __m128i load8(const void* from) { return _mm_loadl_epi64(static_cast<const __m128i*>(from)); }
inline void store8(void* to, __m128i v) { _mm_storel_epi64(static_cast<__m128i*>(to), v); }

/// What the positions of the upper eight of 16 bytes are more, by the bytes kept of the lower eight.
struct alignas(16) UpperPositions {
  std::uint8_t more[16] = {};
  [[nodiscard]] __m128i get() const { return _mm_load_si128(reinterpret_cast<const __m128i*>(more)); }
};
inline constexpr std::array<UpperPositions, 9> upper_positions = [] {
  std::array<UpperPositions, 9> all{};
  for (std::uint8_t count = 0; count < all.size(); ++count) {
    for (unsigned position = 8; position < 16; ++position) all[count].more[position] = count;
  }
  return all;
}();

/// Writes the bytes of eight that the mask names and returns the position after them; may overshoot by 8
/// bytes.
inline std::uint8_t* keep_of_eight(const std::uint8_t* from, unsigned mask, std::uint8_t* out) {
  store8(out, _mm_shuffle_epi8(load8(from), load8(mask_moves.keep[mask].data())));
  return out + popcount(mask);
}

/// Bit i: byte i of both is not the same.
inline std::uint32_t differing_bytes(__m256i a, __m256i b) {
  return ~static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, b)));
}

inline void keep_bytes(const std::uint8_t* from, KeptBytes& out, std::uint8_t* bitmap,
                       core::MemoryOverlap* overlap) {
  for (std::size_t i = 0; i < core::chunk_bytes; i += 32) {
    if (i % 128 == 0) carry_on(overlap, 1);
    const __m256i bytes = load256(from + i);
    const std::uint32_t kept = differing_bytes(bytes, _mm256_setzero_si256());
    std::memcpy(bitmap + i / 8, &kept, 4);
    if (kept == 0) continue;
    std::uint8_t *const room = out.room(), *position = room;
    if (kept == ~std::uint32_t{0}) {  // mostly, in planes of noise
      store256(room, bytes);
      out.advance(32);
      continue;
    }
    for (unsigned part = 0; part < 4; ++part)
      position = keep_of_eight(from + i + 8 * part, kept >> 8 * part & 0xFF, position);
    out.advance(static_cast<std::size_t>(position - room));
  }
}

/// Puts kept bytes back to those positions of 16 that the mask names; reads 16 bytes. Returns the next ones.
inline const std::uint8_t* expand_sixteen(const std::uint8_t* kept, unsigned mask, std::uint8_t* to) {
  const __m128i lower = load8(mask_moves.expand[mask & 0xFF].data()),
                upper = load8(mask_moves.expand[mask >> 8].data());
  const __m128i positions =
      _mm_add_epi8(_mm_unpacklo_epi64(lower, upper), upper_positions[popcount(mask & 0xFF)].get());
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(kept));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_shuffle_epi8(bytes, positions));
  return kept + popcount(mask);
}

/// A row of 128 bytes; reads up to 16 bytes behind those that are kept of it.
inline const std::uint8_t* expand_row(const std::uint8_t* kept, const std::uint64_t (&masks)[2],
                                      std::uint8_t* to) {
  for (unsigned i = 0; i < 128; i += 32) {
    const auto mask = static_cast<std::uint32_t>(masks[i / 64] >> i % 64);
    if (mask == ~std::uint32_t{0}) {  // mostly, in planes of noise
      store256(to + i, load256(kept));
      kept += 32;
      continue;
    }
    kept = expand_sixteen(kept, mask & 0xFFFF, to + i);
    kept = expand_sixteen(kept, mask >> 16, to + i + 16);
  }
  return kept;
}

/// Reads nothing from `end` on. Precondition: as many bytes were kept as the bitmap has bits.
inline void expand_bytes(const std::uint8_t* kept, const std::uint8_t* end, const std::uint8_t* bitmap,
                         std::uint8_t* to, core::MemoryOverlap* overlap) {
  constexpr std::size_t row = 128, readable = row + 16;
  std::uint8_t copy[2 * readable];
  for (std::size_t i = 0; i < core::chunk_bytes; i += row) {
    carry_on(overlap, 1);
    std::uint64_t masks[2];
    std::memcpy(masks, bitmap + i / 8, sizeof masks);
    if ((masks[0] | masks[1]) == 0) {
      for (std::size_t at = 0; at < row; at += 32) store256(to + i + at, _mm256_setzero_si256());
      continue;
    }
    if (end - kept < static_cast<std::ptrdiff_t>(readable)) {
      const auto rest = static_cast<std::size_t>(end - kept);
      std::memcpy(copy, kept, rest);
      kept = copy;
      end = copy + sizeof copy;
    }
    kept = expand_row(kept, masks, to + i);
  }
}

inline std::uint8_t* emit_level(const std::uint8_t* level, std::size_t bytes, std::uint8_t* next,
                                std::uint8_t* out) {
  for (std::size_t i = 0; i < bytes; i += 32) {
    const std::uint32_t differ = differing_bytes(load256(level + i), load256(level + i - 1));
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
    const __m128i ranked = position == emitted
                               ? _mm_slli_si128(load8(position), 1)
                               : _mm_loadu_si128(reinterpret_cast<const __m128i*>(position - 1));
    store8(level + i, _mm_shuffle_epi8(ranked, load8(mask_moves.rank[mask].data())));
    position += popcount(mask);
  }
}

}  // namespace floe::cpu::avx2
FLOE_AVX2_END
