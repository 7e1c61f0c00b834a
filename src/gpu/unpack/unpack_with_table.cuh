// Segments of codes to words: warps of a block share the dictionary of a segment, copy it to shared memory,
// and take the vectors in turn.
#pragma once

#include "gpu/unpack/unpack_codes.hpp"
#include "gpu/unpack/unpack_vectors.cuh"

namespace floe::gpu {

class CodesUnpacker : public VectorPipeline {
 public:
  __device__ __forceinline__ CodesMemory& memory() const {
    return reinterpret_cast<CodesMemory*>(unpack_shared)[threadIdx.x / warp_lanes];
  }
  /// Of the block: room for dictionaries.
  static __device__ __forceinline__ std::uint8_t* tables() {
    return unpack_shared + blockDim.x / warp_lanes * sizeof(CodesMemory);
  }
};

/// Warps that share dictionaries: a group of a block, or all of the block's.
struct TableWarps {
  unsigned barrier, own, count;  ///< Which of `count` warps this one is.
  std::uint32_t table_at;        ///< In the tables of the block.
};

__device__ inline void unpack_with_table(CodesUnpacker& unpacker, const DecodeColumnsJob& job,
                                         std::uint32_t ticket, const TableWarps& warps) {
  DeviceWarp& warp = unpacker.warp();
  begin_chain(unpacker, word32(job.opened + ticket * job.opened_bytes, warp.lane()));
  const UnpackChain& chain = unpacker.memory().chain;
  std::uint8_t* const table = CodesUnpacker::tables() + warps.table_at;
  // Of words of 4 or 8 bytes, in shares of 16.
  const std::uint32_t bytes = chain.table_count * chain.out_bytes,
                      share = (bytes / warps.count + 16) / 16 * 16, begin = min(bytes, warps.own * share),
                      end = min(bytes, begin + share);
  sync_threads(warps.barrier, warps.count * warp_lanes);  // nobody needs the dictionary before any more
  copy_in(warp, chain.bytes + chain.table_at + begin, end - begin, table + begin);
  sync_threads(warps.barrier, warps.count * warp_lanes);
  const std::uint32_t vectors = (chain.count + tile_words - 1) / tile_words;
  if (warps.own >= vectors) return;
  unpack_vectors(unpacker, job, ticket, warps.own, warps.count, (vectors - 1 - warps.own) / warps.count + 1,
                 [&](std::uint32_t vector) { return unpack_codes(unpacker, vector, table); });
}

/// By all threads of a block.
__device__ inline void unpack_with_tables(const DecodeColumnsJob& job) {
  CodesUnpacker unpacker;
  const unsigned own = threadIdx.x / warp_lanes, group = own_group(), groups = unpack_groups();
  const TableWarps of_group{1 + group, own % group_warps, group_warps, group * job.small_table_bytes};
  for (std::uint32_t i = blockIdx.x + group * gridDim.x; i < count_of(job, SegmentList::with_small_tables);
       i += groups * gridDim.x)
    unpack_with_table(unpacker, job, listed_ticket(job, SegmentList::with_small_tables, i), of_group);
  __syncthreads();
  const TableWarps of_block{0, own, groups * group_warps, 0};
  for (std::uint32_t i = blockIdx.x; i < count_of(job, SegmentList::with_tables); i += gridDim.x)
    unpack_with_table(unpacker, job, listed_ticket(job, SegmentList::with_tables, i), of_block);
}

}  // namespace floe::gpu
