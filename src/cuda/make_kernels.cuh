// Joins the chunk kernels with a coder: included by one translation unit per codec.
#pragma once

#include "cuda/chunk_kernels.hpp"
#include "cuda/decode_chunks.cuh"

namespace floe::cuda {

template <class Coder>
ChunkKernels make_kernels() {
  static_assert(Coder::most_warps <= ChunkMemory::most_warps);
  return {compress_chunks<Coder>,
          decode_chunks<Coder>,
          ChunkMemory::warp_bytes(Coder::encode_bytes),
          ChunkMemory::warp_bytes(Coder::decode_bytes),
          ChunkMemory::fixed_bytes,
          Coder::most_warps};
}

}  // namespace floe::cuda
