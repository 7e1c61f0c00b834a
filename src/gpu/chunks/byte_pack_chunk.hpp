// GFC on a warp: lane_delta and byte_pack (docs/format/stages/byte_pack.md), 16 bytes of 512 per lane.
#pragma once

#include "chunks/stages/stages.hpp"
#include "core/bits.hpp"
#include "core/chunk.hpp"
#include "gpu/chunks/shared_chunks.hpp"
#include "gpu/chunks/sink.hpp"
#include "gpu/warp/lane_bytes.hpp"

namespace floe::gpu {

template <core::Word W>
struct BytePackChunk {
  using Pack = stages::BytePack;
  static constexpr std::uint32_t word_bytes = sizeof(W);
  static constexpr std::uint32_t group_words = stages::lanes;
  static constexpr std::uint32_t group_bytes = group_words * sizeof(W);
  static constexpr std::uint32_t code_bytes = group_words / 2;
  static constexpr std::uint32_t max_groups = core::chunk_bytes / group_bytes;
  static constexpr unsigned lane_words = Vector<W>::size;
  static constexpr unsigned group_lanes = group_words / lane_words;
  static constexpr unsigned step_words = warp_lanes * lane_words;
  static constexpr unsigned step_groups = warp_lanes / group_lanes;

  /// Encoding happens in place. A payload cannot overtake the content, nor the group before, which predicts.
  static constexpr std::uint32_t content_offset = code_bytes * max_groups + group_bytes + zeroed_ahead;
  static constexpr std::uint32_t encode_bytes = content_offset + core::chunk_bytes;
  static constexpr std::uint32_t payload_offset = 0;
  static constexpr unsigned max_warps = 16;

  static constexpr std::uint32_t decode_bytes = core::chunk_bytes + 32;  ///< 20 bytes behind are read.
  static constexpr std::uint32_t payload_place(std::uint32_t /*padded_bytes*/) { return 0; }

  struct Plan {};

  /// Encodes in place and returns the payload's size, or stored_raw; then the content is lost.
  template <class Warp>
  static FLOE_DEVICE std::uint32_t measure(Warp& warp, std::uint8_t* buffer, std::uint32_t chunk_bytes,
                                           unsigned dimensionality, Plan&) {
    const std::uint32_t words = chunk_bytes / word_bytes, tail_bytes = chunk_bytes % word_bytes;
    const std::uint8_t* const content = buffer + content_offset;
    const std::uint8_t tail =
        warp.lane() < tail_bytes ? content[sizeof(W) * words + warp.lane()] : std::uint8_t{0};
    zero_bytes(warp, buffer, content_offset - group_bytes, content_offset);  // predicts the first group
    warp.sync();
    const std::uint32_t position =
        chunk_bytes == core::chunk_bytes
            ? encode_full(warp, buffer, content, dimensionality, words)
            : encode_words<false, false>(warp, buffer, content, dimensionality, words);
    warp.sync();
    if (position + tail_bytes >= chunk_bytes) return stored_raw;
    if (warp.lane() < tail_bytes) buffer[position + warp.lane()] = tail;
    return position + tail_bytes;
  }

  template <class Warp>
  static FLOE_DEVICE void write(Warp&, std::uint8_t*, std::uint32_t, const Plan&) {}

  /// A full chunk in halves (shared_chunks.hpp). The second warp moves its bytes when it knows where they
  /// belong.
  struct Halves {
    static constexpr std::uint32_t lead_bytes = group_bytes;
    static constexpr std::uint32_t first_place = 16;  ///< Of the second half's bytes, until they are moved.
    static constexpr std::uint32_t content_offset =
        first_place + code_bytes * max_groups / 2 + group_bytes + zeroed_ahead;
    static constexpr std::uint32_t region_bytes = content_offset + half_chunk_bytes;
    static constexpr unsigned max_pairs = 12;

