// DPratio's chunks decoded by a warp (docs/format/stages/drop_tops.md): to shared memory, then to the sink.
#pragma once

#include "chunks/stages/stages.hpp"
#include "core/bits.hpp"
#include "core/chunk.hpp"
#include "gpu/chunks/bitmap_levels.hpp"
#include "gpu/chunks/sink.hpp"
#include "gpu/chunks/tops_layout.hpp"
#include "gpu/warp/lane_bits.hpp"

namespace floe::gpu {

struct TopsDecoder : TopsLayout {
  /// Decodes a payload at a multiple of 16, with 16 bytes to read behind it. If damaged, false, and nothing
  /// sunk.
  template <class Warp, class Sink>
  static FLOE_DEVICE bool decode(Warp& warp, std::uint8_t* buffer, const std::uint8_t* payload,
                                 std::uint32_t stored_bytes, std::uint32_t chunk_bytes, const Sink& sink) {
    Parts parts;
    if (!take_apart(warp, buffer, payload, stored_bytes, parts)) return false;
    expand<stages::DropRepeatedTops>(warp, buffer, payload, parts,
                                     [&](std::uint32_t first, const Word(&word)[batch]) {
                                       FLOE_UNROLL
                                       for (unsigned b = 0; b < batch; ++b) {
                                         const std::uint32_t i = first + b * warp_lanes + warp.lane();
                                         if (i < parts.words) store_aligned(buffer + 8 * i, word[b]);
                                       }
                                     });
    if (warp.lane() < parts.bytes % 8)
      buffer[parts.words * 8 + warp.lane()] =
          payload[stored_bytes - trailer_bytes - parts.bytes % 8 + warp.lane()];
    warp.sync();

    const std::uint32_t first_bytes = parts.bytes;
    if (!take_apart(warp, buffer, buffer, first_bytes, parts) || parts.bytes != chunk_bytes) return false;
    if (parts.keep == stages::keep_nothing) {
      for (std::uint32_t i = warp.lane(); i < parts.words; i += warp_lanes) sink.put_word(i, Word{0});
    } else {
      expand_folded(warp, buffer, parts, sink);
    }
    if (warp.lane() < chunk_bytes % 8)
      sink.put_byte(chunk_bytes / 8 * 8 + warp.lane(),
                    buffer[first_bytes - trailer_bytes - chunk_bytes % 8 + warp.lane()]);
    return true;
  }

 private:
  /// What the end of a stage's output says. The bitmap of full words then stands in the buffer.
  struct Parts {
    std::uint32_t bytes = 0, words = 0;  ///< Of the stage's input.
    unsigned keep = 0;
    std::uint32_t full_words = 0;
  };

  /// The first stage's words, then zig-zag and delta undone, to the sink.
  template <class Warp, class Sink>
  static FLOE_DEVICE void expand_folded(Warp& warp, const std::uint8_t* buffer, const Parts& parts,
                                        const Sink& sink) {
    Word carry = 0;
    expand<stages::DropZeroTops>(warp, buffer, buffer, parts,
                                 [&](std::uint32_t first, const Word(&word)[batch]) {
                                   Word inclusive[batch];
                                   FLOE_UNROLL
                                   for (unsigned b = 0; b < batch; ++b) {
                                     const bool exists = first + b * warp_lanes + warp.lane() < parts.words;
                                     inclusive[b] = exists ? core::unzigzag(word[b]) : Word{0};
                                   }
                                   inclusive_scans(warp, inclusive);
                                   FLOE_UNROLL
                                   for (unsigned b = 0; b < batch; ++b) {
                                     const std::uint32_t i = first + b * warp_lanes + warp.lane();
                                     if (i < parts.words)
                                       sink.put_word(i, stages::Delta::combine(inclusive[b], carry));
                                     carry += warp.shuffle(inclusive[b], warp_lanes - 1);
                                   }
                                 });
  }

