// The speed codecs on a warp: delta, zig-zag and bit_pack (docs/format/stages/bit_pack.md) in one go. In a
// full chunk a sub-chunk is a row of 16 bytes for each lane; other chunks go word by word.
#pragma once

#include "chunks/stages/stages.hpp"
#include "core/chunk.hpp"
#include "gpu/chunks/shared_chunks.hpp"
#include "gpu/chunks/sink.hpp"
#include "gpu/warp/lane_bits.hpp"

namespace floe::gpu {

template <core::Word W>
struct PackChunk {
  static constexpr std::uint32_t word_bytes = sizeof(W);
  static constexpr unsigned subchunks = core::subchunks_per_chunk;
  static constexpr unsigned field_bits = stages::width_field_bits<W>;
  static constexpr unsigned header_bytes = 6 + 4 * field_bits;
  using Rows = WordRows<W>;
  using Row = typename Rows::Row;
  using Register = typename Rows::Register;
  static constexpr unsigned lane_words = Rows::lane_words;  ///< Of a sub-chunk of a full chunk.
  static_assert(header_bytes % 4 == 2 && header_bytes <= 34);

  /// Encoding happens in place: the payload grows behind the content, which it cannot overtake.
  static constexpr std::uint32_t content_offset = 48;
  static constexpr std::uint32_t encode_bytes = content_offset + core::chunk_bytes;
  static constexpr std::uint32_t payload_offset = 0;
  static constexpr std::uint32_t decode_bytes = core::chunk_bytes + 32;  ///< 20 bytes behind are read.
  static constexpr std::uint32_t payload_place(std::uint32_t /*padded_bytes*/) { return 0; }
  static constexpr unsigned max_warps = 16;

  /// What is known of a payload before it is written.
  struct Plan {
    unsigned width = 0;         ///< Of the sub-chunk with this lane's number.
    std::uint32_t before = 0;   ///< Bits of all sub-chunks before it.
    std::uint32_t folded = 0;   ///< One bit per sub-chunk, the same in all lanes.
    std::uint32_t bits = 0;     ///< Of all sub-chunks.
    std::uint32_t payload = 0;  ///< Bytes.
    std::uint32_t second = 0;   ///< Where the bytes of the second half begin in it.
  };

  /// Folds the content in place and returns the payload's size, or stored_raw; then the content is lost.
  template <class Warp>
  static FLOE_DEVICE std::uint32_t measure(Warp& warp, std::uint8_t* buffer, std::uint32_t chunk_bytes,
                                           unsigned /*dimensionality*/, Plan& plan) {
    std::uint8_t* const content = buffer + content_offset;
    find_widths(warp, content, chunk_bytes / word_bytes, plan);
    return stored_size(add_up(warp, chunk_bytes, plan), chunk_bytes);
  }

  template <class Warp>
  static FLOE_DEVICE void write(Warp& warp, std::uint8_t* buffer, std::uint32_t chunk_bytes,
                                const Plan& plan) {
    write_header(warp, buffer, chunk_bytes, plan);
    warp.sync();
    if (chunk_bytes != core::chunk_bytes) return write_any(warp, buffer, chunk_bytes, plan);
    write_full(warp, buffer, buffer + content_offset, 0, subchunks, plan);
    if (warp.lane() == 0)
      store_aligned(buffer + plan.payload, std::uint16_t{0});  // the rest of the last word
    warp.sync();
  }

  /// A full chunk in halves, for a pair of warps (shared_chunks.hpp).
  struct Halves {
    static constexpr std::uint32_t lead_bytes = 16;  ///< For the word before.
    static constexpr std::uint32_t content_offset = 48;
    static constexpr std::uint32_t region_bytes = content_offset + half_chunk_bytes;
    static constexpr unsigned max_pairs = 13;

    /// The widths of a half's sub-chunks, and which of them are folded.
    struct Share {
      std::uint8_t width[subchunks / 2];
      std::uint32_t folded;
    };
    using Plan = PackChunk::Plan;

