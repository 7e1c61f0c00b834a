// Words of columns to segments: the kernel, for blocks of some size, which take one segment after the other.
#pragma once

#include "gpu/encode/encode_target.hpp"
#include "gpu/encode/encode_tickets.cuh"
#include "gpu/warp/device_block.cuh"

namespace floe::gpu {

template <unsigned warps, unsigned blocks>
__global__ void __launch_bounds__(warps* warp_lanes, blocks)
    encode_columns(const __grid_constant__ EncodeColumnsJob job) {
  if (job.wanted != nullptr && *job.wanted == 0) return;
  DeviceBlock<EncodeMemory, warps * warp_lanes> block;
  block.memory().plan_bytes = nullptr;
  block.memory().tile_bytes = dynamic_shared_bytes() - offsetof(EncodeMemory, tiles);
  const std::uint32_t part = take_scratch(block, job);
  encode_segments(block, job, end_of_tickets(job), job.scratch + part * job.scratch_bytes,
                  [&] { return job.first_ticket + atomicAdd(job.ticket, 1); });
  give_back_scratch(block, job, part);
}

/// `blocks`: of a multiprocessor, which has 228 KiB of shared memory, of which 1 KiB per block is taken. A
/// device with less leaves out spare bytes.
template <unsigned warps, unsigned blocks, std::uint32_t spare_bytes = 0>
EncodeKernel encode_kernel_of() {
  constexpr std::uint32_t shared_bytes =
      offsetof(EncodeMemory, tiles) + warps * sizeof(EncodeMemory::tiles[0]);
  static_assert(blocks * (shared_bytes + spare_bytes + 1024) <= 228 << 10);
  static_assert(sizeof(EntropyEncodeRoom<warps>) <= warps * sizeof(EncodeMemory::tiles[0]));
  return {encode_columns<warps, blocks>, warps * warp_lanes, shared_bytes, blocks, spare_bytes};
}

}  // namespace floe::gpu
