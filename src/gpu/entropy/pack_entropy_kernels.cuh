// Segments that are a leaf of entropy below a short chain: the kernels. Blocks of a few warps take one after
// the other, as a section has few parts that warps can encode side by side.
#pragma once

#include "gpu/encode/encode_tickets.cuh"
#include "gpu/entropy/pack_entropy.hpp"
#include "gpu/warp/device_block.cuh"

namespace floe::gpu {

template <unsigned warps, unsigned blocks, bool finds_facts, PackedChains chains, unsigned min_bytes>
__global__ void __launch_bounds__(warps* warp_lanes, blocks)
    pack_entropy_columns(const __grid_constant__ EncodeColumnsJob job) {
  DeviceBlock<PackEntropyMemory<warps>, warps * warp_lanes> block;
  pack_entropy_segments<finds_facts, chains, min_bytes>(
      block, job, end_of_tickets(job), job.scratch + blockIdx.x * job.scratch_bytes,
      [&] { return job.first_ticket + atomicAdd(job.ticket, 1); });
}

/// Whether a multiprocessor has fewer blocks, each with more registers. Sections of decimals have few blocks,
/// for which not all warps of a thread block have work, and words of 64 bits half as many segments.
constexpr bool has_fewer_blocks(PackedChains chains, unsigned min_bytes) {
  return chains == PackedChains::of_neighbours && min_bytes == 2;
}

/// Blocks of a multiprocessor, which has 228 KiB of shared memory, of which 1 KiB per block is taken.
template <bool finds_facts, PackedChains chains, unsigned min_bytes>
EncodeKernel pack_entropy_kernel_of() {
  constexpr unsigned warps = 4, blocks = has_fewer_blocks(chains, min_bytes) ? 7 : 8;
  constexpr std::uint32_t shared_bytes = sizeof(PackEntropyMemory<warps>);
  static_assert(blocks * (shared_bytes + 1024) <= 228 << 10);
  return {pack_entropy_columns<warps, blocks, finds_facts, chains, min_bytes>, warps * warp_lanes,
          shared_bytes, blocks};
}

/// `min_bytes`: of the words of leaves.
template <PackedChains chains, unsigned min_bytes = 2>
EncodeKernel pack_entropy_kernel_of([[maybe_unused]] bool finds_facts) {
  if constexpr (finds_facts_always(chains)) {
    return pack_entropy_kernel_of<true, chains, min_bytes>();
  } else {
    return finds_facts ? pack_entropy_kernel_of<true, chains, min_bytes>()
                       : pack_entropy_kernel_of<false, chains, min_bytes>();
  }
}

}  // namespace floe::gpu
