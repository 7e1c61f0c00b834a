// The kernel that unpacks leaves of entropy of frames, and finds the digests of their streams.
#include "gpu/unpack/unpack_entropy_kernels.cuh"

namespace floe::gpu {

EntropyKernel checked_entropy_kernel() {
  return kernel_of<4, 7, TableRoom::large, SegmentList::with_entropy, true>();
}

}  // namespace floe::gpu