    /// Folds half of the content in place.
    template <class Warp>
    static FLOE_DEVICE void measure(Warp& warp, std::uint8_t* region, unsigned half,
                                    unsigned /*dimensionality*/, Share& share) {
      std::uint8_t* const content = region + content_offset;
      const Register before = half == 0 ? Register{0} : load_aligned<Register>(content - sizeof(Register));
      const unsigned begin = half * subchunks / 2;
      Plan plan;
      measure_full(warp, content, begin, begin + subchunks / 2, before, plan);
      if (warp.lane() / (subchunks / 2) == half)
        share.width[warp.lane() % (subchunks / 2)] = static_cast<std::uint8_t>(plan.width);
      if (warp.lane() == 0) share.folded = plan.folded;
    }

    /// What both halves make: the payload's size, or stored_raw.
    template <class Warp>
    static FLOE_DEVICE std::uint32_t join(Warp& warp, const Share (&share)[2], Plan& plan) {
      plan.width = share[warp.lane() / (subchunks / 2)].width[warp.lane() % (subchunks / 2)];
      plan.folded = share[0].folded | share[1].folded;
      const std::uint32_t stored = stored_size(add_up(warp, core::chunk_bytes, plan), core::chunk_bytes);
      plan.second = header_bytes + warp.shuffle(plan.before, subchunks / 2) / 8;
      return stored;
    }

    /// Writes a half's bytes of the payload, which begins at `payload`, or would.
    template <class Warp>
    static FLOE_DEVICE void write(Warp& warp, std::uint8_t* payload, std::uint8_t* region, unsigned half,
                                  const Plan& plan) {
      if (half == 0) {
        write_header(warp, payload, core::chunk_bytes, plan);
        warp.sync();
      }
      const unsigned begin = half * subchunks / 2;
      write_full(warp, payload, region + content_offset, begin, begin + subchunks / 2, plan);
    }
  };

  /// Decodes the payload at the front of `buffer`. If it is damaged, false; the sink may have got some bytes.
  template <class Warp, class Sink>
  static FLOE_DEVICE bool decode(Warp& warp, std::uint8_t* buffer, std::uint32_t stored_bytes,
                                 std::uint32_t chunk_bytes, unsigned /*dimensionality*/, const Sink& sink) {
    if (stored_bytes < header_bytes || load_aligned<std::uint16_t>(buffer + 4) != chunk_bytes) return false;
    Plan plan;
    plan.folded = load_aligned<std::uint32_t>(buffer);
    plan.width = read_bits<std::uint16_t>(buffer, 48 + field_bits * warp.lane(), field_bits);
    if (warp.ballot(plan.width > core::word_bits<W>) != 0) return false;
    if (add_up(warp, chunk_bytes, plan) != stored_bytes) return false;
    if (chunk_bytes == core::chunk_bytes) {
      decode_full(warp, buffer, plan, sink);
    } else {
      decode_any(warp, buffer, stored_bytes, chunk_bytes, plan, sink);
    }
    return true;
  }

 private:
  static FLOE_DEVICE std::uint32_t subchunk_begin(std::uint32_t words, unsigned subchunk) {
    return words * subchunk / subchunks;
  }
  /// Fills in what follows from the widths. Returns the payload's size.
  template <class Warp>
  static FLOE_DEVICE std::uint32_t add_up(Warp& warp, std::uint32_t chunk_bytes, Plan& plan) {
    const std::uint32_t words = chunk_bytes / word_bytes;
    const std::uint32_t mine =
        plan.width * (subchunk_begin(words, warp.lane() + 1) - subchunk_begin(words, warp.lane()));
    const std::uint32_t inclusive = inclusive_scan(warp, mine);
    plan.before = inclusive - mine;
    plan.bits = warp.shuffle(inclusive, 31);
    return plan.payload = header_bytes + (plan.bits + 7) / 8 + chunk_bytes % word_bytes;
  }
  static FLOE_DEVICE std::uint32_t stored_size(std::uint32_t payload, std::uint32_t chunk_bytes) {
    return payload >= chunk_bytes ? stored_raw : payload;
  }

  template <class Warp>
  static FLOE_DEVICE void find_widths(Warp& warp, std::uint8_t* content, std::uint32_t words, Plan& plan) {
    if (words == subchunks * warp_lanes * lane_words)
      return measure_full(warp, content, 0, subchunks, 0, plan);
    measure_any(warp, content, words, plan);
  }

  // ---- full chunks ----

  /// Sub-chunks that are worked on side by side.
  static constexpr unsigned batch = 4;

