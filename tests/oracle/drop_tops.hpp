// DropTopsShape: the upper bits of words are dropped where they are predictable; how many is chosen per
// chunk.
#pragma once

#include "chunks/stages/stages.hpp"
#include "core/bits.hpp"
#include "tests/oracle/bitmap_levels.hpp"

namespace floe::oracle {

/// The number of lower bits to keep that saves the most bits, the smallest such number; keep_everything if
/// nothing is saved and keep_nothing if every difference is zero. The cost of the bitmap is not counted.
template <core::Word W>
unsigned choose_keep(const std::vector<W>& differences) {
  constexpr unsigned bits = core::word_bits<W>;
  std::size_t count[bits + 1] = {};
  for (const W difference : differences) ++count[core::bit_length(difference)];
  if (count[0] == differences.size()) return stages::keep_nothing;
  std::size_t best_saved = 0, covered = 0;
  unsigned best = 0;
  for (unsigned keep = 0; keep < bits; ++keep) {
    covered += count[keep];
    const std::size_t saved = (bits - keep) * covered;
    if (saved > best_saved) {
      best_saved = saved;
      best = keep;
    }
  }
  return best_saved == 0 ? stages::keep_everything : best;
}

template <class Stage, core::Word W>
MaybeBytes encode(stages::DropTopsShape, const Bytes& in, const core::ChunkContext&) {
  static_assert(sizeof(W) == 8, "the keep byte's special values are defined for 64-bit words");
  const std::vector<W> words = to_words<W>(in);
  std::vector<W> differences;
  W previous = 0;
  for (const W word : words) {
    differences.push_back(Stage::difference(word, previous));
    previous = word;
  }

  const unsigned keep = choose_keep(differences);
  Bytes out;
  if (keep == stages::keep_everything) {
    out = to_bytes(words);
  } else if (keep != stages::keep_nothing) {
    Bytes bitmap(bitmap_bytes<W>, 0);
    BitWriter lows;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (differences[i] >> keep != 0) {
        append_word(out, words[i]);
        set_bit(bitmap, i);
      } else {
        lows.put(words[i], keep);
      }
    }
    append(out, lows.bytes());
    append_levels(out, bitmap);
  }
  append(out, tail_of<W>(in));
  out.push_back(static_cast<std::uint8_t>(keep));
  append_word(out, static_cast<std::uint16_t>(in.size()));
  if (out.size() >= core::chunk_bytes) return std::nullopt;
  return out;
}

template <class Stage, core::Word W>
MaybeBytes decode(stages::DropTopsShape, const Bytes& in, const core::ChunkContext&) {
  if (in.size() < 3) return std::nullopt;
  const std::size_t length = core::load<std::uint16_t>(in.data() + in.size() - 2);
  const unsigned keep = in[in.size() - 3];
  const std::size_t tail_bytes = length % sizeof(W);
  if (length > core::chunk_bytes || keep > stages::keep_nothing || in.size() - 3 < tail_bytes)
    return std::nullopt;
  const Bytes tail(in.end() - 3 - static_cast<std::ptrdiff_t>(tail_bytes), in.end() - 3);
  Bytes rest(in.begin(), in.end() - 3 - static_cast<std::ptrdiff_t>(tail_bytes));

  std::vector<W> words(length / sizeof(W), W{0});
  if (keep == stages::keep_nothing) {
    if (!rest.empty()) return std::nullopt;
  } else if (keep == stages::keep_everything) {
    if (rest.size() != words.size() * sizeof(W)) return std::nullopt;
    words = to_words<W>(rest);
  } else {
    const MaybeBytes bitmap = take_levels(rest, bitmap_bytes<W>);
    if (!bitmap) return std::nullopt;
    std::size_t full_words = 0;
    for (std::size_t i = 0; i < bitmap_bytes<W> * 8; ++i) {
      if (bit_of(*bitmap, i) && i >= words.size()) return std::nullopt;
      full_words += bit_of(*bitmap, i) ? 1 : 0;
    }
    if (full_words * sizeof(W) > rest.size()) return std::nullopt;
    BitReader lows(rest, full_words * sizeof(W));
    std::size_t next_full = 0;
    W previous = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (bit_of(*bitmap, i)) {
        words[i] = core::load<W>(rest.data() + sizeof(W) * next_full++);
      } else {
        // The dropped bits are those that make the difference zero: 0 for RAZE, the previous word's for RARE.
        const auto low = static_cast<W>(lows.get(keep));
        words[i] = static_cast<W>((Stage::difference(W{0}, previous) & ~core::low_mask<W>(keep)) | low);
      }
      previous = words[i];
    }
    if (lows.failed() || lows.bytes_used() != rest.size()) return std::nullopt;
  }
  return to_bytes(words, tail);
}

}  // namespace floe::oracle
