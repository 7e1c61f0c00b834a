#include "backend/cuda/pack_chunk.hpp"
#include "cuda/make_kernels.cuh"

namespace floe::cuda {
ChunkKernels speed8_kernels() { return make_kernels<PackChunk<std::uint8_t>>(); }
}  // namespace floe::cuda
