#include "backend/cuda/drop_zeros_chunk.hpp"
#include "cuda/make_kernels.cuh"

namespace floe::cuda {
ChunkKernels spratio_kernels() { return make_kernels<DropZerosChunk>(); }
}  // namespace floe::cuda
