// Packs grids and deltas that are stored above a leaf of entropy, and what pack_entropy_strides.cu packs.
#include "gpu/entropy/pack_entropy_kernels.cuh"

namespace floe::gpu {

EncodeKernel pack_stored_kernel(bool finds_facts) {
  return pack_entropy_kernel_of<PackedChains::all>(finds_facts);
}

}  // namespace floe::gpu
