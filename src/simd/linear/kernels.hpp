// The inner loops of predictions by weighted sums, compiled once per instruction set. Results do not depend
// on which is taken.
#pragma once

#include <cstddef>
#include <cstdint>

#include "chunks/cpu/isa.hpp"

namespace floe::trees {

struct LinearKernels {
  /// Words whose products are added up at a time.
  static constexpr std::size_t equations_at_once = 4;
  /// Of that many words: adds what each says of normal equations to the lower half of the square matrix and
  /// to the right side, one word after the other. `before` has `unknowns` numbers for each word, which begin
  /// `stride` numbers behind those of the word before.
  void (*add_equations)(const double* before, std::size_t stride, const double* words, const double* weights,
                        std::size_t unknowns, double* matrix, double* right);
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
