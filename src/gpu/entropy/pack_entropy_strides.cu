// Packs differences with a stride above a leaf of entropy, and what pack_entropy_decimals.cu packs.
#include "gpu/entropy/pack_entropy_kernels.cuh"

namespace floe::gpu {

EncodeKernel pack_strides_kernel(bool finds_facts) {
  return pack_entropy_kernel_of<PackedChains::strides>(finds_facts);
}

}  // namespace floe::gpu
