#include "simd/entropy/kernels.hpp"

namespace floe::trees {
namespace generic {
#include "simd/entropy/entropy.inl"
}  // namespace generic

#if defined(__x86_64__)
namespace avx2 {
extern const AllEntropyKernels& entropy_kernels;
}
namespace avx512 {
extern const AllEntropyKernels& entropy_kernels;
}
#endif

const AllEntropyKernels& entropy_kernels_of(cpu::Isa isa) noexcept {
#if defined(__x86_64__)
  if (isa == cpu::Isa::avx2) return avx2::entropy_kernels;
  if (isa == cpu::Isa::avx512) {
    static const AllEntropyKernels fastest = [] {
      AllEntropyKernels kernels = avx512::entropy_kernels;  // of words of 32 and 64 bits
      kernels.u8 = avx2::entropy_kernels.u8;
      kernels.u16 = avx2::entropy_kernels.u16;
      return kernels;
    }();
    return fastest;
  }
#else
  static_cast<void>(isa);
#endif
  return generic::plain_entropy_kernels;
}

}  // namespace floe::trees
