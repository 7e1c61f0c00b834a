// The chunks of dpratio with NEON. Bit lengths are counted, and full words told from others, one word at a
// time, as everywhere (drop_tops.hpp): with two words in a vector there is nothing to gain. Folding, packing
// and the levels have vectors.
#include "chunks/cpu/neon/kernels.hpp"

#if defined(__aarch64__)

#include <algorithm>
#include <cstring>

#include "chunks/cpu/drop_tops.hpp"
#include "chunks/cpu/neon/subchunk_packing.hpp"
#include "chunks/cpu/neon/zero_bytes.hpp"
#include "chunks/cpu/tops_payload.hpp"
#include "chunks/stages/stages.hpp"
#include "core/chunk.hpp"

namespace floe::cpu::neon {
namespace {

using Lanes64 = Lanes<64>;
constexpr std::size_t word_bytes = 8, words_per_vector = 2;

/// Folded residuals of a chunk, and what the first drop stage makes of them.
KeepChoice fold_chunk(const std::uint8_t* chunk, std::uint8_t* folded, core::MemoryOverlap* overlap) {
  constexpr std::size_t lines = 16, lines_bytes = lines * core::MemoryOverlap::line_bytes;
  uint64x2_t before = Lanes64::zero();
  for (std::size_t i = 0; i < core::chunk_bytes; i += 16) {
    const uint64x2_t now = Lanes64::load(chunk + i);
    Lanes64::store(folded + i, Lanes64::fold(vsubq_u64(now, vextq_u64(before, now, 1))));
    before = now;
    if (i % lines_bytes == 0) carry_on(overlap, lines);
  }
  return choose_keep<stages::DropZeroTops, std::uint64_t>(folded, core::chunk_bytes / word_bytes);
}

/// The choice of the second drop stage for the payload of the first.
KeepChoice choose_repeated(const std::uint8_t* in, std::size_t bytes) {
  return choose_keep<stages::DropRepeatedTops, std::uint64_t>(in, bytes / word_bytes);
}

/// Full words to `full_words`, which moves on, the lower bits of the others to `lows`, whose end it returns.
/// Sets the bits of full words in the bitmap, which is zero. Both outputs may overshoot by a word.
template <class Stage>
std::uint8_t* split_words(const std::uint8_t* words, std::size_t count, unsigned keep,
                          std::uint8_t*& full_words, std::uint8_t* lows, std::uint8_t* bitmap) {
  const std::uint64_t low_bits = core::low_mask<std::uint64_t>(keep);
  std::uint8_t* next_full = full_words;
  std::uint64_t previous = 0;
  unsigned full_bits = 0;
  for_each_in_groups<8>(
      count, [&](std::size_t i, std::size_t lane) __attribute__((always_inline)) {
        const auto word = core::load<std::uint64_t>(words + i * word_bytes);
        const unsigned full = Stage::difference(word, previous) >> keep != 0;
        core::store(next_full, word);
        core::store(lows, word & low_bits);
        full_bits = (lane == 0 ? 0 : full_bits) | full << lane;
        if (lane == 7 || i + 1 == count) bitmap[i / 8] = static_cast<std::uint8_t>(full_bits);
        next_full += word_bytes * full;
        lows += word_bytes * (1 - full);
        previous = word;
      });
  full_words = next_full;
  return lows;
}

/// Calls visit(word index, two words) for all words of a payload whose keep is a number of bits. Their
/// dropped bits are 0, or those of the word before.
template <class Stage, class Visit>
void restore_words(const std::uint8_t* full, TopsPayload& payload, const Visit& visit) {
  const std::uint64_t dropped_bits = ~core::low_mask<std::uint64_t>(payload.keep);
  const std::uint8_t* const bitmap = payload.levels[tops_bitmap_level];
  const std::uint8_t* low = payload.lows;
  std::uint64_t previous = 0;
  const auto next = [&](std::size_t is_full) {
    const std::uint64_t dropped =
        Stage::difference(std::uint64_t{0}, previous) & dropped_bits;  // what makes the difference zero
    const std::uint64_t kept = core::load<std::uint64_t>(low) | dropped,
                        whole = core::load<std::uint64_t>(full);
    previous = is_full != 0 ? whole : kept;
    full += word_bytes * is_full;
    low += word_bytes * (1 - is_full);
    return previous;
  };
  for (std::size_t i = 0; i < payload.words; i += words_per_vector) {
    const std::size_t is_full = bitmap[i / 8] >> (i % 8);
    const std::uint64_t first = next(is_full & 1), second = next(is_full >> 1 & 1);
    visit(i, vcombine_u64(vcreate_u64(first), vcreate_u64(second)));
  }
}

#include "chunks/cpu/levels.inl"
#include "chunks/cpu/ratio64.inl"

}  // namespace
}  // namespace floe::cpu::neon

namespace floe::cpu {
FLOE_DEFINE_KERNEL(neon, Ratio64Pipeline, std::uint64_t, encode(chunk, out, scratch, context.overlap),
                   decode(payload, payload_bytes, chunk, scratch, context.overlap))
}  // namespace floe::cpu
#endif
