#include "gpu/chunks/byte_pack_chunk.hpp"
#include "gpu/chunks/make_kernels.cuh"

namespace floe::gpu {
ChunkKernels gfc32_kernels() {
  using Coder = BytePackChunk<std::uint32_t>;
  return {compress_with_two<Coder>(), decode_with_one<Coder>()};
}
ChunkKernels gfc64_kernels() {
  using Coder = BytePackChunk<std::uint64_t>;
  return {compress_with_two<Coder>(), decode_with_one<Coder>()};
}
}  // namespace floe::gpu
