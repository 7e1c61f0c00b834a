// The stages: word formulas, each with the shape in which neighbouring words take part.
#pragma once

#include <bit>

#include "chunks/stages/shape.hpp"
#include "core/bits.hpp"

namespace floe::stages {

/// Difference to the word before, 0 before the first; wraps around. The first half of DIFFMS as published.
struct Delta {
  using Shape = ScanShape;
  template <core::Word W>
  static FLOE_HD constexpr W residual(W word, W previous) noexcept {
    return static_cast<W>(word - previous);
  }
  template <core::Word W>
  static FLOE_HD constexpr W combine(W residual, W previous) noexcept {
    return static_cast<W>(residual + previous);
  }
};

/// Difference to the sub-chunk before, 0 before the first: GFC's predictor (O'Neil & Burtscher 2011, section
/// 3). All 32 lanes are predicted from the last `dimensionality` lanes of the sub-chunk before.
struct LaneDelta : Delta {
  using Shape = LaneScanShape;
  static FLOE_HD constexpr unsigned source_lane(unsigned lane, unsigned dimensionality) noexcept {
    return lanes - dimensionality + lane % dimensionality;
  }
};

/// Signed to unsigned with the sign in bit 0. The second half of DIFFMS, and TCMS, as published.
struct ZigZag {
  using Shape = MapShape;
  template <core::Word W>
  static FLOE_HD constexpr W forward(W w) noexcept {
    return core::zigzag(w);
  }
  template <core::Word W>
  static FLOE_HD constexpr W inverse(W w) noexcept {
    return core::unzigzag(w);
  }
};

/// Leading zero bits dropped: MPLG as published (HCLOG in its code). A sub-chunk whose largest word has its
/// top bit set gains nothing; such words are folded once more if that makes the largest word smaller.
struct BitPack {
  using Shape = PackShape;
  template <core::Word W>
  static FLOE_HD constexpr W fold(W w) noexcept {
    return ZigZag::forward(w);
  }
  template <core::Word W>
  static FLOE_HD constexpr W unfold(W w) noexcept {
    return ZigZag::inverse(w);
  }
};
/// Bits that hold a width from 0 to the word's bits: 4, 5, 6, 7 for words of 8, 16, 32, 64 bits.
template <core::Word W>
inline constexpr unsigned width_field_bits = static_cast<unsigned>(std::bit_width(core::word_bits<W>));

/// BitPack behind Delta and ZigZag for words of 8 and 16 bits, with a third mapping for words that do not
/// follow each other, such as weights: a sub-chunk's offsets from the smallest of its words other than 0,
/// which stays 0. In words of 16 bits, most of which are floats, the sign becomes the lowest bit before that.
struct OffsetPack {
  using Shape = OffsetPackShape;
  template <core::Word W>
  static FLOE_HD constexpr W residual(W word, W previous) noexcept {
    return core::zigzag(Delta::residual(word, previous));
  }
  template <core::Word W>
  static FLOE_HD constexpr W combine(W residual, W previous) noexcept {
    return Delta::combine(core::unzigzag(residual), previous);
  }
  template <core::Word W>
  static FLOE_HD constexpr W fold(W w) noexcept {
    return BitPack::fold(w);
  }
  template <core::Word W>
  static FLOE_HD constexpr W unfold(W w) noexcept {
    return BitPack::unfold(w);
  }
  template <core::Word W>
  static FLOE_HD constexpr W ordered(W word) noexcept {
    return sizeof(W) == 2 ? static_cast<W>(word << 1 | word >> 15) : word;
  }
  template <core::Word W>
  static FLOE_HD constexpr W offset(W word, W base) noexcept {
    return word == 0 ? W{0} : static_cast<W>(ordered(word) - base);
  }
  template <core::Word W>
  static FLOE_HD constexpr W word(W offset, W base) noexcept {
    if (offset == 0) return 0;
    const W w = static_cast<W>(offset + base);
    return sizeof(W) == 2 ? static_cast<W>(w >> 1 | w << 15) : w;
  }
  /// Offsets are considered where plain differences need more bits: words of 16 bits that follow each other
  /// well are not worth another look.
  template <core::Word W>
  static constexpr unsigned enough_bits = sizeof(W) == 2 ? 10 : 0;
};

/// Bit planes: BIT as published. Tiles of as many words as a word has bits are transposed with the most
/// significant bit first both ways; planes of the same significance of all tiles of a chunk lie together, the
/// most significant plane first.
struct BitTranspose {
  using Shape = TileShape;
  template <core::Word W>
  static FLOE_HD constexpr unsigned source_bit(unsigned plane) noexcept {
    return core::word_bits<W> - 1 - plane;
  }
  template <core::Word W>
  static FLOE_HD constexpr unsigned target_bit(unsigned word_of_tile) noexcept {
    return core::word_bits<W> - 1 - word_of_tile;
  }
};

/// Leading zero bytes of a residual's magnitude dropped: GFC's compaction (O'Neil & Burtscher 2011, section
/// 3). A 4-bit code holds the sign (bit 3) and how many bytes of the magnitude follow. 64-bit words have nine
/// lengths for eight codes: two bytes are written as three.
struct BytePack {
  using Shape = BytePackShape;
  template <core::Word W>
  static FLOE_HD constexpr W payload(W residual) noexcept {
    return is_negative(residual) ? static_cast<W>(W{0} - residual) : residual;
  }
  template <core::Word W>
  static FLOE_HD constexpr unsigned code(W residual) noexcept {
    const unsigned bytes = (core::bit_length(payload(residual)) + 7) / 8;
    const unsigned length_code = sizeof(W) == 8 && bytes >= 2 ? (bytes == 2 ? 2 : bytes - 1) : bytes;
    return (is_negative(residual) ? 8u : 0u) | length_code;
  }
  /// 32-bit words use the length codes 0 to 4; others, of a damaged stream, count as 4.
  template <core::Word W>
  static FLOE_HD constexpr unsigned payload_bytes(unsigned code) noexcept {
    const unsigned length_code = code & 7;
    if (sizeof(W) == 8) return length_code < 2 ? length_code : length_code + 1;
    return length_code < sizeof(W) ? length_code : sizeof(W);
  }
  template <core::Word W>
  static FLOE_HD constexpr W word(unsigned code, W stored) noexcept {
    return (code & 8) != 0 ? static_cast<W>(W{0} - stored) : stored;
  }

