// The speed codecs on a warp: delta, zig-zag and bit_pack, or offset_pack, in one go. In a full chunk a
// sub-chunk is a row of 16 bytes for each lane; other chunks go word by word.
#pragma once

#include "gpu/chunks/pack_any.hpp"
#include "gpu/chunks/shared_chunks.hpp"

namespace floe::gpu {

template <core::Word W>
struct PackChunk : private PackAny<W> {
  using Payload = PackPayload<W>;
  using Payload::header_bytes;
  using Payload::narrow;
  using Payload::subchunks;
  using Payload::word_bytes;
  using typename Payload::Plan;
  using Rows = WordRows<W>;
  using Row = typename Rows::Row;
  using Register = typename Rows::Register;
  static constexpr unsigned lane_words = Rows::lane_words;  ///< Of a sub-chunk of a full chunk.

  /// Encoding happens in place: the payload grows behind the content, which it cannot overtake.
  static constexpr std::uint32_t content_offset = 48;
  static constexpr std::uint32_t encode_bytes = content_offset + core::chunk_bytes;
  static constexpr std::uint32_t payload_offset = 0;
  static constexpr std::uint32_t decode_bytes = core::chunk_bytes + 32;  ///< 20 bytes behind are read.
  static constexpr std::uint32_t payload_begin(std::uint32_t /*padded_bytes*/) { return 0; }
  static constexpr unsigned max_warps = 16;

  /// Folds the content in place and returns the payload's size, or stored_raw; then the content is lost.
  template <class Warp>
  static FLOE_DEVICE std::uint32_t measure(Warp& warp, std::uint8_t* buffer, std::uint32_t chunk_bytes,
                                           unsigned /*dimensionality*/, Plan& plan) {
    std::uint8_t* const content = buffer + content_offset;
    find_widths(warp, content, chunk_bytes / word_bytes, plan);
    return stored_size(Payload::add_up(warp, chunk_bytes, plan), chunk_bytes);
  }

  template <class Warp>
  static FLOE_DEVICE void write(Warp& warp, std::uint8_t* buffer, std::uint32_t chunk_bytes,
                                const Plan& plan) {
    Payload::write_header(warp, buffer, chunk_bytes, plan);
    warp.sync();
    std::uint8_t* const content = buffer + content_offset;
    if (chunk_bytes != core::chunk_bytes)
      return PackChunk::write_any(warp, buffer, content, chunk_bytes, plan);
    write_full(warp, buffer, content, 0, subchunks, plan);
    Payload::write_bases(warp, buffer, plan);
  }

  /// A full chunk in halves, for a pair of warps (shared_chunks.hpp).
  struct Halves {
    static constexpr std::uint32_t lead_bytes = 16;  ///< For the word before.
    static constexpr std::uint32_t content_offset = 48;
    static constexpr std::uint32_t region_bytes = content_offset + half_chunk_bytes;
    static constexpr unsigned max_pairs = 12;

    /// The widths of a half's sub-chunks, and how they are packed.
    struct Share {
      std::uint8_t width[subchunks / 2];
      std::uint32_t folded, offsets;
      W base[narrow ? subchunks / 2 : 1];
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
      if (warp.lane() / (subchunks / 2) == half) {
        share.width[warp.lane() % (subchunks / 2)] = static_cast<std::uint8_t>(plan.width);
        if constexpr (narrow) share.base[warp.lane() % (subchunks / 2)] = plan.base;
      }
      if (warp.lane() == 0) {
        share.folded = plan.folded;
        share.offsets = plan.offsets;
      }
    }

    /// What both halves make: the payload's size, or stored_raw.
    template <class Warp>
    static FLOE_DEVICE std::uint32_t join(Warp& warp, const Share (&share)[2], Plan& plan) {
      const Share& own = share[warp.lane() / (subchunks / 2)];
      plan.width = own.width[warp.lane() % (subchunks / 2)];
      plan.folded = share[0].folded | share[1].folded;
      if constexpr (narrow) {
        plan.base = own.base[warp.lane() % (subchunks / 2)];
        plan.offsets = share[0].offsets | share[1].offsets;
      }
      const std::uint32_t stored =
          stored_size(Payload::add_up(warp, core::chunk_bytes, plan), core::chunk_bytes);
      plan.second = header_bytes + warp.shuffle(plan.before, subchunks / 2) / 8;
      return stored;
    }

    /// Writes a half's bytes of the payload, which begins at `payload`, or would.
    template <class Warp>
    static FLOE_DEVICE void write(Warp& warp, std::uint8_t* payload, std::uint8_t* region, unsigned half,
                                  const Plan& plan) {
      if (half == 0) {
        Payload::write_header(warp, payload, core::chunk_bytes, plan);
        warp.sync();
      }
      const unsigned begin = half * subchunks / 2;
      write_full(warp, payload, region + content_offset, begin, begin + subchunks / 2, plan);
      if (half == 1) Payload::write_bases(warp, payload, plan);
    }
  };

