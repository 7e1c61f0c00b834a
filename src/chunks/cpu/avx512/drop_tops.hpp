// DropTopsShape for 64-bit words with AVX-512: the choice of how many bits to keep, and words to and from
// their payload. For translation units that are AVX-512 throughout.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "chunks/cpu/avx512/full_counts.hpp"
#include "chunks/cpu/avx512/intrinsics.hpp"
#include "chunks/cpu/avx512/target.hpp"
#include "chunks/cpu/avx512/words64.hpp"
#include "chunks/cpu/avx512/zero_bytes.hpp"
#include "chunks/cpu/chunk_levels.hpp"
#include "chunks/cpu/drop_tops.hpp"
#include "chunks/cpu/tops_payload.hpp"
#include "chunks/stages/stages.hpp"
#include "core/bits.hpp"

namespace floe::cpu::avx512 {

/// For every byte of a bitmap and each of its bits: how many bits below are set. A byte per bit, so that one
/// load widens to a vector.
inline constexpr std::array<std::uint64_t, 256> ranks_below = [] {
  std::array<std::uint64_t, 256> all{};
  for (unsigned mask = 0; mask < 256; ++mask) {
    std::uint64_t rank = 0;
    for (unsigned bit = 0; bit < 8; ++bit) {
      all[mask] |= rank << (8 * bit);
      rank += mask >> bit & 1;
    }
  }
  return all;
}();

}  // namespace floe::cpu::avx512

FLOE_AVX512_BEGIN
namespace floe::cpu::avx512 {

inline constexpr std::size_t word_bytes = 8, words_per_vector = 8;

/// `Stage::difference` of the words of a vector; `words` has eight readable bytes before it, zero before the
/// first word.
template <class Stage>
__m512i differences(const std::uint8_t* words, __m512i now) {
  if constexpr (std::is_same_v<Stage, stages::DropRepeatedTops>)
    return _mm512_xor_si512(now, _mm512_loadu_si512(words - word_bytes));
  return now;
}

/// The number of lower bits to keep that saves the most bits, the smallest such number, from the smeared
/// differences of all words.
inline KeepChoice choose_keep(const BitCounts& smeared, std::size_t words) {
  alignas(64) std::uint16_t full[64];
  smeared.store(full);
  if (full[0] == 0) return {stages::keep_nothing, 0};
  __m512i saved[4];
  for (unsigned v = 0; v < 4; ++v) {
    const __m512i counts =
        _mm512_cvtepu16_epi32(_mm256_load_si256(reinterpret_cast<const __m256i*>(full + 16 * v)));
    const __m512i dropped =
        _mm512_sub_epi32(_mm512_set1_epi32(64 - static_cast<int>(16 * v)),
                         _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    saved[v] =
        _mm512_mullo_epi32(dropped, _mm512_sub_epi32(_mm512_set1_epi32(static_cast<int>(words)), counts));
  }
  const auto max = static_cast<int>(_mm512_reduce_max_epu32(
      _mm512_max_epu32(_mm512_max_epu32(saved[0], saved[1]), _mm512_max_epu32(saved[2], saved[3]))));
  if (max == 0) return {stages::keep_everything, words};
  std::uint64_t best = 0;
  for (unsigned v = 0; v < 4; ++v)
    best |= std::uint64_t{_mm512_cmpeq_epi32_mask(saved[v], _mm512_set1_epi32(max))} << (16 * v);
  const auto keep = static_cast<unsigned>(_tzcnt_u64(best));
  return {keep, full[keep]};
}

/// Full words to `full_words`, which moves on, the lower bits of the others to `lows`, whose end it returns.
/// Sets the bits of full words in the bitmap, which is zero. `words` has eight readable bytes before it. Both
/// outputs may overshoot by a vector.
template <class Stage>
std::uint8_t* split_words(const std::uint8_t* words, std::size_t count, unsigned keep,
                          std::uint8_t*& full_words, std::uint8_t* lows, std::uint8_t* bitmap) {
  const __m512i low = Lanes64::low_bits(keep);
  std::uint8_t *next_full = full_words, *next_low = lows;
  for (std::size_t i = 0; i < count; i += words_per_vector) {
    const auto present =
        static_cast<__mmask8>(_bzhi_u32(0xFF, static_cast<unsigned>(std::min<std::size_t>(count - i, 8))));
    const std::uint8_t* const at = words + i * word_bytes;
    const __m512i now = _mm512_loadu_si512(at);
    const __mmask8 full = _mm512_mask_cmpgt_epu64_mask(present, differences<Stage>(at, now), low);
    const auto fitting = static_cast<__mmask8>(present & ~full);
    bitmap[i / 8] = full;
    _mm512_storeu_si512(next_full, _mm512_maskz_compress_epi64(full, now));
    _mm512_storeu_si512(next_low, _mm512_maskz_compress_epi64(fitting, _mm512_and_si512(now, low)));
    next_full += word_bytes * popcount(full);
    next_low += word_bytes * popcount(fitting);
  }
  full_words = next_full;
  return next_low;
}

/// Calls visit(word index, eight words) for all words of a payload whose keep is a number of bits. Their
/// dropped bits are 0, or those of the word before.
template <class Stage, class Visit>
void restore_words(const std::uint8_t* full, TopsPayload& payload, const Visit& visit) {
  const __m512i tops = _mm512_xor_si512(Lanes64::low_bits(payload.keep), _mm512_set1_epi64(-1));
  const std::uint8_t* const bitmap = payload.levels[tops_bitmap_level];
  const std::uint8_t* low = payload.lows;
  const std::uint8_t* const first = full;
  for (std::size_t i = 0; i < payload.words; i += words_per_vector) {
    const __mmask8 is_full = bitmap[i / 8];
    __m512i words = _mm512_maskz_expand_epi64(static_cast<__mmask8>(~is_full), _mm512_loadu_si512(low));
    if constexpr (std::is_same_v<Stage, stages::DropRepeatedTops>) {
      // The word before has the upper bits of the latest full word. Of eight full words, no rank is needed.
      __m512i latest = _mm512_loadu_si512(full - word_bytes);
      if (full == first) latest = _mm512_maskz_mov_epi64(0xFE, latest);
      const __m512i rank =
          _mm512_cvtepu8_epi64(_mm_cvtsi64_si128(static_cast<long long>(ranks_below[is_full])));
      words = _mm512_or_si512(words, _mm512_and_si512(tops, _mm512_permutexvar_epi64(rank, latest)));
    }
    words = _mm512_mask_expand_epi64(words, is_full, _mm512_loadu_si512(full));
    visit(i, words);
    const std::size_t full_count = popcount(is_full);
    full += word_bytes * full_count;
    low += word_bytes * (words_per_vector - full_count);
  }
}

}  // namespace floe::cpu::avx512
FLOE_AVX512_END
