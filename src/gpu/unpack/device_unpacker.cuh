// A warp of a group that unpacks vectors: what it shares with the group's other warps.
#pragma once

#include "gpu/unpack/unpack_tile.hpp"
#include "gpu/unpack/unpack_vectors.cuh"

namespace floe::gpu {

class DeviceUnpacker : public VectorPipeline {
 public:
  __device__ __forceinline__ UnpackMemory& memory() const {
    return group().warp[threadIdx.x / warp_lanes % group_warps];
  }

  // Vectors of a group's segments are turns, the vectors of its warps one after the other.
  __device__ __forceinline__ void begin_segment(std::uint32_t first_turn) { first_turn_ = first_turn; }
  __device__ void wait_for_turn(std::uint32_t vector) {
    const std::uint32_t turn = first_turn_ + vector;
    if (warp().lane() == 0) wait_for_word(group().published[(turn + 1) % 2], turn);
    warp().sync();
    turn_ = turn;
  }
  __device__ std::uint64_t sum(unsigned kind) const { return group().sums[(turn_ + 1) % 2][kind]; }
  __device__ void put_sum(unsigned kind, std::uint64_t sum) const { group().sums[turn_ % 2][kind] = sum; }
  __device__ void pass_turn(std::uint32_t) {
    warp().sync();
    if (warp().lane() == 0) publish_word(group().published[turn_ % 2], turn_ + 1);
  }

  /// Before the first turn, by one thread of a group.
  __device__ void set_up() const {
    group().published[0] = ~0u;
    group().published[1] = 0;
  }

 private:
  static __device__ __forceinline__ UnpackGroup& group() {
    return reinterpret_cast<UnpackGroup*>(unpack_shared)[own_group()];
  }

  std::uint32_t first_turn_ = 0, turn_ = 0;
};

}  // namespace floe::gpu
