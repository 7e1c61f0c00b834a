// The inner loops of predictions by weighted sums, compiled once per instruction set. Results do not depend
// on which is taken.
#pragma once

#include <cstddef>
#include <cstdint>

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

struct LinearKernels {
  /// Rows and columns of matrices are those of so many unknowns.
  static constexpr std::size_t padded(std::size_t unknowns) { return (unknowns + 7) / 8 * 8; }
  /// Adds what each of the words says of normal equations to the lower half of the square matrix and to the
  /// right side, one word after the other. Other numbers of both have no meaning.
  void (*add_equations)(const WeighedWords& all, std::size_t unknowns, double* matrix, double* right);
  /// Magnitudes of what words differ by from the sum of the numbers before, each times a weight.
  void (*find_errors)(const WeighedWords& all, const double* weights, std::size_t unknowns, double* errors);
  /// sums[i] is the sum of weights[j] * factors[i - distances[j]] over all j, modulo 2^64. Weights have no
  /// more than 24 bits with their sign, factors 48.
  void (*sum_up)(const std::int64_t* factors, std::size_t count, const std::int64_t* weights,
                 const std::uint32_t* distances, std::size_t weight_count, std::int64_t* sums);
};

const LinearKernels& linear_kernels_of(cpu::Isa isa) noexcept;
/// Those of cpu::active_isa().
inline const LinearKernels& linear_kernels() noexcept {
  static const LinearKernels& active = linear_kernels_of(cpu::active_isa());
  return active;
}

}  // namespace floe::trees
