#include "backend/cuda/byte_pack_chunk.hpp"
#include "cuda/make_kernels.cuh"

namespace floe::cuda {
ChunkKernels gfc64_kernels() { return make_kernels<BytePackChunk<std::uint64_t>>(); }
}  // namespace floe::cuda
