// GFC decoded by a warp: where groups begin, the bytes of words, and the sums of residuals.
#pragma once

#include "core/bits.hpp"
#include "gpu/chunks/byte_pack_layout.hpp"
#include "gpu/chunks/sink.hpp"
#include "gpu/warp/lane_bytes.hpp"

namespace floe::gpu {

template <core::Word W>
struct BytePackDecoder : BytePackLayout<W> {
  using Layout = BytePackLayout<W>;
  using Layout::word_bytes, Layout::group_words, Layout::code_bytes, Layout::max_groups, Layout::lane_words,
      Layout::group_lanes, Layout::step_groups;

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
  using Pack = stages::BytePack;

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
