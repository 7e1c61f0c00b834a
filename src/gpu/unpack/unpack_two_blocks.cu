// The kernel that unpacks leaves of entropy of two blocks and verifies nothing.
#include "gpu/unpack/unpack_entropy_kernels.cuh"

namespace floe::gpu {

EntropyKernel two_block_kernel() {
  return kernel_of<2, 16, TableRoom::small, SegmentList::with_two_blocks, false>();
}

}  // namespace floe::gpu
