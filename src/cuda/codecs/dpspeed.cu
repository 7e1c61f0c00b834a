#include "backend/cuda/pack_chunk.hpp"
#include "cuda/make_kernels.cuh"

namespace floe::cuda {
ChunkKernels dpspeed_kernels() { return make_kernels<PackChunk<std::uint64_t>>(); }
}  // namespace floe::cuda
