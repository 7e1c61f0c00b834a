// Segments of words of 64 bits that are a leaf of entropy below a chain.
#include "gpu/entropy/pack_entropy_kernels.cuh"

namespace floe::gpu {

EncodeKernel pack_wide_neighbours_kernel(bool finds_facts) {
  return pack_entropy_kernel_of<PackedChains::of_neighbours, 8>(finds_facts);
}

}  // namespace floe::gpu