    struct Share {
      std::uint32_t bytes;
    };
    struct Plan {
      std::uint32_t second;  ///< Where the bytes of the second half begin in the payload,
      std::uint32_t bytes;   ///< and how many they are.
    };

    template <class Warp>
    static FLOE_DEVICE void measure(Warp& warp, std::uint8_t* region, unsigned half, unsigned dimensionality,
                                    Share& share) {
      const std::uint8_t* const content = region + content_offset;
      if (half == 0)
        zero_bytes(warp, region, content_offset - group_bytes, content_offset);  // predicts the first group
      warp.sync();
      const std::uint32_t bytes = encode_full(warp, region + half * first_place, content, dimensionality,
                                              half_chunk_bytes / word_bytes);
      if (warp.lane() == 0) share.bytes = bytes;
      warp.sync();
    }

    template <class Warp>
    static FLOE_DEVICE std::uint32_t join(Warp&, const Share (&share)[2], Plan& plan) {
      plan.second = share[0].bytes;
      plan.bytes = share[1].bytes;
      return plan.second + plan.bytes < core::chunk_bytes ? plan.second + plan.bytes : stored_raw;
    }

    template <class Warp>
    static FLOE_DEVICE void write(Warp& warp, std::uint8_t* /*payload*/, std::uint8_t* region, unsigned half,
                                  const Plan& plan) {
      if (half == 0) return;
      const std::uint32_t to = plan.second % 16, distance = first_place - to,
                          words = (to + plan.bytes + 3) / 4;
      const std::uint8_t* const from = region + distance / 4 * 4;
      constexpr unsigned batch = 8;
      FLOE_NO_UNROLL
      for (std::uint32_t first = warp.lane(); first < words + warp.lane(); first += batch * warp_lanes) {
        std::uint32_t moved[batch];
        FLOE_UNROLL
        for (unsigned b = 0; b < batch; ++b) {
          const std::uint32_t i = first + b * warp_lanes < words ? first + b * warp_lanes : 0;
          moved[b] = funnel_right(word32(from, i), word32(from, i + 1), 8 * (distance % 4));
        }
        warp.sync();  // all lanes have read what is overwritten now: no byte moves back
        FLOE_UNROLL
        for (unsigned b = 0; b < batch; ++b) {
          if (first + b * warp_lanes < words) store_aligned(region + 4 * (first + b * warp_lanes), moved[b]);
        }
        warp.sync();
      }
    }
  };

  /// Decodes the payload at the front of `buffer`. If it is damaged, false; the sink may have got some bytes.
  template <class Warp, class Sink>
  static FLOE_DEVICE bool decode(Warp& warp, std::uint8_t* buffer, std::uint32_t stored_bytes,
                                 std::uint32_t chunk_bytes, unsigned dimensionality, const Sink& sink) {
    const std::uint32_t words = chunk_bytes / word_bytes, tail_bytes = chunk_bytes % word_bytes;
    const std::uint32_t groups = (words + group_words - 1) / group_words;
    Starts starts;
    const std::uint32_t end = find_groups(warp, buffer, groups, starts);
    if (end + tail_bytes != stored_bytes) return false;
    if (dimensionality == 1) {
      decode_steps(warp, buffer, groups, words, starts, sink);
    } else {
      decode_groups(warp, buffer, groups, words, dimensionality, starts, sink);
    }
    if (warp.lane() < tail_bytes)
      sink.put_byte(static_cast<std::uint32_t>(sizeof(W)) * words + warp.lane(), buffer[end + warp.lane()]);
    return true;
  }

 private:
  /// Where the words lie that predict those of this lane. `one`: dimensionality 1, where all have the same.
  template <bool one>
  struct Predictor {
    const std::uint8_t* source[lane_words];

