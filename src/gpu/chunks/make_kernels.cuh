// Joins the chunk kernels with a coder: included by one translation unit per codec.
#pragma once

#include "gpu/chunks/chunk_kernels.hpp"
#include "gpu/chunks/compress_halves.cuh"
#include "gpu/chunks/compress_quarters.cuh"
#include "gpu/chunks/decode_chunks.cuh"

namespace floe::gpu {

/// One warp per chunk.
template <class Coder>
ChunkKernel<CompressJob> compress_with_one() {
  return {compress_chunks<Coder>, 1, 1, Coder::max_warps, ChunkMemory::warp_bytes(Coder::encode_bytes)};
}
template <class Coder>
ChunkKernel<DecodeJob> decode_with_one() {
  static_assert(Coder::max_warps <= ChunkMemory::max_warps);
  return {decode_chunks<Coder>, 1, 0, Coder::max_warps, ChunkMemory::warp_bytes(Coder::decode_bytes)};
}

/// Two warps per full chunk.
template <class Coder>
ChunkKernel<CompressJob> compress_with_two() {
  static_assert(2 * Coder::Halves::max_pairs <= ChunkMemory::max_warps && Coder::Halves::max_pairs < 16);
  static_assert(sizeof(PairMemory<Coder>) <= PairMemory<Coder>::own_bytes);
  return {compress_halves<Coder>, 2, 1, Coder::Halves::max_pairs, PairMemory<Coder>::bytes};
}

/// Four warps per full chunk.
template <class Coder, class Quarters>
ChunkKernel<CompressJob> compress_with_four() {
  using Memory = QuarterMemory<Coder, Quarters>;
  static_assert(quarters * max_groups <= ChunkMemory::max_warps && max_groups < 16 &&
                sizeof(Memory) <= Memory::own_bytes);
  return {compress_quarters<Coder, Quarters>, quarters, 1, max_groups, Memory::bytes};
}

}  // namespace floe::gpu
