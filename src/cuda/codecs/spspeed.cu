#include "backend/cuda/pack_chunk.hpp"
#include "cuda/make_kernels.cuh"

namespace floe::cuda {
ChunkKernels spspeed_kernels() { return make_kernels<PackChunk<std::uint32_t>>(); }
}  // namespace floe::cuda
