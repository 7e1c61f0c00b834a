// Words of columns to segments: the kernel for every tree, and the one that sets up what blocks share.

#include "gpu/encode/encode_columns.cuh"

namespace floe::gpu {

/// Resets what blocks share, and puts the trees where they find them.
__global__ void set_up_encoding(const __grid_constant__ EncodeSetUpJob job) {
  if (job.wanted != nullptr && *job.wanted == 0) return;
  const std::uint32_t rank = blockIdx.x * blockDim.x + threadIdx.x, size = gridDim.x * blockDim.x;
  for (std::uint32_t i = rank; job.trees_to != nullptr && i < sizeof(EncodeTrees); i += size)
    reinterpret_cast<std::uint8_t*>(job.trees_to)[i] = reinterpret_cast<const std::uint8_t*>(&job.trees)[i];
  for (std::uint64_t i = rank; i < job.zero_words; i += size) job.zeros[i] = 0;
  if (rank >= job.column_count) return;
  cuda::ItemResult& result = *job.result[rank];
  if (job.refused == nullptr) {
    result = {0, ~std::uint64_t{0}, 0, 0};
  } else {
    // What is encoded once more is judged once more.
    result.failed_chunks -= job.refused[rank];
    if (result.failed_chunks == 0) result.code = 0;
  }
}

EncodeKernel encode_kernel() {
  return encode_kernel_of<max_encode_warps, 3, sizeof(EncodeMemory::more_tiles)>();
}
void (*set_up_kernel())(EncodeSetUpJob) { return set_up_encoding; }

}  // namespace floe::gpu
