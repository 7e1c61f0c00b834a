// Kernels that unpack leaves of entropy and verify nothing.
#include "gpu/unpack/unpack_entropy_kernels.cuh"

namespace floe::gpu {

EntropyKernel entropy_kernel() {
  return kernel_of<4, 7, TableRoom::large, SegmentList::with_entropy, false>();
}
EntropyKernel short_entropy_kernel() {
  return kernel_of<4, 10, TableRoom::of_short_frequencies, SegmentList::with_short_entropy, false>();
}

}  // namespace floe::gpu
