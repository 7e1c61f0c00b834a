// Zero bytes of a full chunk dropped and put back with AVX-512 VBMI2, and the levels of the bitmap that says
// where they were.
#pragma once

#include <cstdint>
#include <cstring>

#include "chunks/cpu/avx512/intrinsics.hpp"
#include "chunks/cpu/avx512/overlap.hpp"
#include "chunks/cpu/avx512/target.hpp"
#include "chunks/cpu/kept_bytes.hpp"
#include "core/chunk.hpp"

FLOE_AVX512_BEGIN
namespace floe::cpu::avx512 {

inline std::uint64_t popcount(std::uint64_t bits) { return static_cast<std::uint64_t>(_mm_popcnt_u64(bits)); }

/// Writes the kept bytes and their bitmap, which may overshoot by 64 bytes.
inline void keep_bytes(const std::uint8_t* from, KeptBytes& out, std::uint8_t* bitmap,
                       core::MemoryOverlap* overlap) {
  for (std::size_t i = 0; i < core::chunk_bytes; i += 64) {
    const __m512i bytes = _mm512_load_si512(from + i);
    const std::uint64_t kept = _mm512_test_epi8_mask(bytes, bytes);
    std::memcpy(bitmap + i / 8, &kept, 8);
    _mm512_storeu_si512(out.room(), _mm512_maskz_compress_epi8(kept, bytes));
    out.advance(popcount(kept));
    if (i % 128 == 0) carry_on(overlap, 1);
  }
}

/// Writes the bytes of a level that differ from their predecessor, and the bitmap of these as the next level;
/// returns the end of what it wrote.
inline std::uint8_t* emit_level(const std::uint8_t* level, std::size_t bytes, std::uint8_t* next,
                                std::uint8_t* out) {
  for (std::size_t i = 0; i < bytes; i += 64) {
    const __m512i now = _mm512_loadu_si512(level + i);
    std::uint64_t differ = _mm512_cmpneq_epi8_mask(now, _mm512_loadu_si512(level + i - 1));
    if (bytes < 64) differ = _bzhi_u64(differ, static_cast<unsigned>(bytes));
    std::memcpy(next + i / 8, &differ, 8);
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(differ, now));
    out += popcount(differ);
  }
  return out;
}

/// Inclusive prefix sums of the 64 bits of a mask, as bytes.
inline __m512i rank_of(std::uint64_t mask) {
  __m512i v = _mm512_maskz_set1_epi8(mask, 1);
  v = _mm512_add_epi8(v, _mm512_slli_epi64(v, 8));
  v = _mm512_add_epi8(v, _mm512_slli_epi64(v, 16));
  v = _mm512_add_epi8(v, _mm512_slli_epi64(v, 32));
  // The totals of the eight lanes before, to every byte of a lane.
  const __m512i zero = _mm512_setzero_si512();
  __m512i totals = _mm512_alignr_epi64(_mm512_srli_epi64(v, 56), zero, 7);
  totals = _mm512_add_epi64(totals, _mm512_alignr_epi64(totals, zero, 7));
  totals = _mm512_add_epi64(totals, _mm512_alignr_epi64(totals, zero, 6));
  totals = _mm512_add_epi64(totals, _mm512_alignr_epi64(totals, zero, 4));
  return _mm512_add_epi8(v, _mm512_shuffle_epi8(totals, _mm512_set4_epi32(0x08080808, 0x08080808, 0, 0)));
}

/// Restores a level of 32 bytes or more from its emitted bytes, of which one byte before and 64 after may be
/// read. `next` says which were emitted.
inline void restore_level(const std::uint8_t* emitted, const std::uint8_t* next, std::size_t bytes,
                          std::uint8_t* level) {
  const std::uint8_t* position = emitted;
  for (std::size_t i = 0; i < bytes; i += 64) {
    std::uint64_t mask = 0;
    std::memcpy(&mask, next + i / 8, bytes < 64 ? bytes / 8 : 8);
    const __m512i rank = rank_of(mask);
    // Rank 0 is the last byte emitted before, or 0 at the start of the level. Rank 64 needs the byte after
    // the 64 loaded ones.
    __m512i restored = _mm512_permutexvar_epi8(rank, _mm512_loadu_si512(position - 1));
    if (position == emitted)
      restored = _mm512_mask_mov_epi8(restored, _mm512_testn_epi8_mask(rank, rank), _mm512_setzero_si512());
    if (mask == ~std::uint64_t{0}) restored = _mm512_loadu_si512(position);
    _mm512_storeu_si512(level + i, restored);
    position += popcount(mask);
  }
}

}  // namespace floe::cpu::avx512
FLOE_AVX512_END
