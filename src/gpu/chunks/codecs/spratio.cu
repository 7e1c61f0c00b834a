#include "gpu/chunks/drop_zeros_quarters.hpp"
#include "gpu/chunks/make_kernels.cuh"

namespace floe::gpu {
ChunkKernels spratio_kernels() {
  using Coder = DropZerosChunk;
  return {compress_with_four<Coder, DropZerosQuarters>(), decode_with_one<Coder>()};
}
}  // namespace floe::gpu