  /// Reads and checks the end of a stage's output.
  template <class Warp>
  static FLOE_DEVICE bool take_apart(Warp& warp, std::uint8_t* buffer, const std::uint8_t* in,
                                     std::uint32_t in_bytes, Parts& parts) {
    if (in_bytes < trailer_bytes) return false;
    parts.bytes = in[in_bytes - 2] | std::uint32_t{in[in_bytes - 1]} << 8;
    parts.words = parts.bytes / 8;
    parts.keep = in[in_bytes - 3];
    parts.full_words = 0;
    if (parts.bytes > core::chunk_bytes || parts.keep > stages::keep_nothing ||
        in_bytes - trailer_bytes < parts.bytes % 8)
      return false;
    const std::uint32_t rest = in_bytes - trailer_bytes - parts.bytes % 8;
    if (parts.keep == stages::keep_nothing) return rest == 0;
    if (parts.keep == stages::keep_everything) return rest == 8 * parts.words;
    const std::uint32_t end =
        expand_levels<bitmap_bytes>(warp, in, rest, bitmap_of(buffer), scratch_of(buffer));
    if (end == stored_raw) return false;
    if (parts.words < 8 * bitmap_bytes && any_bit_from<bitmap_bytes>(warp, bitmap_of(buffer), parts.words))
      return false;
    parts.full_words = count_bitmap<bitmap_bytes>(warp, bitmap_of(buffer));
    return 8 * parts.full_words + ((parts.words - parts.full_words) * parts.keep + 7) / 8 == end;
  }

  /// Calls emit(first, word) for the words of a stage's input, a batch of rows at a time: word[b] is word
  /// first + 32 b + lane, if there is one.
  template <class Stage, class Warp, class Emit>
  static FLOE_DEVICE void expand(Warp& warp, const std::uint8_t* buffer, const std::uint8_t* in,
                                 const Parts& parts, const Emit& emit) {
    const auto index_of = [&](std::uint32_t first, unsigned b) {
      return first + b * warp_lanes + warp.lane();
    };
    Word word[batch];
    if (parts.keep >= stages::keep_everything) {
      FLOE_NO_UNROLL
      for (std::uint32_t first = 0; first < parts.words; first += batch * warp_lanes) {
        FLOE_UNROLL
        for (unsigned b = 0; b < batch; ++b) {
          const bool stored = parts.keep == stages::keep_everything && index_of(first, b) < parts.words;
          word[b] = stored ? load_aligned<Word>(in + 8 * index_of(first, b)) : Word{0};
        }
        emit(first, word);
      }
      return;
    }
    const std::uint32_t lows_begin = 8 * parts.full_words;
    const std::uint8_t* const bitmap = buffer + words_bytes;
    const Word kept = core::low_mask<Word>(parts.keep);
    const std::uint32_t lanes_le = 0xFFFFFFFF >> (warp_lanes - 1 - warp.lane());
    std::uint32_t fulls_before = 0;
    Word last_full = 0;
    FLOE_NO_UNROLL
    for (std::uint32_t first = 0; first < parts.words; first += batch * warp_lanes) {
      const auto fulls = load_aligned<Vector<std::uint32_t>>(bitmap + first / 8);
      static_assert(fulls.size == batch);
      FLOE_UNROLL
      for (unsigned b = 0; b < batch; ++b) {
        // Both kinds of words with the same loads, without branches: all rows' are in flight together.
        const std::uint32_t before = fulls_before + count_before(warp, fulls.word[b]);
        fulls_before += count_bits(fulls.word[b]);
        const bool full = (fulls.word[b] >> warp.lane() & 1) != 0, exists = index_of(first, b) < parts.words;
        const std::uint32_t bit = exists ? (index_of(first, b) - before) * parts.keep : 0;
        const std::uint8_t* const from = in + (full ? 8 * before : lows_begin + bit / 64 * 8);
        const Word a = load_aligned<Word>(from), behind = load_aligned<Word>(from + 8);
        const Word low = a >> (bit % 64) | shift_left(behind, 64 - bit % 64);
        word[b] = full ? a : low & kept;
      }
      if constexpr (Stage::difference(Word{0}, Word{1}) !=
                    0) {  // the dropped bits are those of the last full word
        Word nearest[batch], last[batch];
        FLOE_UNROLL
        for (unsigned b = 0; b < batch; ++b) {
          nearest[b] =
              warp.shuffle(word[b], core::bit_length(fulls.word[b] & lanes_le) - 1);  // of none, anything
          last[b] = warp.shuffle(word[b], core::bit_length(fulls.word[b]) - 1);
        }
        FLOE_UNROLL
        for (unsigned b = 0; b < batch; ++b) {
          const Word tops = (fulls.word[b] & lanes_le) == 0 ? last_full : nearest[b];
          if (fulls.word[b] != 0) last_full = last[b];
          if ((fulls.word[b] >> warp.lane() & 1) == 0) word[b] |= tops & ~kept;
        }
      }
      emit(first, word);
    }
  }
};

}  // namespace floe::gpu
