// Packs decimals above a leaf of entropy, and what pack_entropy.cu packs.
#include "gpu/entropy/pack_entropy_kernels.cuh"

namespace floe::gpu {

EncodeKernel pack_decimals_kernel(bool finds_facts) {
  return pack_entropy_kernel_of<PackedChains::decimals>(finds_facts);
}

}  // namespace floe::gpu
