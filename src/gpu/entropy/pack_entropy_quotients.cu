// Packs quotients of floats above a leaf of entropy.
#include "gpu/entropy/pack_entropy_kernels.cuh"

namespace floe::gpu {

EncodeKernel pack_quotients_kernel(bool finds_facts) {
  return pack_entropy_kernel_of<PackedChains::quotients>(finds_facts);
}

}  // namespace floe::gpu
