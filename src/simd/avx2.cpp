// The kernels for AVX2: by the compiler's vectorizer, and by hand where it finds nothing.
#if defined(__x86_64__)

#include "chunks/cpu/avx2/target.hpp"

#include <immintrin.h>

#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/bits.hpp"
#include "simd/kernels.hpp"

namespace floe::trees::avx2 {

extern const Kernels& kernels;

FLOE_AVX2_BEGIN
namespace {
constexpr std::size_t vector_bytes = 32;
#include "simd/kernels.inl"

#include "simd/avx2_decoding.inl"
#include "simd/avx2_dividing.inl"
#include "simd/avx2_exponents.inl"
#include "simd/avx2_lengths.inl"

constexpr Kernels vector_kernels = with_avx2_lengths(with_avx2_dividing(with_avx2_decoding(all_kernels)));
}  // namespace
FLOE_AVX2_END

const Kernels& kernels = vector_kernels;

}  // namespace floe::trees::avx2

#endif
