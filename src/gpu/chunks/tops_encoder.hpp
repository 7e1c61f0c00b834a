// DPratio's chunks encoded by a warp (docs/format/stages/drop_tops.md). The words come from a source that is
// read twice, so that shared memory holds only what the first stage makes of them. The second stage packs its
// lower bits over what it has read, and writes its full words where the payload belongs.
#pragma once

#include "chunks/stages/stages.hpp"
#include "core/bits.hpp"
#include "core/chunk.hpp"
#include "gpu/chunks/bitmap_levels.hpp"
#include "gpu/chunks/tops_layout.hpp"
#include "gpu/warp/lane_bits.hpp"

namespace floe::gpu {

struct TopsEncoder : TopsLengths {
  /// Encodes a chunk and returns the payload's size, or stored_raw; `payload` is a multiple of 16 with room
  /// for a chunk, whose first bytes up to the padded size are overwritten in any case. `source.word(i)` is
  /// word i of the chunk, `source.tail_byte(i)` byte i behind the last word.
  template <class Warp, class Source>
  static FLOE_DEVICE std::uint32_t encode(Warp& warp, std::uint8_t* buffer, const Source& source,
                                          std::uint32_t chunk_bytes, std::uint8_t* payload) {
    const std::uint32_t first_bytes = drop_zero_tops(warp, buffer, source, chunk_bytes);
    if (first_bytes == stored_raw) return stored_raw;
    const std::uint32_t stored = drop_repeated_tops(warp, buffer, first_bytes, payload);
    return stored < chunk_bytes ? stored : stored_raw;
  }

  /// The same for a chunk of words that are all zero.
  template <class Warp>
  static FLOE_DEVICE std::uint32_t encode_zeros(Warp& warp, std::uint32_t chunk_bytes,
                                                std::uint8_t* payload) {
    if (warp.lane() == 0) {
      const std::uint64_t first = stages::keep_nothing | chunk_bytes << 8,
                          second = stages::keep_nothing | trailer_bytes << 8;
      store_aligned(payload, first | second << 24);
      store_aligned(payload + 8, std::uint64_t{0});
    }
    warp.sync();
    return 2 * trailer_bytes;
  }

 private:
  /// Where the next words go.
  struct Positions {
    std::uint32_t fulls = 0, lows = 0;
  };

  /// Says which words of the rows from word `first` on are full, and returns the positions of this lane's
  /// words.
  template <class Warp>
  static FLOE_DEVICE void place_rows(Warp& warp, std::uint32_t first, std::uint32_t words,
                                     const bool (&full)[batch], std::uint8_t* bitmap, Positions& next,
                                     Positions (&positions)[batch]) {
    Vector<std::uint32_t> rows;
    static_assert(rows.size == batch);
    FLOE_UNROLL
    for (unsigned b = 0; b < batch; ++b) rows.word[b] = warp.ballot(full[b]);
    if (warp.lane() == 0) store_aligned(bitmap + first / 8, rows);
    FLOE_UNROLL
    for (unsigned b = 0; b < batch; ++b) {
      const std::uint32_t row = first + b * warp_lanes, left = words > row ? words - row : 0;
      const std::uint32_t fulls = count_bits(rows.word[b]), before = count_before(warp, rows.word[b]);
      positions[b] = {next.fulls + before, next.lows + warp.lane() - before};
      next.fulls += fulls;
      next.lows += (left < warp_lanes ? left : warp_lanes) - fulls;
    }
  }

  template <class Warp>
  static FLOE_DEVICE void clear_bitmap(Warp& warp, std::uint8_t* buffer) {
    zero_words(warp, bitmap_of(buffer), bitmap_bytes / 4);
    warp.sync();
  }