    FLOE_DEVICE Predictor(const std::uint8_t* content, unsigned lane, unsigned dimensionality) {
      FLOE_UNROLL
      for (unsigned i = 0; i < lane_words; ++i) {
        const unsigned word = lane * lane_words % group_words + i;
        const unsigned from = stages::LaneDelta::source_lane(word, dimensionality);
        source[i] = content + lane / group_lanes * group_bytes + sizeof(W) * from - group_bytes;
      }
    }
    /// Of the step that begins at word `base`.
    FLOE_DEVICE Vector<W> words(std::uint32_t base) const {
      Vector<W> v;
      FLOE_UNROLL
      for (unsigned i = 0; i < lane_words; ++i)
        v.word[i] = one && i != 0 ? v.word[0] : load_aligned<W>(source[i] + sizeof(W) * base);
      return v;
    }
  };

  struct Encoded {
    LaneBytes bytes;
    std::uint32_t codes = 0;  ///< Of this lane's words, 4 bits each.
  };

  /// Whole groups.
  template <class Warp>
  static FLOE_DEVICE std::uint32_t encode_full(Warp& warp, std::uint8_t* out, const std::uint8_t* content,
                                               unsigned dimensionality, std::uint32_t words) {
    return dimensionality == 1 ? encode_words<true, true>(warp, out, content, 1, words)
                               : encode_words<true, false>(warp, out, content, dimensionality, words);
  }

  /// Encodes all words and returns where their groups end.
  template <bool full, bool one, class Warp>
  static FLOE_DEVICE std::uint32_t encode_words(Warp& warp, std::uint8_t* out, const std::uint8_t* content,
                                                unsigned dimensionality, std::uint32_t words) {
    const Predictor<one> predictor(content, warp.lane(), dimensionality);
    const unsigned group = warp.lane() / group_lanes, sub_lane = warp.lane() % group_lanes;
    std::uint32_t position = 0;
    constexpr unsigned steps = 2;  // at once
    FLOE_NO_UNROLL
    for (std::uint32_t base = 0; base < words; base += steps * step_words) {
      Encoded encoded[steps];
      std::uint32_t place[steps], end = position;
      std::uint32_t upto = 0;  // bytes up to this lane, of both steps side by side
      FLOE_UNROLL
      for (unsigned s = 0; s < steps; ++s) {
        if (full || base + s * step_words < words)
          encoded[s] = encode_lane<full>(content, predictor, base + s * step_words, words, warp.lane());
        upto += encoded[s].bytes.count << (16 * s);
      }
      upto = inclusive_scan(warp, upto);
      const std::uint32_t all = warp.shuffle(upto, warp_lanes - 1);
      FLOE_UNROLL
      for (unsigned s = 0; s < steps; ++s) {
        place[s] = end + (upto >> (16 * s) & 0xFFFF) - encoded[s].bytes.count;
        std::uint32_t groups = step_groups;
        if (!full) {
          const std::uint32_t left = words > base + s * step_words ? words - base - s * step_words : 0;
          groups = left < step_words ? (left + group_words - 1) / group_words : step_groups;
        }
        end += (all >> (16 * s) & 0xFFFF) + code_bytes * groups;
      }
      warp.sync();  // all lanes have read what is overwritten now
      constexpr std::uint32_t max_bytes = steps * step_groups * (group_bytes + code_bytes);
      zero_ahead<max_bytes>(warp, out, position, end);
      warp.sync();
      FLOE_UNROLL
      for (unsigned s = 0; s < steps; ++s) {
        // The codes of the step up to this group lie before this lane's bytes, and so do bytes of lanes
        // before.
        const std::uint32_t group_begin = warp.shuffle(place[s], group * group_lanes) + code_bytes * group;
        if (full || base + s * step_words + group * group_words < words) {
          or_few_bytes<lane_words / 2>(warp, out, group_begin + sub_lane * (lane_words / 2),
                                       encoded[s].codes);
          write_lane_bytes(warp, out, place[s] + code_bytes * (group + 1), encoded[s].bytes);
        }
      }
      position = end;
    }
    return position;
  }