  /// Sub-chunks [begin, end), the first of which lies at `content`, behind a word `before`.
  template <class Warp>
  static FLOE_DEVICE void measure_full(Warp& warp, std::uint8_t* content, unsigned begin, unsigned end,
                                       Register before, Plan& plan) {
    Register carry = before;
    FLOE_NO_UNROLL
    for (unsigned first = begin; first < end; first += batch) {
      std::uint8_t* const at = content + 512 * (first - begin) + 16 * warp.lane();
      Row v[batch];
      unsigned width[batch], widest_of_all = 0;
      FLOE_UNROLL
      for (unsigned b = 0; b < batch; ++b) v[b] = load_aligned<Row>(at + 512 * b);
      FLOE_UNROLL
      for (unsigned b = 0; b < batch; ++b) {
        const Register last = v[b].word[Row::size - 1];
        Rows::subtract(v[b], word_before(warp, last, carry));
        Register any = 0;
        FLOE_UNROLL
        for (const Register words : v[b].word) any |= words;
        width[b] = widest(warp, any);
        widest_of_all = width[b] > widest_of_all ? width[b] : widest_of_all;
      }
      if (widest_of_all == core::word_bits<W>) {
        for (unsigned b = 0; b < batch; ++b) {
          if (width[b] == core::word_bits<W> && fold_if_smaller(warp, v[b], width[b]))
            plan.folded |= 1u << (first + b);
        }
      }
      FLOE_UNROLL
      for (unsigned b = 0; b < batch; ++b) {
        if (warp.lane() == first + b) plan.width = width[b];
        store_aligned(at + 512 * b, v[b]);
      }
    }
    warp.sync();
  }

  /// The bit length of the or of all lanes.
  template <class Warp>
  static FLOE_DEVICE unsigned widest(Warp& warp, Register any) {
    if constexpr (sizeof(W) == 8) {
      const std::uint32_t high = warp.reduce_or(high_half(any)), low = warp.reduce_or(low_half(any));
      return high != 0 ? 32 + core::bit_length(high) : core::bit_length(low);
    } else {
      std::uint32_t all = warp.reduce_or(any);
      if constexpr (sizeof(W) <= 2) all |= all >> 16;
      if constexpr (sizeof(W) == 1) all |= all >> 8;
      return core::bit_length(static_cast<W>(all));
    }
  }

  template <class Warp>
  static FLOE_DEVICE W largest(Warp& warp, W mine) {
    if constexpr (sizeof(W) == 8) {
      const std::uint32_t high = warp.reduce_max(high_half(mine));
      const std::uint32_t low = warp.reduce_max(high_half(mine) == high ? low_half(mine) : 0);
      return static_cast<W>(high) << 32 | low;
    } else {
      return static_cast<W>(warp.reduce_max(std::uint32_t{mine}));
    }
  }

  /// For a sub-chunk whose largest word has its top bit set: only then can folding make it smaller.
  template <class Warp>
  static FLOE_DEVICE bool fold_if_smaller(Warp& warp, Row& v, unsigned& width) {
    const Row folded = Rows::fold(v);
    const W max = largest(warp, Rows::largest(v)), max_folded = largest(warp, Rows::largest(folded));
    if (max_folded >= max) return false;
    v = folded;
    width = core::bit_length(max_folded);
    return true;
  }

  /// Sub-chunks [begin, end), the first of which lies at `content`, to their places in the payload.
  template <class Warp>
  static FLOE_DEVICE void write_full(Warp& warp, std::uint8_t* payload, const std::uint8_t* content,
                                     unsigned begin, unsigned end, const Plan& plan) {
    FLOE_NO_UNROLL
    for (unsigned first = begin; first < end; first += batch) {
      const std::uint8_t* const at = content + 512 * (first - begin) + 16 * warp.lane();
      Row v[batch];
      unsigned width[batch];
      std::uint8_t* stream[batch];
      unsigned narrowest = core::word_bits<W>;
      FLOE_UNROLL
      for (unsigned b = 0; b < batch; ++b) {
        v[b] = load_aligned<Row>(at + 512 * b);
        width[b] = warp.shuffle(plan.width, first + b);
        stream[b] = payload + (header_bytes - 2) + warp.shuffle(plan.before, first + b) / 8;
        narrowest = width[b] < narrowest ? width[b] : narrowest;
      }
      warp.sync();  // all lanes have read what is overwritten now, and written what is extended
      if (lane_words * narrowest >= 32) {
        LaneBits bits[batch];
        FLOE_UNROLL
        for (unsigned b = 0; b < batch; ++b) {
          bits[b] = Rows::join(v[b], width[b]);
          write_lane_bits(warp, stream[b], bits[b], lane_words * width[b]);
        }
        warp.sync();
        FLOE_UNROLL
        for (unsigned b = 0; b < batch; ++b) write_first_bits(warp, stream[b], bits[b]);
      } else {
        for (unsigned b = 0; b < batch; ++b) {
          if (width[b] != 0) write_subchunk(warp, stream[b], v[b], width[b]);
          warp.sync();
        }
      }
    }
    warp.sync();
  }

