// Entropy coding for AVX2.
#if defined(__x86_64__)

#include <immintrin.h>

#include "chunks/cpu/avx2/target.hpp"
#include "simd/entropy_kernels.hpp"

namespace floe::trees::avx2 {

extern const AllEntropyKernels& entropy_kernels;

FLOE_AVX2_BEGIN
namespace {
#include "simd/entropy.inl"
}  // namespace
FLOE_AVX2_END

const AllEntropyKernels& entropy_kernels = plain_entropy_kernels;

}  // namespace floe::trees::avx2

#endif
