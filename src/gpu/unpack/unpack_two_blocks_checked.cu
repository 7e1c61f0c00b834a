// The kernel that unpacks leaves of entropy of two blocks of frames, and finds the digests of their streams.
#include "gpu/unpack/unpack_entropy_kernels.cuh"

namespace floe::gpu {

EntropyKernel checked_two_block_kernel() {
  return kernel_of<2, 16, TableRoom::small, SegmentList::with_two_blocks, true>();
}

}  // namespace floe::gpu
