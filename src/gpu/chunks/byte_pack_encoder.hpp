// GFC encoded by a warp: residuals to the group before, and their bytes and codes, in place.
#pragma once

#include "core/bits.hpp"
#include "gpu/chunks/byte_pack_layout.hpp"
#include "gpu/warp/lane_bytes.hpp"

namespace floe::gpu {

template <core::Word W>
struct BytePackEncoder : BytePackLayout<W> {
  using Layout = BytePackLayout<W>;
  using Layout::group_words, Layout::group_bytes, Layout::code_bytes, Layout::lane_words, Layout::group_lanes,
      Layout::step_words, Layout::step_groups;

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
      std::uint32_t begin[steps], end = position;
      std::uint32_t inclusive = 0;  // bytes up to this lane, of both steps side by side
      FLOE_UNROLL
      for (unsigned s = 0; s < steps; ++s) {
        if (full || base + s * step_words < words)
          encoded[s] = encode_lane<full>(content, predictor, base + s * step_words, words, warp.lane());
        inclusive += encoded[s].bytes.count << (16 * s);
      }
      inclusive = inclusive_scan(warp, inclusive);
      const std::uint32_t all = warp.shuffle(inclusive, warp_lanes - 1);
      FLOE_UNROLL
      for (unsigned s = 0; s < steps; ++s) {
        begin[s] = end + (inclusive >> (16 * s) & 0xFFFF) - encoded[s].bytes.count;
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
        const std::uint32_t group_begin = warp.shuffle(begin[s], group * group_lanes) + code_bytes * group;
        if (full || base + s * step_words + group * group_words < words) {
          or_few_bytes<lane_words / 2>(warp, out, group_begin + sub_lane * (lane_words / 2),
                                       encoded[s].codes);
          write_lane_bytes(warp, out, begin[s] + code_bytes * (group + 1), encoded[s].bytes);
        }
      }
      position = end;
    }
    return position;
  }

 private:
  using Pack = stages::BytePack;

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
};

}  // namespace floe::gpu