 private:
  template <core::Word W>
  static FLOE_HD constexpr bool is_negative(W residual) noexcept {
    return (residual >> (core::word_bits<W> - 1)) != 0;
  }
};

/// Zero bytes dropped: RZE as published. The bitmap of kept bytes is itself shortened by dropping bytes that
/// repeat, level by level.
struct DropZeroBytes {
  using Shape = DropShape;
  using Unit = std::uint8_t;
};

/// RAZE as published: upper bits that are all zero are dropped.
struct DropZeroTops {
  using Shape = DropTopsShape;
  template <core::Word W>
  static FLOE_HD constexpr W difference(W word, W /*previous*/) noexcept {
    return word;
  }
};
/// RARE as published: upper bits that equal those of the word before (0 before the first) are dropped.
struct DropRepeatedTops {
  using Shape = DropTopsShape;
  template <core::Word W>
  static FLOE_HD constexpr W difference(W word, W previous) noexcept {
    return static_cast<W>(word ^ previous);
  }
};
/// Values of a DropTops payload's `keep` byte that are no number of kept bits.
inline constexpr unsigned keep_everything = 64;  ///< Nothing to gain: the input follows unchanged.
inline constexpr unsigned keep_nothing = 65;     ///< Every difference is zero: no words follow.

/// FCM as published, over a whole segment before it is cut into chunks: n words become n values followed by n
/// distances. The context of a word is a 32-bit key made of the three words before it (0 where there are
/// none). Of the at most four latest earlier words with the same key, newest first, the first equal one is
/// the match: value 0, distance to it. Words without a match keep their value and get distance 0.
struct MatchHistory {
  static constexpr unsigned candidates = 4;
  static constexpr unsigned context_words = 3;
  static FLOE_HD constexpr std::uint32_t hash(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(word) ^ static_cast<std::uint32_t>(word >> 32);
  }
};

}  // namespace floe::stages
