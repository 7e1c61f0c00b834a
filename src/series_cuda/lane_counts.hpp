// What does a lane learn of the words that it meets? Extremes, masks, changes and descents, in the order of numbers.
#pragma once

#include "series/word_order.hpp"
#include "series_cuda/packed_words.hpp"

namespace floe::series_cuda {

/// Of some words of any type. Numbers are as series::in_order gives them.
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

/// The lesser and the greater ones of two pairs of 16 bits.
struct PairRange {
  std::uint32_t least = 0xFFFFFFFF, most = 0;

  FLOE_DEVICE void add(std::uint32_t pair) {
#if defined(__CUDA_ARCH__)
    least = __vminu2(least, pair);
    most = __vmaxu2(most, pair);
#else
    for (unsigned shift = 0; shift < 32; shift += 16) {
      const std::uint32_t here = pair >> shift & 0xFFFF, mask = 0xFFFFu << shift;
      if (here < (least >> shift & 0xFFFF)) least = (least & ~mask) | here << shift;
      if (here > (most >> shift & 0xFFFF)) most = (most & ~mask) | here << shift;
    }
#endif
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

/// Words of 8 and 16 bits, in registers. The order is a XOR of the top bits, so everything is counted behind it.
template <core::Word W>
class NarrowCounts {
 public:
  using P = Packed<W>;
  explicit FLOE_DEVICE NarrowCounts(series::WordOrder order) : flip_(order == series::WordOrder::signed_integers ? P::tops : 0) {}

  /// A register that ends with a word.
  FLOE_DEVICE std::uint32_t ending_with(W word) const { return (std::uint32_t{word} << (32 - P::bits)) ^ flip_; }
  /// Makes numbers of words.
  FLOE_DEVICE void order(std::uint32_t (&registers)[4]) {
    FLOE_UNROLL
    for (unsigned i = 0; i < 4; ++i) registers[i] ^= flip_;
  }
  /// `before` is the register before.
  FLOE_DEVICE void add(const std::uint32_t (&registers)[4], std::uint32_t before) {
    FLOE_UNROLL
    for (unsigned i = 0; i < 4; ++i) {
      const std::uint32_t here = registers[i], shifted = cuda::funnel_left(before, here, P::bits);
      changes_ = add_top_bits(changes_, P::differ(here, shifted));
      descents_ = add_top_bits(descents_, P::less(here, shifted));
      all_ &= here;
      any_ |= here;
      upper_.add(here);
      // The upper byte decides which pair of bytes is less. The other bytes are upper ones in the shifted register.
      if constexpr (sizeof(W) == 1) lower_.add(shifted);
      before = here;
    }
  }
  [[nodiscard]] FLOE_DEVICE WordTotals totals() const {
    WordTotals sum{word_of_least(), word_of_most(), fold_and(all_), fold_or(any_), changes_ / 128, descents_ / 128};
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
  static FLOE_DEVICE std::uint32_t lesser(std::uint32_t pair) {
    const std::uint32_t low = pair & 0xFFFF, high = pair >> 16;
    return low < high ? low : high;
  }
  static FLOE_DEVICE std::uint32_t greater(std::uint32_t pair) {
    const std::uint32_t low = pair & 0xFFFF, high = pair >> 16;
    return low > high ? low : high;
  }
  [[nodiscard]] FLOE_DEVICE std::uint64_t word_of_least() const {
    if constexpr (sizeof(W) == 2) return lesser(upper_.least);
    const std::uint32_t upper = lesser(upper_.least), lower = lesser(lower_.least);
    return (upper < lower ? upper : lower) >> 8;
  }
  [[nodiscard]] FLOE_DEVICE std::uint64_t word_of_most() const {
    if constexpr (sizeof(W) == 2) return greater(upper_.most);
    const std::uint32_t upper = greater(upper_.most), lower = greater(lower_.most);
    return (upper > lower ? upper : lower) >> 8;
  }

  std::uint32_t flip_, all_ = 0xFFFFFFFF, any_ = 0, changes_ = 0, descents_ = 0;
  PairRange upper_, lower_;
};

/// Words of 32 and 64 bits.
template <core::Word W, bool as_floats>
class WideCounts {
 public:
  using P = Packed<W>;
  explicit FLOE_DEVICE WideCounts(series::WordOrder order) : flip_(order == series::WordOrder::unsigned_integers ? 0 : P::tops) {}

  FLOE_DEVICE W ending_with(W word) const { return number_of(word); }
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
      least_ = here < least_ ? here : least_;
      most_ = here > most_ ? here : most_;
      changes_ += here != before ? 1 : 0;
      descents_ += here < before ? 1 : 0;
      before = here;
    }
  }
  [[nodiscard]] FLOE_DEVICE WordTotals totals() const { return {least_, most_, all_, any_, changes_, descents_}; }

 private:
  FLOE_DEVICE W number_of(W word) const {
    if constexpr (!as_floats) return word ^ flip_;
    return word ^ (static_cast<W>(W{0} - (word >> (P::bits - 1))) | P::tops);
  }

  W flip_, least_ = static_cast<W>(~W{0}), most_ = 0, all_ = static_cast<W>(~W{0}), any_ = 0;
  std::uint32_t changes_ = 0, descents_ = 0;
};

template <core::Word W, bool as_floats>
using LaneCounts = std::conditional_t<(sizeof(W) >= 4), WideCounts<W, as_floats>, NarrowCounts<W>>;

}  // namespace floe::series_cuda
