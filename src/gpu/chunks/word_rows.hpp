// Rows of 16 bytes per lane as the speed codecs see them: words of 32 or 64 bits one by one, narrower ones
// side by side in 32 bits. A `Register` is what a lane computes with at once.
#pragma once

#include "chunks/stages/stages.hpp"
#include "gpu/warp/lane_bits.hpp"

namespace floe::gpu {

template <core::Word W>
struct WordRows {
  using Register = W;
  using Row = Vector<W>;
  static constexpr unsigned lane_words = Row::size;

  /// The words less the one before each, after zig-zag. `before` is the register before the row.
  static FLOE_DEVICE void subtract(Row& row, Register before) {
    FLOE_UNROLL
    for (W& word : row.word) {
      const W now = word;
      word = core::zigzag(stages::Delta::residual(now, before));
      before = now;
    }
  }
  /// The inverse but for the word before: the sum up to each word. Returns the last one.
  static FLOE_DEVICE Register add_up(Row& row) {
    W sum = 0;
    FLOE_UNROLL
    for (W& word : row.word) word = sum = stages::Delta::combine(core::unzigzag(word), sum);
    return sum;
  }
  static FLOE_DEVICE void add(Row& row, Register before) {
    FLOE_UNROLL
    for (W& word : row.word) word = static_cast<W>(word + before);
  }
  static FLOE_DEVICE Row fold(Row row) {
    FLOE_UNROLL
    for (W& word : row.word) word = stages::BitPack::fold(word);
    return row;
  }
  static FLOE_DEVICE Row unfold(Row row) {
    FLOE_UNROLL
    for (W& word : row.word) word = stages::BitPack::unfold(word);
    return row;
  }
  static FLOE_DEVICE W largest(const Row& row) {
    W max = 0;
    FLOE_UNROLL
    for (const W word : row.word) max = word > max ? word : max;
    return max;
  }
  static FLOE_DEVICE LaneBits join(const Row& row, unsigned width) { return join_words(row, width); }
  static FLOE_DEVICE void split(const LaneBits& bits, unsigned width, Row& row) {
    split_words(bits, width, row);
  }
};

/// Words of 8 or 16 bits: four or two in a register, computed side by side.
template <core::Word W>
requires(sizeof(W) < 4) struct WordRows<W> {
  using Register = std::uint32_t;
  using Row = Vector<std::uint32_t>;
  static constexpr unsigned lane_words = 16 / sizeof(W), bits = core::word_bits<W>;

  static FLOE_DEVICE void subtract(Row& row, Register before) {
    FLOE_UNROLL
    for (Register& words : row.word) {
      const Register now = words;
      words = zigzag(difference(now, funnel_left(before, now, bits)));
      before = now;
    }
  }
  /// Up to each word of a register; the sum of all is returned.
  static FLOE_DEVICE Register add_up(Row& row) {
    Register sum = 0;
    FLOE_UNROLL
    for (Register& words : row.word) {
      words = sums_within(unzigzag(words));
      sum += words >> (32 - bits);
    }
    return sum;
  }
  /// Also adds to each register the sums of those before it.
  static FLOE_DEVICE void add(Row& row, Register before) {
    FLOE_UNROLL
    for (Register& words : row.word) {
      const Register last = words >> (32 - bits);
      words = sum_with_each(words, before);
      before += last;
    }
  }
  static FLOE_DEVICE Row fold(Row row) {
    FLOE_UNROLL
    for (Register& words : row.word) words = zigzag(words);
    return row;
  }
  static FLOE_DEVICE Row unfold(Row row) {
    FLOE_UNROLL
    for (Register& words : row.word) words = unzigzag(words);
    return row;
  }
  static FLOE_DEVICE W largest(const Row& row) {
    W max = 0;
    FLOE_UNROLL
    for (const Register words : row.word) {
      FLOE_UNROLL
      for (unsigned shift = 0; shift < 32; shift += bits) {
        const W word = static_cast<W>(words >> shift);
        max = word > max ? word : max;
      }
    }
    return max;
  }
  /// Neighbours become words of twice the width, until those of a register are one.
  static FLOE_DEVICE LaneBits join(Row row, unsigned width) {
    FLOE_UNROLL
    for (Register& words : row.word) {
      if constexpr (bits == 8) {
        words = (words & 0x00FF00FF) + (words >> 8 & 0x00FF00FF) * (1u << width);
        words -= (words >> 16) * (0x10000 - (1u << 2 * width));
      } else {
        words -= (words >> 16) * (0x10000 - (1u << width));
      }
    }
    return join_words(row, 32 / bits * width);
  }
  static FLOE_DEVICE void split(const LaneBits& from, unsigned width, Row& row) {
    split_words(from, 32 / bits * width, row);
    FLOE_UNROLL
    for (Register& words : row.word) {
      if constexpr (bits == 8) {
        words += (words >> 2 * width) * (0x10000 - (1u << 2 * width));
        const std::uint32_t low = core::low_mask<std::uint32_t>(width) * 0x00010001;
        words = (words & low) + (words >> width & low) * 0x100;
      } else {
        words += shift_right(words, width) * (0x10000 - (1u << width));
      }
    }
  }

 private:
  static constexpr Register tops = bits == 8 ? 0x80808080 : 0x80008000;

  static FLOE_DEVICE Register zigzag(Register words) {
    return (words << 1 & ~(tops >> (bits - 1))) ^ sign_masks<W>(words);
  }
  static FLOE_DEVICE Register unzigzag(Register words) {
    return (words >> 1 & ~tops) ^ sign_masks<W>(words << (bits - 1));
  }
  static FLOE_DEVICE Register difference(Register a, Register b) {
    if constexpr (bits == 16) return permute_bytes(a - b, a - (b & 0xFFFF0000), 0x7610);
    return ((a | tops) - (b & ~tops)) ^ ((a ^ ~b) & tops);
  }
  static FLOE_DEVICE Register sum(Register a, Register b) {
    return ((a & ~tops) + (b & ~tops)) ^ ((a ^ b) & tops);
  }
  static FLOE_DEVICE Register sum_with_each(Register words, Register number) {
    if constexpr (bits == 16) return permute_bytes(words + number, words + (number << 16), 0x7610);
    return sum(words, permute_bytes(number, 0, 0));
  }
  static FLOE_DEVICE Register sums_within(Register words) {
    if constexpr (bits == 16) return words * 0x00010001;
    words = sum(words, words << 8);
    return sum(words, words << 16);
  }
};

}  // namespace floe::gpu
