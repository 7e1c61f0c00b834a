// Normal equations for AVX-512: eight rows of the matrix at once, each sum in the order of the words. The
// rest is that of AVX2.
#if defined(__x86_64__)

#include "chunks/cpu/avx512/intrinsics.hpp"

#include <algorithm>
#include <cmath>

#include "chunks/cpu/avx512/target.hpp"
#include "simd/linear/kernels.hpp"

namespace floe::trees::avx512 {

extern const LinearKernels::AddEquations add_equations;

FLOE_AVX512_BEGIN
namespace {

constexpr std::size_t lanes = 8;

using Doubles = __m512d;
Doubles load(const double* from) { return _mm512_loadu_pd(from); }
void store(double* to, Doubles numbers) { _mm512_storeu_pd(to, numbers); }
Doubles in_all_lanes(double number) { return _mm512_set1_pd(number); }
Doubles added(Doubles a, Doubles b) { return _mm512_add_pd(a, b); }
Doubles product(Doubles a, Doubles b) { return _mm512_mul_pd(a, b); }
#include "simd/linear/squares.inl"

}  // namespace
FLOE_AVX512_END

const LinearKernels::AddEquations add_equations = add_in_squares;

}  // namespace floe::trees::avx512

#endif
