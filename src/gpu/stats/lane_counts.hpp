// What does a lane learn of the words that it meets? Extremes, masks, changes and descents, in the order of
// numbers.
#pragma once

#include "encodings/word_order.hpp"
#include "gpu/stats/packed_words.hpp"

namespace floe::series_cuda {

/// Of some words of any type. Numbers are as trees::in_order gives them.
struct WordTotals {
  std::uint64_t least = ~std::uint64_t{0}, most = 0;  ///< Numbers.
  std::uint64_t bits_in_all = ~std::uint64_t{0}, bits_in_any = 0;
  std::uint64_t changes = 0, descents = 0;  ///< Against the word before.

  FLOE_HD void add(const WordTotals& other) {
    least = least < other.least ? least : other.least;
    most = most > other.most ? most : other.most;
    bits_in_all &= other.bits_in_all;
    bits_in_any |= other.bits_in_any;
    changes += other.changes;
    descents += other.descents;
  }
};

/// The lesser and the greater ones of many pairs of 16 bits.
struct PairRange {
  std::uint32_t least = 0xFFFFFFFF, most = 0;

  FLOE_DEVICE void add(std::uint32_t a, std::uint32_t b) {
#if defined(__CUDA_ARCH__)
    least = __vimin3_u16x2(least, a, b);
    most = __vimax3_u16x2(most, a, b);
#else
    for (const std::uint32_t pair : {a, b}) {
      for (unsigned shift = 0; shift < 32; shift += 16) {
        const std::uint32_t here = pair >> shift & 0xFFFF, mask = 0xFFFFu << shift;
        if (here < (least >> shift & 0xFFFF)) least = (least & ~mask) | here << shift;
        if (here > (most >> shift & 0xFFFF)) most = (most & ~mask) | here << shift;
      }
    }
#endif
  }
  [[nodiscard]] FLOE_DEVICE std::uint32_t min_half() const {
    const std::uint32_t low = least & 0xFFFF, high = least >> 16;
    return low < high ? low : high;
  }
  [[nodiscard]] FLOE_DEVICE std::uint32_t max_half() const {
    const std::uint32_t low = most & 0xFFFF, high = most >> 16;
    return low > high ? low : high;
  }
};

/// The range of words of 8 or 16 bits. The upper byte decides which pair of bytes is less, so that every byte
/// has to be an upper one once.
template <core::Word W>
struct NarrowRange {
  PairRange upper, lower;
  /// Two registers, and each with everything moved up by one word.
  FLOE_DEVICE void add(std::uint32_t a, std::uint32_t b, std::uint32_t a_moved, std::uint32_t b_moved) {
    upper.add(a, b);
    if constexpr (sizeof(W) == 1) lower.add(a_moved, b_moved);
  }
  [[nodiscard]] FLOE_DEVICE W least() const {
    if constexpr (sizeof(W) == 2) return static_cast<W>(upper.min_half());
    const std::uint32_t a = upper.min_half(), b = lower.min_half();
    return static_cast<W>((a < b ? a : b) >> 8);
  }
  [[nodiscard]] FLOE_DEVICE W most() const {
    if constexpr (sizeof(W) == 2) return static_cast<W>(upper.max_half());
    const std::uint32_t a = upper.max_half(), b = lower.max_half();
    return static_cast<W>((a > b ? a : b) >> 8);
  }
};

/// sum + bit 7 of each byte, times 128.
FLOE_DEVICE std::uint32_t add_top_bits(std::uint32_t sum, std::uint32_t tops) {
#if defined(__CUDA_ARCH__)
  return __dp4a(tops, 0x01010101u, sum);
#else
  for (unsigned byte = 0; byte < 4; ++byte) sum += tops >> (8 * byte) & 0xFF;
  return sum;
#endif
}

/// Words of 8 and 16 bits, in registers. The order is a XOR of the top bits, so everything is counted behind
/// it.
template <core::Word W>
class NarrowCounts {
 public:
  using P = Packed<W>;
  explicit FLOE_DEVICE NarrowCounts(trees::WordOrder order)
      : flip_(order == trees::WordOrder::signed_integers ? P::tops : 0) {}

