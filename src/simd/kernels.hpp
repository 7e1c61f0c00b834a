// The inner loops of encodings, compiled once per instruction set and chosen when the program runs. Results
// do not depend on the choice.
#pragma once

#include <cstddef>
#include <cstdint>

#include "chunks/cpu/isa.hpp"
#include "core/word.hpp"
#include "simd/affine_line.hpp"
#include "simd/decimal_rounding.hpp"
#include "simd/decoding_kernels.hpp"

namespace floe::trees {

/// Words that are packed together, with one bit width.
inline constexpr std::size_t vector_words = 1024;

inline constexpr std::size_t merge_slack_bytes = 64;

inline constexpr unsigned hash_bits = 12;
inline constexpr std::size_t hash_slots = std::size_t{1} << hash_bits;

/// Sums of the bit lengths of some words' differences.
struct BitSums {
  std::uint32_t offsets;             ///< From the smallest word.
  std::uint32_t differences;         ///< From the word before, zig-zag, as all that follow.
  std::uint32_t differences_by_two;  ///< From the word two before.
  std::uint32_t second_differences;
};

/// For words of one width. Nothing needs to be aligned.
template <core::Word W>
struct WordKernels {
  /// Smallest and largest, as unsigned numbers after the XOR with `flip`; the result is flipped back.
  /// Precondition: count > 0.
  void (*range)(const W* words, std::size_t count, W flip, W& min, W& max);
  /// Smallest and largest of floats by their bits: -NaN is below all, NaN above all. Precondition: count > 0.
  void (*float_range)(const W* words, std::size_t count, W& min, W& max);
  /// The same of floats that are numbers: with `number`, which is one, in the place of each whose bits but
  /// for the sign are more than `infinity`.
  void (*range_of_numbers)(const W* words, std::size_t count, W infinity, W number, W& min, W& max);
  /// The bit lengths of words, counted from `base` upwards.
  void (*find_lengths)(const W* words, std::size_t count, W base, std::uint8_t* lengths);
  /// The lowest `width` bits of words[i] - base, in the interleaved layout: 128 * width bytes.
  void (*pack)(const W* vector, W base, unsigned width, std::uint8_t* packed);
  void (*unpack)(const std::uint8_t* packed, W base, unsigned width, W* vector);
  /// Word i is the next one of `second` if picks[i] is not 0, otherwise the next one of `first`. Both may be
  /// read merge_slack_bytes beyond the last word that is taken.
  void (*merge)(const std::uint8_t* picks, const W* first, const W* second, std::size_t count, W* words);
  /// Words whose difference to `base` is more than `limit` go to `second`, the others to `first`; marks[i] is
  /// 1 for the former, otherwise 0. Both may be written merge_slack_bytes beyond `count` words. Returns how
  /// many go to `second`.
  std::size_t (*divide)(const W* words, std::size_t count, W base, W limit, std::uint8_t* marks, W* first,
                        W* second);
  /// Which words differ from `word`: bit i % 64 of masks[i / 64], where the bits behind the last word are 0.
  /// Returns how many.
  std::size_t (*mark_others)(const W* words, std::size_t count, W word, std::uint64_t* masks);
  /// How many words differ from the word before; words[-1] must exist.
  std::size_t (*count_changes)(const W* words, std::size_t count);
  /// Sums over fewer than 2^25 words; `differences` and `differences_by_two` begin at the word `first`, which
  /// is 2 or more, the second differences at word 2.
  BitSums (*sum_bit_lengths)(const W* words, std::size_t count, W min, std::size_t first);
  /// The sum over differences, zig-zag, from the word `stride` before, from the word `first` on, which is
  /// `stride` or more.
  std::uint32_t (*sum_difference_bits)(const W* words, std::size_t count, std::size_t stride,
                                       std::size_t first);
  /// A number below hash_slots for each word, the same for the same words.
  void (*hash_words)(const W* words, std::size_t count, std::uint16_t* slots);
  /// How many words are base + k * divisor for some k, counted from `base` upwards. Precondition: divisor >
  /// 0.
  std::size_t (*count_multiples)(const W* words, std::size_t count, W base, W divisor);
  /// to[i] = words[i] - before[i]; of words that are turned first, see DecodingKernels, if it `turns`. `to`
  /// may be where one of both is, or overlap what follows it there.
  void (*subtract)(const W* words, const W* before, W* to, std::size_t count, bool turns);
};

/// For floats F and integers I that stand for them.
template <class F, class I>
struct DecimalKernels {
  /// Each value times `power`, rounded. failed[i] is 1 if value i does not come back from its integer bit by
  /// bit, otherwise 0; returns how many fail. The integers of those are unspecified.
  std::size_t (*to_integers)(const F* values, std::size_t count, double power, I* integers,
                             std::uint8_t* failed);
  /// Each integer divided by `power`. False if one is not from -2^51 to 2^51 - 1.
  bool (*to_values)(const I* integers, std::size_t count, double power, F* values);
};

/// Doubles, and floats that become them when they are rounded.
struct NarrowKernels {
  /// The float nearest to each value. failed[i] is 1 if value i does not come back from it bit by bit,
  /// otherwise 0; returns how many fail.
  std::size_t (*to_floats)(const double* values, std::size_t count, DecimalRounding rounding, float* floats,
                           std::uint8_t* failed);
  /// False if a float is too large, or no number.
  bool (*to_values)(const float* floats, std::size_t count, DecimalRounding rounding, double* values);
};

/// Integers I on lines for floats F; steps and offsets of each word.
template <class F, class I>
struct AffineKernels {
  /// failed[i] is 1 if value i is no integer with an error of -127 to 127 floats, otherwise 0; returns how
  /// many fail. The integers and errors of those are unspecified.
  std::size_t (*to_integers)(AffineForm form, const F* values, std::size_t count, const double* steps,
                             const double* offsets, I* integers, std::int8_t* errors, std::uint8_t* failed);
  /// False if an integer is not from -2^51 to 2^51 - 1.
  bool (*to_values)(AffineForm form, const I* integers, const std::int8_t* errors, std::size_t count,
                    const double* steps, const double* offsets, F* values);
};

struct Interval {
  double low, high;
};

/// Values of a channel: each is so many steps from 0, and has half of what lies between it and its
/// neighbours.
struct LinePoints {
  const double *steps, *values, *halves;
  std::size_t count;
};

/// What fits lines for floats of one width, as doubles.
struct LineKernels {
  /// The steps for which (k + offset) * step rounds to all values. What is less than one step from 0 says
  /// nothing.
  Interval (*steps_of)(const LinePoints& points, double offset);
  /// The offsets for which k * step + offset does.
  Interval (*offsets_of)(const LinePoints& points, double step);
  /// The floats of integers, or of the integers nearest to values. Return how many are not the values.
  std::size_t (*to_floats)(const AffineLine& line, const double* integers, const double* values,
                           std::size_t count, double* on_line);
  std::size_t (*to_nearest)(const AffineLine& line, const double* values, std::size_t count, double* on_line);
};

/// Floats of one width, as words, on a grid whose largest multiples have `exponent`; see
/// encodings/grid/grid.hpp.
template <core::Word W>
struct GridKernels {
  /// The multiple of each word, the bits below it and how many these are; all are 0 of words that the grid
  /// cannot say, and of zeros. No other word has the multiple 0. Returns whether the grid can say all words.
  bool (*to_multiples)(const W* words, std::size_t count, unsigned exponent, W* multiples, W* low,
                       std::uint8_t* widths);
  /// Multiples to floats in which the bits below are 0, and how many those are. Returns their sum; all bits
  /// set if a multiple is no good.
  std::size_t (*to_floats)(W* words, std::size_t count, unsigned exponent, std::uint8_t* widths);
  /// Puts widths[i] bits into each word, which are behind each other from the bit `at` on. Returns the bit
  /// behind the last one. Up to 16 bytes behind that are read.
  std::size_t (*put_low)(W* words, std::size_t count, const std::uint8_t* widths, const std::uint8_t* bits,
                         std::size_t at);
  /// The inverse: widths[i] bits of each word behind each other, whose other bits are 0. In the byte in which
  /// they begin, those before are kept. Up to 8 bytes behind the last one are written.
  std::size_t (*pack_low)(const W* low, std::size_t count, const std::uint8_t* widths, std::uint8_t* bits,
                          std::size_t at);
};

/// The same for floats of 16 bits, of which there are two kinds: `precision` is of their mantissas, with the
/// leading one.
struct ShortGridKernels {
  using W = std::uint16_t;
  bool (*to_multiples)(const W* words, std::size_t count, unsigned precision, unsigned exponent, W* multiples,
                       W* low, std::uint8_t* widths);
  std::size_t (*to_floats)(W* words, std::size_t count, unsigned precision, unsigned exponent,
                           std::uint8_t* widths);
  std::size_t (*put_low)(W* words, std::size_t count, const std::uint8_t* widths, const std::uint8_t* bits,
                         std::size_t at);
  std::size_t (*pack_low)(const W* low, std::size_t count, const std::uint8_t* widths, std::uint8_t* bits,
                          std::size_t at);
};

struct Kernels {
  /// How many bytes are not 0.
  std::size_t (*count_marks)(const std::uint8_t* marks, std::size_t count);
  /// How many bytes are this one.
  std::size_t (*count_bytes)(const std::uint8_t* bytes, std::size_t count, std::uint8_t byte);
  WordKernels<std::uint8_t> u8;
  WordKernels<std::uint16_t> u16;
  WordKernels<std::uint32_t> u32;
  WordKernels<std::uint64_t> u64;
  DecodingKernels<std::uint8_t> decoding_u8;
  DecodingKernels<std::uint16_t> decoding_u16;
  DecodingKernels<std::uint32_t> decoding_u32;
  DecodingKernels<std::uint64_t> decoding_u64;
  DecimalKernels<float, std::int32_t> decimal_f32;
  DecimalKernels<double, std::int32_t> decimal_f64;
  DecimalKernels<double, std::int64_t> decimal_f64_wide;
  NarrowKernels narrow;
  AffineKernels<float, std::int32_t> affine_f32;
  AffineKernels<double, std::int32_t> affine_f64;
  AffineKernels<double, std::int64_t> affine_f64_wide;
  LineKernels lines_f32, lines_f64;
  GridKernels<std::uint32_t> grid_f32;
  GridKernels<std::uint64_t> grid_f64;
  ShortGridKernels grid_of_short;