  /// The tail (lane i has byte i), the keep byte and the length. Returns where they end.
  template <class Warp>
  static FLOE_DEVICE std::uint32_t end_with(Warp& warp, std::uint8_t* out, std::uint32_t position,
                                            std::uint8_t tail, std::uint32_t tail_bytes, unsigned keep,
                                            std::uint32_t in_bytes) {
    if (warp.lane() < tail_bytes) out[position + warp.lane()] = tail;
    position += tail_bytes;
    if (warp.lane() == 0) {
      out[position] = static_cast<std::uint8_t>(keep);
      out[position + 1] = static_cast<std::uint8_t>(in_bytes);
      out[position + 2] = static_cast<std::uint8_t>(in_bytes >> 8);
    }
    warp.sync();
    return position + trailer_bytes;
  }

  /// Calls visit(first, word) for the words after delta and zig-zag, a batch of rows at a time: word[b] is
  /// word first + 32 b + lane, if there is one.
  template <class Warp, class Source, class Visit>
  static FLOE_DEVICE void for_each_folded(Warp& warp, const Source& source, std::uint32_t words,
                                          const Visit& visit) {
    if (words == 0) return;
    Word carry = 0, next[batch];
    const auto load = [&](std::uint32_t first) {
      FLOE_UNROLL
      for (unsigned b = 0; b < batch; ++b) {
        const std::uint32_t i = first + b * warp_lanes + warp.lane();
        next[b] = source.word(i < words ? i : 0);  // no branches: all loads at once
      }
    };
    load(0);
    FLOE_NO_UNROLL
    for (std::uint32_t first = 0; first < words; first += batch * warp_lanes) {
      Word word[batch];
      FLOE_UNROLL
      for (unsigned b = 0; b < batch; ++b) word[b] = next[b];
      load(first + batch * warp_lanes);  // on its way while these are worked on
      FLOE_UNROLL
      for (unsigned b = 0; b < batch; ++b) {
        const Word previous = word_before(warp, word[b], carry);
        word[b] = core::zigzag(stages::Delta::residual(word[b], previous));
      }
      visit(first, word);
    }
  }

  /// The first stage, from the source to the front of the buffer. Returns its size, or stored_raw.
  template <class Warp, class Source>
  static FLOE_DEVICE std::uint32_t drop_zero_tops(Warp& warp, std::uint8_t* buffer, const Source& source,
                                                  std::uint32_t chunk_bytes) {
    const std::uint32_t words = chunk_bytes / 8, tail_bytes = chunk_bytes % 8;
    const std::uint8_t tail = warp.lane() < tail_bytes ? source.tail_byte(warp.lane()) : std::uint8_t{0};
    clear_counts(warp, buffer);
    for_each_folded(warp, source, words, [&](std::uint32_t first, const Word(&word)[batch]) {
      count_rows(warp, buffer, first, words, word);
    });
    const Keep keep = choose_keep(warp, buffer, words);
    std::uint32_t position = 0;
    if (keep.bits == stages::keep_everything) {
      if (chunk_bytes + trailer_bytes >= core::chunk_bytes) return stored_raw;
      for_each_folded(warp, source, words, [&](std::uint32_t first, const Word(&word)[batch]) {
        FLOE_UNROLL
        for (unsigned b = 0; b < batch; ++b) {
          const std::uint32_t i = first + b * warp_lanes + warp.lane();
          if (i < words) store_aligned(buffer + 8 * i, word[b]);
        }
      });
      position = 8 * words;
    } else if (keep.bits != stages::keep_nothing) {
      const std::uint32_t lows_begin = 8 * keep.full_words,
                          lows_end = lows_begin + ((words - keep.full_words) * keep.bits + 7) / 8;
      clear_bitmap(warp, buffer);
      Positions next;
      for_each_folded(warp, source, words, [&](std::uint32_t first, const Word(&word)[batch]) {
        bool full[batch];
        Positions positions[batch];
        FLOE_UNROLL
        for (unsigned b = 0; b < batch; ++b)
          full[b] = first + b * warp_lanes + warp.lane() < words && word[b] >> keep.bits != 0;
        place_rows(warp, first, words, full, bitmap_of(buffer), next, positions);
        FLOE_UNROLL
        for (unsigned b = 0; b < batch; ++b) {
          const std::uint32_t at = full[b] ? 8 * positions[b].fulls : lows_begin + 8 * positions[b].lows;
          if (first + b * warp_lanes + warp.lane() < words) store_aligned(buffer + at, word[b]);
        }
      });
      warp.sync();
      pack(warp, buffer + lows_begin, words - keep.full_words, keep.bits);
      position = append_levels<bitmap_bytes>(warp, buffer, lows_end, core::chunk_bytes, bitmap_of(buffer),
                                             scratch_of(buffer));
    }
    if (position + tail_bytes + trailer_bytes >= core::chunk_bytes) return stored_raw;
    return end_with(warp, buffer, position, tail, tail_bytes, keep.bits, chunk_bytes);
  }