  /// The bits of the bytes that are kept of a magnitude.
  static FLOE_DEVICE std::uint32_t payload_bits(std::uint32_t magnitude) {
    return (highest_bit(magnitude) + 8) & ~7u;
  }
  static FLOE_DEVICE std::uint32_t payload_bits(std::uint64_t magnitude) {
    const bool long_one = high_half(magnitude) != 0;
    const std::uint32_t bits =
        (highest_bit(long_one ? high_half(magnitude) : low_half(magnitude)) + (long_one ? 40 : 8)) & ~7u;
    return bits == 16 ? 24 : bits;
  }

  /// The lane's 16 bytes of the step at word `base`; words from `words` on count as residuals of 0.
  template <bool full, bool one>
  static FLOE_DEVICE Encoded encode_lane(const std::uint8_t* content, const Predictor<one>& predictor,
                                         std::uint32_t base, std::uint32_t words, unsigned lane) {
    Encoded encoded;
    const std::uint32_t first = base + lane * lane_words;
    const auto v = load_aligned<Vector<W>>(content + sizeof(W) * first), predicted = predictor.words(base);
    W magnitude[lane_words];
    std::uint32_t bits[lane_words], lengths = 0, signs = 0;
    FLOE_UNROLL
    for (unsigned i = 0; i < lane_words; ++i) {
      W residual = stages::LaneDelta::residual(v.word[i], predicted.word[i]);
      if (!full && first + i >= words) residual = 0;
      magnitude[i] = Pack::payload(residual);
      // As BytePack::code, for all words of the lane side by side.
      bits[i] = payload_bits(magnitude[i]);
      const std::uint32_t length_code = sizeof(W) == 8 && bits[i] > 8 ? bits[i] - 8 : bits[i];  // times 8
      lengths += length_code << (4 * i);
      signs |= static_cast<std::uint32_t>(residual >> (core::word_bits<W> - 4)) << (4 * i);
    }
    encoded.codes = (signs & 0x8888) | lengths / 8;
    if constexpr (sizeof(W) == 8) {
      encoded.bytes = join_bytes(magnitude[0], bits[0] / 8, magnitude[1], bits[1] / 8);
    } else {
      encoded.bytes = join_pieces(magnitude, bits);
    }
    return encoded;
  }

  /// Where groups begin: lane i has those of groups i, i + 32 and so on; 0 of groups that are not.
  struct Starts {
    static constexpr unsigned rows = max_groups / warp_lanes;
    std::uint32_t row[rows] = {};

    /// Makes the row of `group` the first one: for groups in their order.
    FLOE_DEVICE void go_to(std::uint32_t group) {
      if (group % warp_lanes != 0 || group == 0) return;
      FLOE_UNROLL
      for (unsigned r = 0; r + 1 < rows; ++r) row[r] = row[r + 1];
    }
  };

  /// The numbers of payload bytes of up to four codes, a byte each.
  static FLOE_DEVICE std::uint32_t counts_of(std::uint32_t codes, std::uint32_t low) {
    constexpr auto count = [](unsigned code) { return Pack::template payload_bytes<W>(code); };
    constexpr std::uint32_t high = count(4) | count(5) << 8 | count(6) << 16 | count(7) << 24;
    return permute_bytes(low, high, codes & 0x7777);
  }
  /// What counts_of needs besides.
  static FLOE_DEVICE std::uint32_t low_counts() {
    constexpr auto count = [](unsigned code) { return Pack::template payload_bytes<W>(code); };
    static_assert(count(0) == 0);
    return in_register(count(1) << 8 | count(2) << 16 | count(3) << 24);
  }

