// DropTopsShape: the upper bits of words are dropped where they are predictable; how many is chosen per
// chunk.
#pragma once

#include <array>
#include <utility>

#include "chunks/cpu/bitmap_levels.hpp"
#include "chunks/cpu/map.hpp"
#include "chunks/cpu/pack_words.hpp"
#include "chunks/cpu/workspace.hpp"
#include "chunks/stages/stages.hpp"

namespace floe::cpu {

/// Calls visit(i, i % group) for i below `count`. Whole groups are unrolled, so that the second argument is a
/// constant. Inlined always: what the visitor changes would otherwise live in memory, where every store of a
/// byte could change it.
template <std::size_t group, class Visit>
__attribute__((always_inline)) inline void for_each_in_groups(std::size_t count, const Visit& visit) {
  std::size_t first = 0;
  for (; first + group <= count; first += group) {
    [&]<std::size_t... lane>(std::index_sequence<lane...>) __attribute__((always_inline)) {
      (visit(first + lane, lane), ...);
    }
    (std::make_index_sequence<group>{});
  }
  for (std::size_t i = first; i < count; ++i) visit(i, i - first);
}

struct KeepChoice {
  unsigned keep;           ///< Lower bits to keep, or keep_everything or keep_nothing.
  std::size_t full_words;  ///< Words that do not fit into them.
};

/// The number of lower bits to keep that saves the most bits, the smallest such number. The cost of the
/// bitmap is not counted.
template <class Stage, core::Word W>
KeepChoice choose_keep(const std::uint8_t* in, std::size_t words) {
  constexpr unsigned bits = core::word_bits<W>;
  std::array<std::array<std::uint32_t, bits + 1>, 4>
      counts{};  // four, so that equal lengths in a row do not wait for each other
  W previous = 0;
  for_each_in_groups<4>(
      words, [&](std::size_t i, std::size_t lane) __attribute__((always_inline)) {
        const W word = core::load<W>(in + i * sizeof(W));
        ++counts[lane][core::bit_length(Stage::difference(word, previous))];
        previous = word;
      });
  const auto count = [&](unsigned length) -> std::size_t {
    return counts[0][length] + counts[1][length] + counts[2][length] + counts[3][length];
  };
  if (count(0) == words) return {stages::keep_nothing, 0};
  std::size_t best_saved = 0, covered = 0;
  KeepChoice best{stages::keep_everything, words};
  for (unsigned keep = 0; keep < bits; ++keep) {
    covered += count(keep);
    const std::size_t saved = (bits - keep) * covered;
    if (saved > best_saved) {
      best_saved = saved;
      best = {keep, words - covered};
    }
  }
  return best;
}

/// Full words, the packed lower bits of the others, the levels of the bitmap of full words. Returns their
/// bytes.
template <class Stage, core::Word W>
std::size_t encode_kept(const std::uint8_t* __restrict in, std::size_t words, KeepChoice choice,
                        std::uint8_t* __restrict out) {
  const W mask = core::low_mask<W>(choice.keep);
  Bitmap<W> bitmap{};
  std::uint8_t lows[core::chunk_bytes + sizeof(W)];
  std::size_t full_count = 0;
  W previous = 0;
  unsigned full_bits = 0;
  for_each_in_groups<8>(
      words, [&](std::size_t i, std::size_t lane) __attribute__((always_inline)) {
        const W word = core::load<W>(in + i * sizeof(W));
        const unsigned full = Stage::difference(word, previous) >> choice.keep != 0;
        core::store(out + full_count * sizeof(W), word);
        core::store(lows + (i - full_count) * sizeof(W), static_cast<W>(word & mask));
        full_bits = (lane == 0 ? 0 : full_bits) | full << lane;
        if (lane == 7 || i + 1 == words) bitmap[i / 8] = static_cast<std::uint8_t>(full_bits);
        full_count += full;
        previous = word;
      });
  const std::size_t low_count = words - full_count;
  pack_words<W>(lows, low_count, choice.keep, out, full_count * core::word_bits<W>);
  const std::size_t kept_bytes = full_count * sizeof(W) + (low_count * choice.keep + 7) / 8;
  return kept_bytes + append_levels(bitmap, out + kept_bytes);
}

template <class Stage, core::Word W>
std::size_t encode(stages::DropTopsShape, const std::uint8_t* in, std::size_t in_bytes, std::uint8_t* out,
                   const core::ChunkContext&) {
  static_assert(sizeof(W) == 8, "the keep byte's special values are defined for 64-bit words");
  if (in_bytes > core::chunk_bytes) return no_result;
  const std::size_t words = in_bytes / sizeof(W);
  const KeepChoice choice = choose_keep<Stage, W>(in, words);
  std::size_t out_bytes = 0;
  if (choice.keep == stages::keep_everything) {
    out_bytes = words * sizeof(W);
    std::copy(in, in + out_bytes, out);
  } else if (choice.keep != stages::keep_nothing) {
    out_bytes = encode_kept<Stage, W>(in, words, choice, out);
  }
  std::copy(in + words * sizeof(W), in + in_bytes, out + out_bytes);
  out_bytes += in_bytes % sizeof(W);
  out[out_bytes] = static_cast<std::uint8_t>(choice.keep);
  core::store(out + out_bytes + 1, static_cast<std::uint16_t>(in_bytes));
  out_bytes += 3;
  return out_bytes < core::chunk_bytes ? out_bytes : no_result;
}

/// The inverse of encode_kept; `in` ends where the levels end. False if the payload contradicts the format.
template <class Stage, core::Word W>
bool decode_kept(const std::uint8_t* __restrict in, std::size_t in_bytes, unsigned keep, std::size_t words,
                 std::uint8_t* __restrict out) {
  Bitmap<W> bitmap;
  if (!take_levels(in, in_bytes, bitmap) || any_bit_from(bitmap, words)) return false;
  const std::size_t full_words = count_ones(bitmap.data(), bitmap.size()), low_count = words - full_words;
  if (full_words * sizeof(W) + (low_count * keep + 7) / 8 != in_bytes) return false;

  std::uint8_t lows[core::chunk_bytes + sizeof(W)];
  unpack_words<W>(in, full_words * core::word_bits<W>, low_count, keep, lows);
  core::store(lows + low_count * sizeof(W), W{0});  // full words behind the last low one load it for nothing
  // The dropped bits are those that make the difference zero: 0 for RAZE, the previous word's for RARE.
  const W dropped = static_cast<W>(~core::low_mask<W>(keep));
  std::size_t full_count = 0;
  W previous = 0;
  std::size_t full_bits = 0;
  for_each_in_groups<8>(
      words, [&](std::size_t i, std::size_t lane) __attribute__((always_inline)) {
        if (lane == 0) full_bits = bitmap[i / 8];
        const std::size_t full = full_bits >> lane & 1;
        const W whole = core::load<W>(in + full_count * sizeof(W));
        const W low = core::load<W>(lows + (i - full_count) * sizeof(W));
        const W completed = static_cast<W>((Stage::difference(W{0}, previous) & dropped) | low);
        previous =
            static_cast<W>(completed ^ ((completed ^ whole) &
                                        (W{0} - full)));  // a choice without a branch: full words look random
        core::store(out + i * sizeof(W), previous);
        full_count += full;
      });
  return true;
}

template <class Stage, core::Word W>
std::size_t decode(stages::DropTopsShape, const std::uint8_t* in, std::size_t in_bytes, std::uint8_t* out,
                   const core::ChunkContext&) {
  if (in_bytes < 3) return no_result;
  const std::size_t length = core::load<std::uint16_t>(in + in_bytes - 2);
  const unsigned keep = in[in_bytes - 3];
  const std::size_t words = length / sizeof(W), words_end = words * sizeof(W),
                    tail_bytes = length % sizeof(W);
  if (length > core::chunk_bytes || keep > stages::keep_nothing || in_bytes - 3 < tail_bytes)
    return no_result;
  const std::size_t rest_bytes = in_bytes - 3 - tail_bytes;
  if (keep == stages::keep_nothing) {
    if (rest_bytes != 0) return no_result;
    std::fill_n(out, words_end, std::uint8_t{0});
  } else if (keep == stages::keep_everything) {
    if (rest_bytes != words_end) return no_result;
    std::copy(in, in + words_end, out);
  } else if (!decode_kept<Stage, W>(in, rest_bytes, keep, words, out)) {
    return no_result;
  }
  std::copy(in + rest_bytes, in + rest_bytes + tail_bytes, out + words_end);
  return length;
}

}  // namespace floe::cpu
