// The kernels for AVX2, by the compiler's vectorizer.
#if defined(__x86_64__)

#include "chunks/cpu/avx2/target.hpp"

#include <bit>
#include <cstring>
#include <type_traits>

#include "core/bits.hpp"
#include "simd/kernels.hpp"

namespace floe::trees::avx2 {

extern const Kernels& kernels;

FLOE_AVX2_BEGIN
namespace {
#include "simd/kernels.inl"
}  // namespace
FLOE_AVX2_END

const Kernels& kernels = all_kernels;

}  // namespace floe::trees::avx2

#endif