  template <class Warp>
  static FLOE_DEVICE void write_subchunk(Warp& warp, std::uint8_t* stream, const Row& v, unsigned width) {
    const unsigned lane_bits = lane_words * width;
    const LaneBits bits = Rows::join(v, width);
    if (lane_bits < 32) {
      write_few_lane_bits(warp, stream, bits.word[0], lane_bits);
      return;
    }
    write_lane_bits(warp, stream, bits, lane_bits);
    warp.sync();
    write_first_bits(warp, stream, bits);
  }

  template <class Warp, class Sink>
  static FLOE_DEVICE void decode_full(Warp& warp, const std::uint8_t* buffer, const Plan& plan,
                                      const Sink& sink) {
    Register carry = 0;
    FLOE_NO_UNROLL
    for (unsigned first = 0; first < subchunks; first += batch) {
      Row v[batch];
      FLOE_UNROLL
      for (unsigned b = 0; b < batch; ++b) {
        const unsigned width = warp.shuffle(plan.width, first + b);
        const std::uint8_t* const stream =
            buffer + (header_bytes - 2) + warp.shuffle(plan.before, first + b) / 8;
        Rows::split(read_lane_bits(warp, stream, lane_words * width), width, v[b]);
      }
      if ((plan.folded >> first & core::low_mask<std::uint32_t>(batch)) != 0) {
        FLOE_UNROLL
        for (unsigned b = 0; b < batch; ++b) {
          const Row unfolded = Rows::unfold(v[b]);
          FLOE_UNROLL
          for (unsigned i = 0; i < Row::size; ++i)
            v[b].word[i] = (plan.folded >> (first + b) & 1) != 0 ? unfolded.word[i] : v[b].word[i];
        }
      }
      put_sums<W>(warp, v, first, carry, sink);
    }
  }

  // ---- any chunk ----

  template <class Warp>
  static FLOE_DEVICE void measure_any(Warp& warp, std::uint8_t* content, std::uint32_t words, Plan& plan) {
    W carry = 0;
    for (std::uint32_t base = 0; base < words; base += warp_lanes) {
      const std::uint32_t i = base + warp.lane();
      const W word = i < words ? load_aligned<W>(content + sizeof(W) * i) : W{0};
      const W previous = word_before(warp, word, carry);
      if (i < words)
        store_aligned(content + sizeof(W) * i, core::zigzag(stages::Delta::residual(word, previous)));
    }
    warp.sync();
    W max = 0, max_folded = 0;  // of the sub-chunk with this lane's number
    for (std::uint32_t i = subchunk_begin(words, warp.lane()); i < subchunk_begin(words, warp.lane() + 1);
         ++i) {
      const W word = load_aligned<W>(content + sizeof(W) * i), folded = stages::BitPack::fold(word);
      max = word > max ? word : max;
      max_folded = folded > max_folded ? folded : max_folded;
    }
    plan.folded = warp.ballot(max_folded < max);
    plan.width = core::bit_length(max_folded < max ? max_folded : max);
  }

