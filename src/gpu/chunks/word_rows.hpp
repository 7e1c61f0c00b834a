// Rows of 16 bytes per lane as the speed codecs see them: words of 32 or 64 bits one by one, narrower ones
// side by side in 32 bits. A `Register` is what a lane computes with at once.
#pragma once

#include "chunks/stages/stages.hpp"
#include "gpu/warp/lane_bits.hpp"
#include "gpu/warp/narrow_words.hpp"

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
  static FLOE_DEVICE Register any(const Row& row) {
    Register any = 0;
    FLOE_UNROLL
    for (const Register words : row.word) any |= words;
    return any;
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

template <core::Word W>
requires(sizeof(W) < 4) struct WordRows<W> {
  using Words = NarrowWords<W>;
  using Register = std::uint32_t;
  using Row = Vector<std::uint32_t>;
  static constexpr unsigned lane_words = 16 / sizeof(W), register_words = 4 / sizeof(W);

  static FLOE_DEVICE void subtract(Row& row, Register before) {
    FLOE_UNROLL
    for (Register& words : row.word) {
      const Register now = words;
      words = Words::zigzag(Words::difference(now, funnel_left(before, now, Words::bits)));
      before = now;
    }
  }
  /// Up to each word of a register; the sum of all is returned.
  static FLOE_DEVICE Register add_up(Row& row) {
    Register sum = 0;
    FLOE_UNROLL
    for (Register& words : row.word) {
      words = Words::sums_within(Words::unzigzag(words));
      sum += Words::last(words);
    }
    return sum;
  }
  /// Also adds to each register the sums of those before it.
  static FLOE_DEVICE void add(Row& row, Register before) {
    FLOE_UNROLL
    for (Register& words : row.word) {
      const Register last = Words::last(words);
      words = Words::sum_with_each(words, before);
      before += last;
    }
  }
  static FLOE_DEVICE Register any(const Row& row) {
    return row.word[0] | row.word[1] | row.word[2] | row.word[3];
  }
  static FLOE_DEVICE Row fold(Row row) {
    FLOE_UNROLL
    for (Register& words : row.word) words = Words::zigzag(words);
    return row;
  }
  static FLOE_DEVICE Row unfold(Row row) {
    FLOE_UNROLL
    for (Register& words : row.word) words = Words::unzigzag(words);
    return row;
  }
  static FLOE_DEVICE LaneBits join(Row row, unsigned width) {
    FLOE_UNROLL
    for (Register& words : row.word) words = Words::join(words, width);
    return join_words(row, register_words * width);
  }
  static FLOE_DEVICE void split(const LaneBits& bits, unsigned width, Row& row) {
    split_words(bits, register_words * width, row);
    FLOE_UNROLL
    for (Register& words : row.word) words = Words::split(words, width);
  }

  // ---- offsets (stages::OffsetPack) ----

  static FLOE_DEVICE void order(Row& row) {
    FLOE_UNROLL
    for (Register& words : row.word) words = sizeof(W) == 2 ? Words::rotate(words) : words;
  }
  /// The largest of a lane's ordered words, and of the complements of those less one.
  static FLOE_DEVICE void range(const Row& row, W& largest, W& complement) {
    Register max = 0, min = ~Register{0};
    FLOE_UNROLL
    for (const Register words : row.word) {
      max = Words::max(max, words);
      min = Words::min_less_one(words, min);
    }
    largest = Words::largest(max);
    complement = Words::largest(~min);
  }
  static FLOE_DEVICE void subtract_base(Row& row, W base) {
    const Register bases = base * Words::low_bits;
    FLOE_UNROLL
    for (Register& words : row.word) words = Words::max(words, bases) - bases;
  }
  /// Offsets become words.
  static FLOE_DEVICE void add_base(Row& row, W base) {
    FLOE_UNROLL
    for (Register& words : row.word) {
      words = Words::sum_with_each(words, base) & Words::nonzero_masks(words);
      if constexpr (sizeof(W) == 2) words = Words::rotate_back(words);
    }
  }
};

}  // namespace floe::gpu
