#include "gpu/chunks/make_kernels.cuh"
#include "gpu/chunks/pack_chunk.hpp"

namespace floe::gpu {
ChunkKernels speed8_kernels() {
  using Coder = PackChunk<std::uint8_t>;
  return {compress_with_two<Coder>(), decode_with_one<Coder>()};
}
ChunkKernels speed16_kernels() {
  using Coder = PackChunk<std::uint16_t>;
  return {compress_with_two<Coder>(), decode_with_one<Coder>()};
}
}  // namespace floe::gpu