  /// The second stage, from the front of the buffer to the payload. Returns its size, or stored_raw.
  template <class Warp>
  static FLOE_DEVICE std::uint32_t drop_repeated_tops(Warp& warp, std::uint8_t* buffer,
                                                      std::uint32_t in_bytes, std::uint8_t* payload) {
    const std::uint32_t words = in_bytes / 8, tail_bytes = in_bytes % 8;
    const std::uint8_t tail = warp.lane() < tail_bytes ? buffer[8 * words + warp.lane()] : std::uint8_t{0};
    clear_counts(warp, buffer);
    FLOE_NO_UNROLL
    for (std::uint32_t first = 0; first < words; first += batch * warp_lanes) {
      Word difference[batch];
      FLOE_UNROLL
      for (unsigned b = 0; b < batch; ++b) {
        const std::uint32_t i =
            first + b * warp_lanes + warp.lane() < words ? first + b * warp_lanes + warp.lane() : 0;
        const Word previous = load_aligned<Word>(buffer + 8 * (i == 0 ? 0 : i - 1));
        difference[b] = stages::DropRepeatedTops::difference(load_aligned<Word>(buffer + 8 * i),
                                                             i == 0 ? Word{0} : previous);
      }
      count_rows(warp, buffer, first, words, difference);
    }
    const Keep keep = choose_keep(warp, buffer, words);
    std::uint32_t position = 0;
    if (keep.bits == stages::keep_everything) {
      for (std::uint32_t i = warp.lane(); i < words; i += warp_lanes)
        store_aligned(payload + 8 * i, load_aligned<Word>(buffer + 8 * i));
      warp.sync();
    } else if (keep.bits != stages::keep_nothing) {
      clear_bitmap(warp, buffer);
      pack_repeated(warp, buffer, words, keep.bits, payload);
      position = ((words - keep.full_words) * keep.bits + 7) / 8;
      position = append_levels<bitmap_bytes>(warp, buffer, position, core::chunk_bytes, bitmap_of(buffer),
                                             scratch_of(buffer));
    }
    const std::uint32_t fulls_bytes = 8 * keep.full_words;
    if (fulls_bytes + position + tail_bytes + trailer_bytes >= core::chunk_bytes) return stored_raw;
    position = end_with(warp, buffer, position, tail, tail_bytes, keep.bits, in_bytes);
    const std::uint32_t stored = fulls_bytes + position, padded = (stored + 15) / 16 * 16;
    if (warp.lane() < padded - stored) buffer[position + warp.lane()] = 0;
    warp.sync();
    for (std::uint32_t at = 8 * warp.lane(); at < padded - fulls_bytes; at += 8 * warp_lanes)
      store_aligned(payload + fulls_bytes + at, load_aligned<Word>(buffer + at));
    return stored;
  }

