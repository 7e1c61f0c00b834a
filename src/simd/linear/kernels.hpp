// The inner loops of predictions by weighted sums, compiled once per instruction set. Results do not depend
// on which is taken.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "chunks/cpu/isa.hpp"

namespace floe::trees {

/// Words, what each weighs, and the numbers before it: those of a word begin `stride` behind those of the
/// word before. Of each, padded(unknowns) can be read.
struct WeighedWords {
  const double* words;
  const double* weights;
  std::size_t count;
  const double* before;
  std::size_t stride;
};

/// Several rows of narrow words, of which each one is `skew` words behind the row before it: so a word can be
/// predicted from words beside it in that row, too, and one step decodes a word of each row.
struct RowsSideBySide {
  static constexpr std::size_t count = 8;

  /// Of words at a distance from the word of the same row, or of a row so many before.
  struct Neighbour {
    std::ptrdiff_t steps_before;
    std::size_t rows_before;
    std::array<std::int32_t, count> weights;  ///< 0 in rows which it is not of.
  };

  /// What the sums of all rows are without neighbours, and then their words. Row i begins at
  /// rows[i * distance]; as many numbers as margin() beside a row are overwritten.
  std::int32_t* rows = nullptr;
  std::size_t distance = 0, row_words = 0, skew = 1;
  /// Room for `count` numbers in each of step_count() steps, and in some before them, in which the words
  /// before row 0 stand first.
  std::int32_t* steps = nullptr;
  std::size_t left = 0;  ///< So many words left of a row are the first one of the row before.
  /// The words right before.
  std::array<std::int32_t, count> weights_of_last{};
  std::span<const Neighbour> same_row{}, rows_before{};  ///< At least 2 steps before.
  unsigned word_bits = 16;                               ///< Of the highest bits of a sum.
  bool are_signed = true;

  [[nodiscard]] std::size_t margin() const { return count * (skew + 1); }
  [[nodiscard]] std::size_t step_count() const { return row_words + margin(); }
};

struct LinearKernels {
  /// Rows and columns of matrices are those of so many unknowns.
  static constexpr std::size_t padded(std::size_t unknowns) { return (unknowns + 7) / 8 * 8; }
  /// Adds what each of the words says of normal equations to the lower half of the square matrix and to the
  /// right side, one word after the other. Other numbers of both have no meaning.
  using AddEquations = void (*)(const WeighedWords& all, std::size_t unknowns, double* matrix, double* right);
  AddEquations add_equations;
  /// Magnitudes of what words differ by from the sum of the numbers before, each times a weight.
  void (*find_errors)(const WeighedWords& all, const double* weights, std::size_t unknowns, double* errors);
  /// sums[i] is the sum of weights[j] * factors[i - distances[j]] over all j, modulo 2^64. Weights have no
  /// more than 32 bits with their sign, factors 48.
  using SumUp = void (*)(const std::int64_t* factors, std::size_t count, const std::int64_t* weights,
                         const std::uint32_t* distances, std::size_t weight_count, std::int64_t* sums);
  SumUp sum_up, sum_up_narrow;  ///< Narrow: of factors of 32 bits.
  /// Null where rows are not decoded side by side.
  void (*decode_rows)(const RowsSideBySide& rows);
};

const LinearKernels& linear_kernels_of(cpu::Isa isa) noexcept;
/// Those of cpu::active_isa().
inline const LinearKernels& linear_kernels() noexcept {
  static const LinearKernels& active = linear_kernels_of(cpu::active_isa());
  return active;
}

}  // namespace floe::trees
