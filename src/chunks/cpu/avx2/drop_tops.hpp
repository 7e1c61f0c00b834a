// DropTopsShape for 64-bit words with AVX2: words to and from their payload, four per table entry.
// For translation units that are AVX2 throughout.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "chunks/cpu/avx2/subchunk_packing.hpp"
#include "chunks/cpu/avx2/target.hpp"
#include "chunks/cpu/avx2/zero_bytes.hpp"
#include "chunks/cpu/drop_tops.hpp"
#include "chunks/cpu/tops_payload.hpp"
#include "chunks/stages/stages.hpp"

namespace floe::cpu::avx2 {

/// For every mask of four words, as indexes of 32-bit halves.
struct alignas(32) WordMoves {
  using Move = std::array<std::uint32_t, 8>;
  Move keep{};    ///< The words of the mask side by side.
  Move expand{};  ///< Back to their positions.
  Move latest{};  ///< For each position how many words of the mask there are before it.
  Move mask{};    ///< All bits of the words of the mask.
};

inline constexpr std::array<WordMoves, 16> word_moves = [] {
  std::array<WordMoves, 16> all{};
  for (unsigned mask = 0; mask < 16; ++mask) {
    WordMoves& moves = all[mask];
    for (unsigned position = 0, count = 0; position < 4; ++position) {
      const bool is_in = (mask >> position & 1) != 0;
      for (unsigned half = 0; half < 2; ++half) {
        moves.expand[2 * position + half] = moves.latest[2 * position + half] = 2 * count + half;
        moves.mask[2 * position + half] = is_in ? ~std::uint32_t{0} : 0;
        if (is_in) moves.keep[2 * count + half] = 2 * position + half;
      }
      count += is_in;
    }
  }
  return all;
}();

}  // namespace floe::cpu::avx2

FLOE_AVX2_BEGIN
namespace floe::cpu::avx2 {

using Lanes64 = Lanes<64>;
inline constexpr std::size_t word_bytes = 8, words_per_vector = 4;

inline __m256i move_words(__m256i words, const WordMoves::Move& move) {
  return _mm256_permutevar8x32_epi32(words, load256(move.data()));
}

/// Bit i: word i of a vector fits into the low bits; `words` has eight readable bytes before it, zero before
/// the first word.
template <class Stage>
unsigned fitting_words(const std::uint8_t* words, __m256i now, __m256i low) {
  __m256i difference = now;
  if constexpr (std::is_same_v<Stage, stages::DropRepeatedTops>)
    difference = _mm256_xor_si256(now, load256(words - word_bytes));
  const __m256i fits = _mm256_cmpeq_epi64(_mm256_andnot_si256(low, difference), _mm256_setzero_si256());
  return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(fits)));
}

/// Full words to `full_words`, which moves on, the lower bits of the others to `lows`, whose end it returns.
/// Sets the bits of full words in the bitmap, which is zero. `words` has eight readable bytes before it. Both
/// outputs may overshoot by a vector.
template <class Stage>
std::uint8_t* split_words(const std::uint8_t* words, std::size_t count, unsigned keep,
                          std::uint8_t*& full_words, std::uint8_t* lows, std::uint8_t* bitmap) {
  const __m256i low = Lanes64::low_bits(keep);
  std::uint8_t *next_full = full_words, *next_low = lows;
  for (std::size_t i = 0; i < count; i += words_per_vector) {
    const unsigned present = count - i >= words_per_vector ? 15 : (1u << (count - i)) - 1;
    const std::uint8_t* const at = words + i * word_bytes;
    const __m256i now = load256(at);
    const unsigned fits = fitting_words<Stage>(at, now, low), full = present & ~fits,
                   fitting = present & fits;
    bitmap[i / 8] |= static_cast<std::uint8_t>(full << (i % 8));
    store256(next_full, move_words(now, word_moves[full].keep));
    store256(next_low, move_words(_mm256_and_si256(now, low), word_moves[fitting].keep));
    next_full += word_bytes * popcount(full);
    next_low += word_bytes * popcount(fitting);
  }
  full_words = next_full;
  return next_low;
}

/// Calls visit(word index, four words) for all words of a payload whose keep is a number of bits. Their
/// dropped bits are 0, or those of the word before.
template <class Stage, class Visit>
void restore_words(const std::uint8_t* full, TopsPayload& payload, const Visit& visit) {
  const __m256i low_bits = Lanes64::low_bits(payload.keep);
  const std::uint8_t* const bitmap = payload.levels[tops_bitmap_level];
  const std::uint8_t* low = payload.lows;
  const std::uint8_t* const first = full;
  for (std::size_t i = 0; i < payload.words; i += words_per_vector) {
    const unsigned is_full = bitmap[i / 8] >> (i % 8) & 15u;
    const WordMoves& full_moves = word_moves[is_full];
    __m256i words = move_words(load256(low), word_moves[~is_full & 15].expand);
    if constexpr (std::is_same_v<Stage, stages::DropRepeatedTops>) {
      // The word before has the upper bits of the latest full word; before the first of these there are none.
      __m256i latest = load256(full - word_bytes);
      if (full == first) latest = _mm256_blend_epi32(latest, _mm256_setzero_si256(), 3);
      words = _mm256_or_si256(words, _mm256_andnot_si256(low_bits, move_words(latest, full_moves.latest)));
    }
    words = _mm256_blendv_epi8(words, move_words(load256(full), full_moves.expand),
                               load256(full_moves.mask.data()));
    visit(i, words);
    const std::size_t full_count = popcount(is_full);
    full += word_bytes * full_count;
    low += word_bytes * (words_per_vector - full_count);
  }
}

}  // namespace floe::cpu::avx2
FLOE_AVX2_END