  /// Finds where groups begin and returns where the last one ends, beyond the payload if it is too short.
  template <class Warp>
  static FLOE_DEVICE std::uint32_t find_groups(Warp& warp, const std::uint8_t* buffer, std::uint32_t groups,
                                               Starts& starts) {
    // Each lane looks at one code of a group. Codes of odd lanes are counted in the second byte.
    static_assert(group_words / 2 * sizeof(W) < 256);
    const std::uint32_t own_code = warp.lane() % 2 == 0 ? 0x07 : 0x70, low = low_counts();
    std::uint32_t position = 0;
    FLOE_UNROLL
    for (unsigned row = 0; row < Starts::rows; ++row) {
      const std::uint32_t left = groups > row * warp_lanes ? groups - row * warp_lanes : 0,
                          count = left < warp_lanes ? left : warp_lanes;
      FLOE_UNROLL_BY(4)
      for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t at =
            position < core::chunk_bytes ? position : static_cast<std::uint32_t>(core::chunk_bytes);
        if (warp.lane() == i) starts.row[row] = at;
        position = sum_bytes(warp.reduce_add(counts_of(buffer[at + warp.lane() / 2] & own_code, low)),
                             position + code_bytes);
      }
    }
    return position;
  }

  /// The words of a lane, whose bytes lie one behind the other from `from` on. Reads up to 20 bytes.
  static FLOE_DEVICE Vector<W> read_lane(const std::uint8_t* buffer, std::uint32_t from, std::uint32_t codes,
                                         std::uint32_t counts) {
    const std::uint8_t* const words = buffer + from / 4 * 4;
    std::uint32_t x[5];
    FLOE_UNROLL
    for (unsigned i = 0; i < 5; ++i) x[i] = word32(words, i);
    FLOE_UNROLL
    for (unsigned i = 0; i < 4; ++i) x[i] = funnel_right(x[i], x[i + 1], 8 * from);
    Vector<W> v;
    FLOE_UNROLL
    for (unsigned i = 0; i < lane_words; ++i) {
      const unsigned bits = 8 * counts >> (8 * i) & 255;
      v.word[i] = Pack::word(codes >> (4 * i), first_word(x, bits));
      drop_bits(x, lane_words - 1 - i, bits);
    }
    return v;
  }

  /// The first `count` bits of the bytes in x, as a word.
  static FLOE_DEVICE W first_word(const std::uint32_t (&x)[5], unsigned count) {
    W word = low_bits(x[0], count);
    if constexpr (sizeof(W) == 8) word |= static_cast<W>(low_bits(x[1], count > 32 ? count - 32 : 0)) << 32;
    return word;
  }

  /// Moves the bytes of `words` words, which lie behind the first `count` bits, to the front of x.
  static FLOE_DEVICE void drop_bits(std::uint32_t (&x)[5], unsigned words, unsigned count) {
    const unsigned parts = words * (word_bytes / 4);  // that move
    if (sizeof(W) == 8) {
      const bool far = count >= 32;
      FLOE_UNROLL
      for (unsigned i = 0; i < 3; ++i) x[i] = far ? x[i + 1] : x[i];
      count = far ? count - 32 : count;
    }
    FLOE_UNROLL
    for (unsigned i = 0; i < parts; ++i) x[i] = funnel_right_upto_32(x[i], x[i + 1], count);
  }

