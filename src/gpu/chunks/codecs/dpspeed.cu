#include "gpu/chunks/make_kernels.cuh"
#include "gpu/chunks/pack_chunk.hpp"

namespace floe::gpu {
ChunkKernels dpspeed_kernels() {
  using Coder = PackChunk<std::uint64_t>;
  return {compress_with_two<Coder>(), decode_with_one<Coder>()};
}
}  // namespace floe::gpu