  /// Decodes the payload at the front of `buffer`. If it is damaged, false; the sink may have got some bytes.
  template <class Warp, class Sink>
  static FLOE_DEVICE bool decode(Warp& warp, std::uint8_t* buffer, std::uint32_t stored_bytes,
                                 std::uint32_t chunk_bytes, unsigned /*dimensionality*/, const Sink& sink) {
    Plan plan;
    if (!Payload::read(warp, buffer, stored_bytes, chunk_bytes, plan)) return false;
    if (chunk_bytes == core::chunk_bytes) {
      decode_full(warp, buffer, plan, sink);
    } else {
      PackChunk::decode_any(warp, buffer, stored_bytes, chunk_bytes, plan, sink);
    }
    return true;
  }

 private:
  static FLOE_DEVICE std::uint32_t stored_size(std::uint32_t payload, std::uint32_t chunk_bytes) {
    return payload >= chunk_bytes ? stored_raw : payload;
  }

  template <class Warp>
  static FLOE_DEVICE void find_widths(Warp& warp, std::uint8_t* content, std::uint32_t words, Plan& plan) {
    if (words == subchunks * warp_lanes * lane_words)
      return measure_full(warp, content, 0, subchunks, 0, plan);
    PackChunk::measure_any(warp, content, words, plan);
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
        width[b] = widest(warp, Rows::any(v[b]));
        widest_of_all = width[b] > widest_of_all ? width[b] : widest_of_all;
      }
      if constexpr (narrow) {
        if (widest_of_all > stages::OffsetPack::enough_bits<W>) {
          for (unsigned b = 0; b < batch; ++b)
            choose_mapping(warp, load_aligned<Row>(at + 512 * b), first + b, v[b], width[b], plan);
        }
      } else if (widest_of_all == core::word_bits<W>) {
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

  /// OffsetPack's choice for a sub-chunk of `words`; `v` are its residuals.
  template <class Warp>
  static FLOE_DEVICE void choose_mapping(Warp& warp, Row words, unsigned subchunk, Row& v, unsigned& width,
                                         Plan& plan) {
    if (width <= stages::OffsetPack::enough_bits<W>) return;
    const unsigned plain = width;
    const Row folded = Rows::fold(v);
    if (plain == core::word_bits<W>) width = widest(warp, Rows::any(folded));
    Rows::order(words);
    W largest, complement;
    Rows::range(words, largest, complement);
    largest = static_cast<W>(warp.reduce_max(std::uint32_t{largest}));
    complement = static_cast<W>(warp.reduce_max(std::uint32_t{complement}));
    const W base = largest == 0 ? W{0} : static_cast<W>(~complement);
    const unsigned range = core::bit_length(static_cast<W>(largest - base)), offset = range == 0 ? 1 : range;
    if (offset < width) {
      Rows::subtract_base(words, base);
      v = words;
      width = offset;
      plan.offsets |= 1u << subchunk;
      if (warp.lane() == subchunk) plan.base = base;
    } else if (width < plain) {
      v = folded;
      plan.folded |= 1u << subchunk;
    }
  }

  /// The bit length of the or of all lanes.
  template <class Warp>
  static FLOE_DEVICE unsigned widest(Warp& warp, Register any) {
    if constexpr (sizeof(W) == 8) {
      const std::uint32_t high = warp.reduce_or(high_half(any)), low = warp.reduce_or(low_half(any));
      return high != 0 ? 32 + core::bit_length(high) : core::bit_length(low);
    } else {
      const std::uint32_t all = warp.reduce_or(any);
      if constexpr (narrow) return core::bit_length(NarrowWords<W>::any(all));
      return core::bit_length(all);
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

  /// Sub-chunks [begin, end), the first of which lies at `content`, to their positions in the payload.
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
            v[b].word[i] = plan.is_folded(first + b) ? unfolded.word[i] : v[b].word[i];
        }
      }
      if (narrow && (plan.offsets >> first & core::low_mask<std::uint32_t>(batch)) != 0) {
        FLOE_UNROLL
        for (unsigned b = 0; b < batch; ++b) put_row(warp, v[b], first + b, plan, carry, sink);
      } else {
        put_sums<W>(warp, v, first, carry, sink);
      }
    }
  }

  /// Puts a sub-chunk, of offsets or not.
  template <class Warp, class Sink>
  static FLOE_DEVICE void put_row(Warp& warp, const Row& v, unsigned subchunk, const Plan& plan,
                                  Register& carry, const Sink& sink) {
    Row row[1] = {v};
    if constexpr (narrow) {
      if (plan.has_offsets(subchunk)) {
        Rows::add_base(row[0], static_cast<W>(warp.shuffle(plan.base, subchunk)));
        carry = warp.shuffle(NarrowWords<W>::last(row[0].word[Row::size - 1]), warp_lanes - 1);
        sink.put_vector(512 * subchunk + 16 * warp.lane(), row[0]);
        return;
      }
    }
    put_sums<W>(warp, row, subchunk, carry, sink);
  }
};

}  // namespace floe::gpu
