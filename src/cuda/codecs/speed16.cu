#include "backend/cuda/pack_chunk.hpp"
#include "cuda/make_kernels.cuh"

namespace floe::cuda {
ChunkKernels speed16_kernels() { return make_kernels<PackChunk<std::uint16_t>>(); }
}  // namespace floe::cuda