  template <core::Word W>
  [[nodiscard]] const WordKernels<W>& of() const {
    return core::of_word<W>(u8, u16, u32, u64);
  }
  template <core::Word W>
  [[nodiscard]] const DecodingKernels<W>& decoding() const {
    return core::of_word<W>(decoding_u8, decoding_u16, decoding_u32, decoding_u64);
  }
  template <class F, class I>
  [[nodiscard]] const DecimalKernels<F, I>& decimals() const {
    if constexpr (sizeof(F) == 4)
      return decimal_f32;
    else if constexpr (sizeof(I) == 4)
      return decimal_f64;
    else
      return decimal_f64_wide;
  }
  template <core::Word W>
  [[nodiscard]] const GridKernels<W>& grid() const {
    if constexpr (sizeof(W) == 4)
      return grid_f32;
    else
      return grid_f64;
  }
  template <class F, class I>
  [[nodiscard]] const AffineKernels<F, I>& affine() const {
    if constexpr (sizeof(F) == 4)
      return affine_f32;
    else if constexpr (sizeof(I) == 4)
      return affine_f64;
    else
      return affine_f64_wide;
  }
};

const Kernels& kernels_of(cpu::Isa isa) noexcept;
/// Those of cpu::active_isa().
inline const Kernels& kernels() noexcept {
  static const Kernels& active = kernels_of(cpu::active_isa());
  return active;
}

}  // namespace floe::trees
