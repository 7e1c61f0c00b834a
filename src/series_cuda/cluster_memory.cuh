// What lies in the shared memory of the blocks that pack segments in clusters?
#pragma once

#include "series_cuda/pack_segment.hpp"

namespace floe::series_cuda {

extern __shared__ __align__(128) std::uint8_t pack_cluster_shared[];

/// What the first warp of a cluster tells a tile: where it goes, and the base of the tile before.
struct alignas(16) HeldGoal {
  std::uint64_t goal, last_base;
};

/// What is made ready for a segment before its turn comes.
template <core::Word W>
struct ReadySegment {
  PackColumn column;  ///< Parameters of kernels lie far away.
  PackPrefix prefix;
  std::uint8_t head[pack_head_bytes<W>];
};

/// Of a block, ahead of the slots of its warps. What other blocks need of the cluster lies in its first one.
template <core::Word W>
struct ClusterMemory {
  PackTile tiles[most_cluster_tiles];
  HeldGoal goals[cluster_warps];
  std::uint32_t ticket[2];
  std::uint64_t looked_at;  // cluster::Arrivals: of the warps of the cluster, per segment, and of what the second one has made ready
  std::uint64_t placed;     // of the first warp, for each warp of the block
  std::uint64_t taken[2];   // of the second warp
  ReadySegment<W> ready[2];
};
template <core::Word W>
inline constexpr std::uint32_t cluster_memory_bytes = (sizeof(ClusterMemory<W>) + 127) / 128 * 128;

}  // namespace floe::series_cuda
