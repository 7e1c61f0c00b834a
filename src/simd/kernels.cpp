#include "simd/kernels.hpp"

#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/bits.hpp"

namespace floe::trees {
namespace generic {
constexpr std::size_t vector_bytes = 16;
#include "simd/kernels.inl"
}  // namespace generic

#if defined(__x86_64__)
namespace avx2 {
extern const Kernels& kernels;
}
namespace avx512 {
extern const Kernels& kernels;
}
#endif

const Kernels& kernels_of(cpu::Isa isa) noexcept {
#if defined(__x86_64__)
  if (isa == cpu::Isa::avx2) return avx2::kernels;
  if (isa == cpu::Isa::avx512) return avx512::kernels;
#else
  static_cast<void>(isa);
#endif
  return generic::all_kernels;
}

}  // namespace floe::trees
