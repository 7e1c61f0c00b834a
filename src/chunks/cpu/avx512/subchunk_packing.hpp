// Sub-chunks of 512 bytes of words to and from packed words of any width, with the tables of bit_packing.hpp.
// For translation units that are AVX-512 throughout.
#pragma once

#include <cstdint>

#include "chunks/cpu/avx512/bit_packing.hpp"
#include "chunks/cpu/avx512/intrinsics.hpp"
#include "chunks/cpu/avx512/output_past_caches.hpp"
#include "chunks/cpu/avx512/target.hpp"
#include "core/chunk.hpp"

FLOE_AVX512_BEGIN
namespace floe::cpu::avx512 {

inline constexpr unsigned subchunks = core::subchunks_per_chunk;
inline constexpr std::size_t subchunk_bytes = core::chunk_bytes / subchunks;  // 512: eight vectors
inline constexpr unsigned vectors = subchunk_bytes / 64;

// A type L says how words lie in the lanes of 64 bits:
//   words_per_lane                   1, 2, 4 or 8
//   low_bits(width)                  that many lower bits of every word
//   join(words, width)               the words of every lane side by side, of `width` bits each, at its lower
//   end split(lanes, width)              the inverse; needed for lanes that do not fit bytes narrow, widen,
//   vectors_per_64_words   64 words below 256 in some vectors, to and from bytes

/// What words of all widths have in common.
struct Vectors {
  using Vector = __m512i;
  using Subchunk = Vector[vectors];
  using OutputPastCaches = avx512::OutputPastCaches;
  static constexpr bool residuals_read_word_before = false;
  static __m512i load(const std::uint8_t* from) { return _mm512_loadu_si512(from); }
  static void store(std::uint8_t* to, __m512i v) { _mm512_storeu_si512(to, v); }
  static __m512i zero() { return _mm512_setzero_si512(); }
  static __m512i bit_or(__m512i a, __m512i b) { return _mm512_or_si512(a, b); }
  static std::uint64_t or_of(__m512i v) { return static_cast<std::uint64_t>(_mm512_reduce_or_epi64(v)); }
};

/// The `selected` bits of `v`, and then the `flipped` ones the other way round.
inline __m512i select_and_flip(__m512i v, __m512i selected, __m512i flipped) {
  return _mm512_ternarylogic_epi64(v, selected, flipped, 0x6A);
}

inline __m512i controls(const std::uint8_t* from) { return _mm512_load_si512(from); }
inline __m512i controls(const std::uint64_t* from) { return _mm512_load_si512(from); }

// ---- packing

/// `low` selects bits of `x`, the others come from `shifted`.
inline __m512i merge(__m512i low, __m512i x, __m512i shifted) {
  return _mm512_ternarylogic_epi64(low, x, shifted, 0xCA);
}
inline __m128i shift_by(unsigned count) { return _mm_cvtsi32_si128(static_cast<int>(count)); }

/// Sixty-four bytes below 2^bits, bits < 8, to 8 * bits bytes.
inline __m512i pack_bytes(__m512i v, unsigned bits) {
  v = merge(_mm512_set1_epi16(static_cast<short>((1 << bits) - 1)), v,
            _mm512_srl_epi16(v, shift_by(8 - bits)));
  v = merge(_mm512_set1_epi32((1 << 2 * bits) - 1), v, _mm512_srl_epi32(v, shift_by(16 - 2 * bits)));
  v = merge(_mm512_set1_epi64((1ll << 4 * bits) - 1), v, _mm512_srl_epi64(v, shift_by(32 - 4 * bits)));
  return _mm512_permutexvar_epi8(controls(group_bytes_packed[bits].data()), v);
}

/// Writes a sub-chunk with `width` bits per word. May write up to 64 bytes past the end.
template <class L>
void pack(const std::uint8_t* words, unsigned width, std::uint8_t* out) {
  __m512i v[vectors];
  for (unsigned k = 0; k < vectors; ++k) v[k] = _mm512_load_si512(words + 64 * k);
  const unsigned lane_bits = L::words_per_lane * width;
  if (fits_bytes(lane_bits)) [[likely]] {
    const PackControls& c = pack_table[lane_bits];
    const __m512i begin_shift = controls(c.begin_shift.data()), begin_byte = controls(c.begin_byte.data());
    const __m512i end_shift = controls(c.end_shift.data()), end_byte = controls(c.end_byte.data());
    for (unsigned k = 0; k < vectors; ++k) {
      const __m512i lanes = L::join(v[k], width);
      const __m512i begins = _mm512_maskz_permutexvar_epi8(c.begin_mask, begin_byte,
                                                           _mm512_multishift_epi64_epi8(begin_shift, lanes));
      const __m512i ends =
          _mm512_maskz_permutexvar_epi8(c.end_mask, end_byte, _mm512_multishift_epi64_epi8(end_shift, lanes));
      _mm512_storeu_si512(out + k * lane_bits, _mm512_or_si512(begins, ends));
    }
  } else if (lane_bits >= smallest_crossing_bits) {
    const CrossControls& c = cross_pack_table[lane_bits - smallest_crossing_bits];
    for (unsigned k = 0; k < vectors; ++k) {
      const __m512i lanes = L::join(v[k], width);
      const __m512i first = _mm512_srlv_epi64(_mm512_permutexvar_epi64(controls(c.first.data()), lanes),
                                              controls(c.right.data()));
      const __m512i second = _mm512_sllv_epi64(_mm512_permutexvar_epi64(controls(c.second.data()), lanes),
                                               controls(c.left.data()));
      _mm512_storeu_si512(out + k * lane_bits, _mm512_or_si512(first, second));
    }
  } else if (width > 0) {
    for (unsigned k = 0; k < vectors; k += L::vectors_per_64_words) {
      _mm512_storeu_si512(out + k * lane_bits, pack_bytes(L::narrow(v + k), width));
    }
  }
}

// ---- unpacking

/// Reads the eight vectors of a sub-chunk. May read up to 64 bytes past the end. Who clears the bits from
/// `width` on anyway does not need `clears_bits`, if words of less than two bits have none to clear. It is
/// inlined because vectors pass a call in memory only.
template <class L, bool clears_bits = true>
[[gnu::always_inline]] inline void unpack(const std::uint8_t* in, unsigned width, typename L::Subchunk& v) {
  const unsigned lane_bits = L::words_per_lane * width;
  if (fits_bytes(lane_bits)) [[likely]] {
    const UnpackControls& c = unpack_table<L::words_per_lane>[lane_bits];
    const __m512i byte = controls(c.byte.data()), shift = controls(c.shift.data()), low = L::low_bits(width);
    for (unsigned k = 0; k < vectors; ++k) {
      const __m512i bytes = _mm512_permutexvar_epi8(byte, _mm512_loadu_si512(in + k * lane_bits));
      v[k] = _mm512_multishift_epi64_epi8(shift, bytes);
      if constexpr (clears_bits) v[k] = _mm512_and_si512(v[k], low);
    }
  } else if (lane_bits >= smallest_crossing_bits) {
    const CrossControls& c = cross_unpack_table[lane_bits - smallest_crossing_bits];
    for (unsigned k = 0; k < vectors; ++k) {
      const __m512i packed = _mm512_loadu_si512(in + k * lane_bits);
      const __m512i first = _mm512_srlv_epi64(_mm512_permutexvar_epi64(controls(c.first.data()), packed),
                                              controls(c.right.data()));
      const __m512i second = _mm512_sllv_epi64(_mm512_permutexvar_epi64(controls(c.second.data()), packed),
                                               controls(c.left.data()));
      v[k] = L::split(_mm512_or_si512(first, second), width);
    }
  } else if (width > 0) {
    const UnpackControls& c = group_bytes_unpacked[width];
    const __m512i byte = controls(c.byte.data()), shift = controls(c.shift.data()),
                  low = _mm512_set1_epi8(static_cast<char>((1 << width) - 1));
    for (unsigned k = 0; k < vectors; k += L::vectors_per_64_words) {
      const __m512i groups = _mm512_permutexvar_epi8(byte, _mm512_loadu_si512(in + k * lane_bits));
      L::widen(_mm512_and_si512(_mm512_multishift_epi64_epi8(shift, groups), low), v + k);
    }
  } else {
    for (__m512i& words : v) words = _mm512_setzero_si512();
  }
}

}  // namespace floe::cpu::avx512
FLOE_AVX512_END
