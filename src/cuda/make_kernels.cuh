// Joins the chunk kernels with a coder: included by one translation unit per codec.
#pragma once

#include "cuda/chunk_kernels.hpp"
#include "cuda/compress_halves.cuh"
#include "cuda/decode_chunks.cuh"

namespace floe::cuda {

/// One warp per chunk; two for compressing, if the coder knows halves.
template <class Coder>
ChunkKernels make_kernels() {
  static_assert(Coder::most_warps <= ChunkMemory::most_warps);
  ChunkKernels kernels;
  kernels.fixed_bytes = ChunkMemory::fixed_bytes;
  kernels.decode = {decode_chunks<Coder>, 1, 0, Coder::most_warps, ChunkMemory::warp_bytes(Coder::decode_bytes)};
  if constexpr (Coder::has_halves) {
    static_assert(2 * Coder::Halves::most_pairs <= ChunkMemory::most_warps && Coder::Halves::most_pairs < 16);
    static_assert(sizeof(PairMemory<Coder>) <= PairMemory<Coder>::own_bytes);
    kernels.compress = {compress_halves<Coder>, 2, 1, Coder::Halves::most_pairs, PairMemory<Coder>::bytes};
  } else {
    kernels.compress = {compress_chunks<Coder>, 1, 1, Coder::most_warps, ChunkMemory::warp_bytes(Coder::encode_bytes)};
  }
  return kernels;
}

}  // namespace floe::cuda
