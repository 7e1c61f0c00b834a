// Segments that need no block to words: the kernel. Without a delta, warps take a few vectors of a segment at
// a time. With one, each group of warps takes some of the segments, whose vectors its warps take in turn,
// from segment to segment without a barrier: a warp that has the sum of its vector adds it to that of the
// vectors before, which it hears from the warp before, and tells the next one.
#pragma once

#include "gpu/unpack/device_unpacker.cuh"
#include "gpu/unpack/unpack_runs.cuh"
#include "gpu/unpack/unpack_with_table.cuh"
#include "gpu/warp/kernel_order.cuh"

namespace floe::gpu {

__device__ inline void unpack_with_sums(DeviceUnpacker& unpacker, const DecodeColumnsJob& job) {
  const unsigned own = threadIdx.x / warp_lanes % group_warps, groups = unpack_groups();
  std::uint32_t turns = 0;
  for (std::uint32_t i = blockIdx.x + own_group() * gridDim.x; i < count_of(job, SegmentList::with_sums);
       i += groups * gridDim.x) {
    const std::uint32_t ticket = listed_ticket(job, SegmentList::with_sums, i);
    begin_chain(unpacker, word32(job.opened + ticket * job.opened_bytes, unpacker.warp().lane()));
    unpacker.begin_segment(turns);
    const std::uint32_t vectors = (unpacker.memory().chain.count + tile_words - 1) / tile_words,
                        first = (own - turns) % group_warps;
    if (first < vectors) {
      unpack_vectors(unpacker, job, ticket, first, group_warps, (vectors - 1 - first) / group_warps + 1,
                     [&](std::uint32_t vector) { return unpack_tile(unpacker, vector); });
    }
    turns += vectors;
  }
}

__device__ inline void unpack_without_sums(DeviceUnpacker& unpacker, const DecodeColumnsJob& job) {
  DeviceWarp& warp = unpacker.warp();
  while (true) {
    const std::uint32_t index =
        warp.shuffle(warp.lane() == 0 ? atomicAdd(&job.counters->shares.count, 1) : 0, 0);
    if (index >= job.share_count) return;
    const ShareOfSegment share = share_of(job, index);
    begin_chain(unpacker, word32(job.opened + share.ticket * job.opened_bytes, warp.lane()));
    const UnpackChain& chain = unpacker.memory().chain;
    if (chain.state == UnpackChain::none || chain.state == UnpackChain::runs || chain.stride > 0 ||
        chain.final == FinalKind::look_up)
      continue;
    const std::uint32_t vectors = (chain.count + tile_words - 1) / tile_words,
                        left = vectors - min(vectors, share.first);
    unpack_vectors(unpacker, job, share.ticket, share.first, 1, min(left, share.count),
                   [&](std::uint32_t vector) { return unpack_tile(unpacker, vector); });
  }
}

__global__ void __launch_bounds__(max_unpack_groups* group_threads, 1)
    unpack_columns(const __grid_constant__ DecodeColumnsJob job) {
  let_next_kernel_begin();
  wait_for_kernel_before();
  {
    DeviceUnpacker unpacker;
    if (count_of(job, SegmentList::with_sums) > 0) {
      if (threadIdx.x % group_threads == 0) unpacker.set_up();
      __syncthreads();
      unpack_with_sums(unpacker, job);
    }
    if (count_of(job, SegmentList::others) > 0) unpack_without_sums(unpacker, job);
  }
  if (count_of(job, SegmentList::with_runs) > 0) unpack_runs(job);
  if (count_of(job, SegmentList::with_small_tables) + count_of(job, SegmentList::with_tables) == 0) return;
  __syncthreads();
  unpack_with_tables(job);
}

}  // namespace floe::gpu
