// Chains of columns packed straight to their places, by a cluster of blocks per segment: the kernel.
#pragma once

#include "gpu/pack/cluster_packer.hpp"
#include "gpu/warp/block_cluster.cuh"

namespace floe::gpu {

/// Blocks of a multiprocessor that registers and shared memory are meant to suffice for.
template <class Map>
inline constexpr unsigned cluster_blocks = sizeof(typename Map::W) == 8 || sizeof(typename Map::From) == 8
                                               ? 2
                                               : 3;

template <class Map>
__global__ void __launch_bounds__(cluster_threads, cluster_blocks<Map>)
    pack_clusters(const __grid_constant__ PackJob job) {
#if __CUDA_ARCH__ >= 900
  ClusterBlock block;
  pack_by_cluster<Map>(block, job);
#endif
}

template <class Map>
PackKernel cluster_kernel_of() {
  constexpr std::uint32_t bytes = cluster_shared_bytes<typename Map::W>;
  // The driver leaves less than these blocks need.
  constexpr std::uint32_t of_multiprocessor = 228 << 10, of_block = bytes + 1024;
  static_assert(cluster_blocks<Map> * of_block <= of_multiprocessor);
  return {pack_clusters<Map>, bytes, cluster_blocks<Map>,
          core::divide_up(100 * cluster_blocks<Map> * of_block, of_multiprocessor)};
}

}  // namespace floe::gpu
