// Packs differences of neighbours above a leaf of entropy.
#include "gpu/entropy/pack_entropy_kernels.cuh"

namespace floe::gpu {

EncodeKernel pack_neighbours_kernel(bool finds_facts) {
  return pack_entropy_kernel_of<PackedChains::of_neighbours>(finds_facts);
}

}  // namespace floe::gpu