  /// A register that ends with a word.
  [[nodiscard]] FLOE_DEVICE std::uint32_t ending_with(W word) const {
    return (std::uint32_t{word} << (32 - P::bits)) ^ flip_;
  }
  /// Makes numbers of words.
  FLOE_DEVICE void order(std::uint32_t (&registers)[4]) {
    FLOE_UNROLL
    for (unsigned i = 0; i < 4; ++i) registers[i] ^= flip_;
  }
  /// `before` is the register before.
  FLOE_DEVICE void add(const std::uint32_t (&registers)[4], std::uint32_t before) {
    FLOE_UNROLL
    for (unsigned i = 0; i < 4; i += 2) {
      const std::uint32_t a = registers[i], b = registers[i + 1];
      const std::uint32_t before_a = cuda::funnel_left(before, a, P::bits),
                          before_b = cuda::funnel_left(a, b, P::bits);
      changes_ = add_top_bits(add_top_bits(changes_, P::differ(a, before_a)), P::differ(b, before_b));
      descents_ = add_top_bits(add_top_bits(descents_, P::less(a, before_a)), P::less(b, before_b));
      all_ &= a & b;
      any_ |= a | b;
      range_.add(a, b, before_a, before_b);
      before = b;
    }
  }
  [[nodiscard]] FLOE_DEVICE WordTotals totals() const {
    WordTotals sum{range_.least(), range_.most(),  fold_and(all_),
                   fold_or(any_),  changes_ / 128, descents_ / 128};
    if (flip_ != 0) {
      constexpr std::uint64_t top = std::uint64_t{1} << (P::bits - 1);
      const std::uint64_t all = sum.bits_in_all;
      sum.bits_in_all = (all & ~top) | (~sum.bits_in_any & top);
      sum.bits_in_any = (sum.bits_in_any & ~top) | (~all & top);
    }
    return sum;
  }

 private:
  static FLOE_DEVICE std::uint64_t fold_or(std::uint32_t x) {
    x |= x >> 16;
    if constexpr (sizeof(W) == 1) x |= x >> 8;
    return static_cast<W>(x);
  }
  static FLOE_DEVICE std::uint64_t fold_and(std::uint32_t x) { return static_cast<W>(~fold_or(~x)); }

  std::uint32_t flip_, all_ = 0xFFFFFFFF, any_ = 0, changes_ = 0, descents_ = 0;
  NarrowRange<W> range_;
};

/// count + (a != b), count + (a < b). Written so that a device adds under a predicate, instead of selecting a
/// number to add.
template <core::Word W>
FLOE_DEVICE void count_if_different(std::uint32_t& count, W a, W b) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(W) == 8) {
    asm("{.reg .pred p; setp.ne.u64 p, %1, %2; @p add.u32 %0, %0, 1;}" : "+r"(count) : "l"(a), "l"(b));
  } else {
    asm("{.reg .pred p; setp.ne.u32 p, %1, %2; @p add.u32 %0, %0, 1;}" : "+r"(count) : "r"(a), "r"(b));
  }
#else
  count += a != b ? 1 : 0;
#endif
}
template <core::Word W>
FLOE_DEVICE void count_if_less(std::uint32_t& count, W a, W b) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(W) == 8) {
    asm("{.reg .pred p; setp.lt.u64 p, %1, %2; @p add.u32 %0, %0, 1;}" : "+r"(count) : "l"(a), "l"(b));
  } else {
    asm("{.reg .pred p; setp.lt.u32 p, %1, %2; @p add.u32 %0, %0, 1;}" : "+r"(count) : "r"(a), "r"(b));
  }
#else
  count += a < b ? 1 : 0;
#endif
}

/// Floats as numbers in order.
template <core::Word W>
FLOE_DEVICE W order_float(W word) {
  return word ^
         (static_cast<W>(W{0} - (word >> (core::word_bits<W> - 1))) | W{1} << (core::word_bits<W> - 1));
}

/// Words of 32 and 64 bits.
template <core::Word W, bool as_floats>
class WideCounts {
 public:
  using P = Packed<W>;
  explicit FLOE_DEVICE WideCounts(trees::WordOrder order)
      : flip_(order == trees::WordOrder::unsigned_integers ? 0 : P::tops) {}

  [[nodiscard]] FLOE_DEVICE W ending_with(W word) const { return number_of(word); }
  FLOE_DEVICE void order(W (&registers)[P::registers]) {
    FLOE_UNROLL
    for (unsigned i = 0; i < P::registers; ++i) {
      all_ &= registers[i];
      any_ |= registers[i];
      registers[i] = number_of(registers[i]);
    }
  }
  FLOE_DEVICE void add(const W (&registers)[P::registers], W before) {
    FLOE_UNROLL
    for (unsigned i = 0; i < P::registers; ++i) {
      const W here = registers[i];
      smallest_ = here < smallest_ ? here : smallest_;
      largest_ = here > largest_ ? here : largest_;
      count_if_different(changes_, here, before);
      count_if_less(descents_, here, before);
      before = here;
    }
  }
  [[nodiscard]] FLOE_DEVICE WordTotals totals() const {
    return {smallest_, largest_, all_, any_, changes_, descents_};
  }

 private:
  [[nodiscard]] FLOE_DEVICE W number_of(W word) const {
    if constexpr (as_floats) return order_float(word);
    return word ^ flip_;
  }

  W flip_, smallest_ = static_cast<W>(~W{0}), largest_ = 0, all_ = static_cast<W>(~W{0}), any_ = 0;
  std::uint32_t changes_ = 0, descents_ = 0;
};

template <core::Word W, bool as_floats>
using LaneCounts = std::conditional_t<(sizeof(W) >= 4), WideCounts<W, as_floats>, NarrowCounts<W>>;

}  // namespace floe::series_cuda
