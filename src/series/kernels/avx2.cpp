// The kernels for AVX2, by the compiler's vectorizer.
#if defined(__x86_64__)

#include "backend/cpu/avx2/target.hpp"

#include <bit>
#include <cstring>
#include <type_traits>

#include "core/bits.hpp"
#include "series/kernels/kernels.hpp"

namespace floe::series::avx2 {

extern const Kernels& kernels;

FLOE_AVX2_BEGIN
namespace {
#include "series/kernels/kernels.inl"
}  // namespace
FLOE_AVX2_END

const Kernels& kernels = all_kernels;

}  // namespace floe::series::avx2

#endif