  /// Dimensionality 1: the last word of a group is the sum of the last residuals up to it.
  template <class Warp, class Sink>
  static FLOE_DEVICE void decode_steps(Warp& warp, const std::uint8_t* buffer, std::uint32_t groups,
                                       std::uint32_t words, Starts starts, const Sink& sink) {
    const unsigned sub_lane = warp.lane() % group_lanes;
    constexpr unsigned steps = 4;  // at once
    const std::uint32_t low = low_counts();
    W carry = 0;
    FLOE_NO_UNROLL
    for (std::uint32_t base = 0; base < groups; base += steps * step_groups) {
      Vector<W> v[steps];
      std::uint32_t codes[steps], counts[steps], from[steps];
      // Bytes of the lanes before in the group, of all steps side by side: none has more than 240.
      static_assert(steps == 4 && (group_lanes - 1) * 16 < 256);
      std::uint32_t own = 0;
      starts.go_to(base);
      FLOE_UNROLL
      for (unsigned s = 0; s < steps; ++s) {
        from[s] =
            warp.shuffle(starts.row[0], (base + s * step_groups + warp.lane() / group_lanes) % warp_lanes);
        codes[s] = buffer[from[s] + sub_lane * lane_words / 2];
        if (lane_words == 4) codes[s] |= static_cast<std::uint32_t>(buffer[from[s] + sub_lane * 2 + 1]) << 8;
        counts[s] = counts_of(codes[s], low);
        own += sum_bytes(counts[s], 0) << (8 * s);
      }
      std::uint32_t before_lane = own;
      FLOE_UNROLL
      for (unsigned distance = 1; distance < group_lanes; distance *= 2) {
        const std::uint32_t before = warp.shuffle_up(before_lane, distance);
        if (sub_lane >= distance) before_lane += before;
      }
      before_lane -= own;
      FLOE_UNROLL
      for (unsigned s = 0; s < steps; ++s)
        v[s] = read_lane(buffer, from[s] + code_bytes + (before_lane >> (8 * s) & 255), codes[s], counts[s]);
      FLOE_UNROLL
      for (unsigned s = 0; s < steps; ++s) {
        W before = carry;
        FLOE_UNROLL
        for (unsigned g = 0; g < step_groups; ++g) {
          const W last = warp.shuffle(v[s].word[lane_words - 1], g * group_lanes + group_lanes - 1);
          if (warp.lane() / group_lanes > g) before = stages::LaneDelta::combine(last, before);
          carry = stages::LaneDelta::combine(last, carry);
        }
        FLOE_UNROLL
        for (unsigned i = 0; i < lane_words; ++i)
          v[s].word[i] = stages::LaneDelta::combine(v[s].word[i], before);
        put_lane(sink, (base + s * step_groups) * group_words + warp.lane() * lane_words, words, v[s]);
      }
    }
  }

  template <class Sink>
  static FLOE_DEVICE void put_lane(const Sink& sink, std::uint32_t first, std::uint32_t words,
                                   const Vector<W>& v) {
    if (first + lane_words <= words) {
      sink.put_vector(static_cast<std::uint32_t>(sizeof(W)) * first, v);
      return;
    }
    for (unsigned i = 0; i < lane_words; ++i) {
      if (first + i < words) sink.put_word(first + i, v.word[i]);
    }
  }

  /// Any dimensionality: group by group, a word per lane.
  template <class Warp, class Sink>
  static FLOE_DEVICE void decode_groups(Warp& warp, const std::uint8_t* buffer, std::uint32_t groups,
                                        std::uint32_t words, unsigned dimensionality, Starts starts,
                                        const Sink& sink) {
    const unsigned source = stages::LaneDelta::source_lane(warp.lane(), dimensionality);
    W before = 0;
    FLOE_UNROLL_BY(4)
    for (std::uint32_t group = 0; group < groups; ++group) {
      starts.go_to(group);
      const std::uint32_t start = warp.shuffle(starts.row[0], group % warp_lanes);
      const unsigned code = buffer[start + warp.lane() / 2] >> (warp.lane() % 2 * 4) & 15;
      const std::uint32_t bytes = Pack::template payload_bytes<W>(code);
      const std::uint32_t from = start + code_bytes + inclusive_scan(warp, bytes) - bytes;
      const W predicted = group == 0 ? W{0} : warp.shuffle(before, source);
      const W residual =
          Pack::word(code, static_cast<W>(read_word<W>(buffer, from) & core::low_mask<W>(8 * bytes)));
      before = stages::LaneDelta::combine(residual, predicted);
      const std::uint32_t i = group * group_words + warp.lane();
      if (i < words) sink.put_word(i, before);
    }
  }
};

}  // namespace floe::gpu