  /// Makes the bit stream of `count` words of `keep` bits in place. A lane makes whole words of it, from all
  /// that lie in them: bits of several lanes in one word would have to be added by atomic operations.
  template <class Warp>
  static FLOE_DEVICE void pack(Warp& warp, std::uint8_t* words, std::uint32_t count, unsigned keep) {
    const std::uint32_t bits = count * keep, out_words = (bits + 63) / 64;
    if (out_words == 0) return;
    const std::uint32_t reciprocal = 0xFFFFFFFF / keep + 1;  // rounded up: exact for dividends below 2^26
    const auto first_of = [&](std::uint32_t begin) {
      return keep == 1 ? begin : high_half(std::uint64_t{begin} * reciprocal);
    };
    if (keep >= 32) {  // parts of at most three words in one
      FLOE_NO_UNROLL
      for (std::uint32_t first = warp.lane(); first < out_words + warp.lane(); first += batch * warp_lanes) {
        Word packed[batch];
        FLOE_UNROLL
        for (unsigned b = 0; b < batch; ++b) {
          const std::uint32_t begin = 64 * (first + b * warp_lanes), in = first_of(begin),
                              skipped = begin - in * keep;
          const auto word = [&](std::uint32_t i) {
            const Word loaded = load_aligned<Word>(words + 8 * (i < count ? i : 0));
            return i < count ? loaded : Word{0};
          };
          packed[b] = word(in) >> skipped | shift_left(word(in + 1), keep - skipped) |
                      shift_left(word(in + 2), 2 * keep - skipped);
        }
        warp.sync();  // all lanes have read what is overwritten now: no word moves back
        FLOE_UNROLL
        for (unsigned b = 0; b < batch; ++b) {
          if (first + b * warp_lanes < out_words)
            store_aligned(words + 8 * (first + b * warp_lanes), packed[b]);
        }
        warp.sync();
      }
      return;
    }
    FLOE_NO_UNROLL
    for (std::uint32_t row = 0; row < out_words; row += warp_lanes) {
      const std::uint32_t out = row + warp.lane(), begin = 64 * out;
      std::uint32_t in = first_of(begin);
      Word packed = 0;
      if (out < out_words) {
        packed = shift_right(load_aligned<Word>(words + 8 * in), begin - in * keep);
        for (std::uint32_t at = ++in * keep; at < begin + 64 && at < bits; at += keep, ++in)
          packed |= shift_left(load_aligned<Word>(words + 8 * in), at - begin);
      }
      warp.sync();  // as above
      if (out < out_words) store_aligned(words + 8 * out, packed);
      warp.sync();
    }
  }

  /// Full words to the payload; the lower bits of others to the front of the buffer, over what has been read.
  template <class Warp>
  static FLOE_DEVICE void pack_repeated(Warp& warp, std::uint8_t* buffer, std::uint32_t words, unsigned keep,
                                        std::uint8_t* payload) {
    const Word mask = core::low_mask<Word>(keep);
    Positions next;
    Word carry = 0;
    FLOE_NO_UNROLL
    for (std::uint32_t first = 0; first < words; first += batch * warp_lanes) {
      Word word[batch];
      FLOE_UNROLL
      for (unsigned b = 0; b < batch; ++b) {
        const std::uint32_t i = first + b * warp_lanes + warp.lane();
        word[b] = i < words ? load_aligned<Word>(buffer + 8 * i) : 0;
      }
      warp.sync();  // all lanes have read what is overwritten now
      bool full[batch];
      Positions positions[batch];
      FLOE_UNROLL
      for (unsigned b = 0; b < batch; ++b) {
        const Word previous = word_before(warp, word[b], carry);
        const bool exists = first + b * warp_lanes + warp.lane() < words;
        full[b] = exists && stages::DropRepeatedTops::difference(word[b], previous) >> keep != 0;
      }
      place_rows(warp, first, words, full, bitmap_of(buffer), next, positions);
      FLOE_UNROLL
      for (unsigned b = 0; b < batch; ++b) {
        if (full[b]) store_aligned(payload + 8 * positions[b].fulls, word[b]);
        if (!full[b] && first + b * warp_lanes + warp.lane() < words)
          store_aligned(buffer + 8 * positions[b].lows, static_cast<Word>(word[b] & mask));
      }
      warp.sync();
    }
    pack(warp, buffer, next.lows, keep);
  }
};

}  // namespace floe::gpu
