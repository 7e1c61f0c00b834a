// Entropy coding for AVX512.
#if defined(__x86_64__)

#include "chunks/cpu/avx512/intrinsics.hpp"
#include "chunks/cpu/avx512/target.hpp"
#include "simd/entropy_kernels.hpp"

namespace floe::trees::avx512 {

extern const AllEntropyKernels& entropy_kernels;

FLOE_AVX512_BEGIN
namespace {
#include "simd/entropy.inl"
}  // namespace
FLOE_AVX512_END

const AllEntropyKernels& entropy_kernels = plain_entropy_kernels;

}  // namespace floe::trees::avx512

#endif
