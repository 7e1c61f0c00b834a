#include "simd/linear/kernels.hpp"

#include <cmath>

namespace floe::trees {
namespace generic {
namespace {
#include "simd/linear/linear.inl"

void find_errors(const WeighedWords& all, const double* weights, std::size_t unknowns, double* errors) {
  for (std::size_t k = 0; k < all.count; ++k) errors[k] = error_of(all, weights, unknowns, k);
}

void sum_up(const std::int64_t* factors, std::size_t count, const std::int64_t* weights,
            const std::uint32_t* distances, std::size_t weight_count, std::int64_t* sums) {
  for (std::size_t i = 0; i < count; ++i) sums[i] = sum_for(factors + i, weights, distances, weight_count);
}

constexpr LinearKernels plain_kernels = {add_equations, find_errors, sum_up, sum_up, nullptr};
}  // namespace
}  // namespace generic

#if defined(__x86_64__)
namespace avx2 {
extern const LinearKernels& linear_kernels;
}
namespace avx512 {
extern const LinearKernels::AddEquations add_equations;

/// Vectors of AVX2 do for the rest.
const LinearKernels& linear_kernels() {
  static const LinearKernels kernels = [] {
    LinearKernels some = avx2::linear_kernels;
    some.add_equations = add_equations;
    return some;
  }();
  return kernels;
}
}  // namespace avx512
#endif

const LinearKernels& linear_kernels_of(cpu::Isa isa) noexcept {
#if defined(__x86_64__)
  if (isa == cpu::Isa::avx512) return avx512::linear_kernels();
  if (isa == cpu::Isa::avx2) return avx2::linear_kernels;
#else
  static_cast<void>(isa);
#endif
  return generic::plain_kernels;
}

}  // namespace floe::trees