  template <class Warp>
  static FLOE_DEVICE void write_any(Warp& warp, std::uint8_t* buffer, std::uint32_t chunk_bytes,
                                    const Plan& plan) {
    const std::uint8_t* const content = buffer + content_offset;
    const std::uint32_t words = chunk_bytes / word_bytes, tail_bytes = chunk_bytes % word_bytes;
    const std::uint8_t tail =
        warp.lane() < tail_bytes ? content[sizeof(W) * words + warp.lane()] : std::uint8_t{0};
    for (unsigned s = 0; s < subchunks; ++s) {
      const std::uint32_t begin = subchunk_begin(words, s), count = subchunk_begin(words, s + 1) - begin;
      const unsigned width = warp.shuffle(plan.width, s);
      const std::uint32_t first = 8 * header_bytes + warp.shuffle(plan.before, s),
                          end = first + count * width;
      constexpr unsigned max_words = core::chunk_bytes / sizeof(W) / subchunks / warp_lanes;
      W word[max_words];
      FLOE_UNROLL
      for (unsigned k = 0; k < max_words; ++k) {
        const std::uint32_t i = warp.lane() + warp_lanes * k;
        word[k] = i < count ? load_aligned<W>(content + sizeof(W) * (begin + i)) : W{0};
        if ((plan.folded >> s & 1) != 0) word[k] = stages::BitPack::fold(word[k]);
      }
      warp.sync();
      for (std::uint32_t i = (first + 31) / 32 + warp.lane(); i < (end + 31) / 32; i += warp_lanes)
        store_aligned(buffer + 4 * i, std::uint32_t{0});
      warp.sync();
      FLOE_UNROLL
      for (unsigned k = 0; k < max_words; ++k) {
        const std::uint32_t i = warp.lane() + warp_lanes * k;
        if (i < count) or_bits(warp, buffer, first + i * width, width, word[k]);
      }
      warp.sync();
    }
    if (warp.lane() < tail_bytes) buffer[plan.payload - tail_bytes + warp.lane()] = tail;
    warp.sync();
  }

  template <class Warp, class Sink>
  static FLOE_DEVICE void decode_any(Warp& warp, const std::uint8_t* buffer, std::uint32_t stored_bytes,
                                     std::uint32_t chunk_bytes, const Plan& plan, const Sink& sink) {
    const std::uint32_t words = chunk_bytes / word_bytes, tail_bytes = chunk_bytes % word_bytes;
    W carry = 0;
    for (unsigned s = 0; s < subchunks; ++s) {
      const std::uint32_t begin = subchunk_begin(words, s), end = subchunk_begin(words, s + 1);
      const unsigned width = warp.shuffle(plan.width, s);
      const std::uint32_t first = 8 * header_bytes + warp.shuffle(plan.before, s);
      for (std::uint32_t base = begin; base < end; base += warp_lanes) {
        const std::uint32_t i = base + warp.lane();
        W word = i < end ? read_bits<W>(buffer, first + (i - begin) * width, width) : W{0};
        if ((plan.folded >> s & 1) != 0) word = stages::BitPack::unfold(word);
        const W inclusive = inclusive_scan(warp, core::unzigzag(word));
        if (i < end) sink.put_word(i, stages::Delta::combine(inclusive, carry));
        carry = static_cast<W>(carry + warp.shuffle(inclusive, 31));
      }
    }
    if (warp.lane() < tail_bytes)
      sink.put_byte(static_cast<std::uint32_t>(sizeof(W)) * words + warp.lane(),
                    buffer[stored_bytes - tail_bytes + warp.lane()]);
  }

  /// The header, and zeros up to the end of its last word.
  template <class Warp>
  static FLOE_DEVICE void write_header(Warp& warp, std::uint8_t* buffer, std::uint32_t chunk_bytes,
                                       const Plan& plan) {
    // Eight widths are a whole number of bytes.
    std::uint64_t fields = plan.width;
    FLOE_UNROLL
    for (unsigned lanes = 1; lanes < 8; lanes *= 2)
      fields |= warp.shuffle_down(fields, lanes) << (lanes * field_bits);
    if (warp.lane() % 8 == 0) {
      std::uint8_t* const to = buffer + 6 + warp.lane() / 8 * field_bits;
      for (unsigned i = 0; i < field_bits; ++i) to[i] = static_cast<std::uint8_t>(fields >> (8 * i));
    }
    if (warp.lane() == 0) {
      store_aligned(buffer, plan.folded);
      store_aligned(buffer + 4, static_cast<std::uint16_t>(chunk_bytes));
      store_aligned(buffer + header_bytes, std::uint16_t{0});
    }
  }
};

}  // namespace floe::gpu
