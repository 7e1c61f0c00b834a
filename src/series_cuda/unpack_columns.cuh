// Segments that need no team to words: the kernel. Without a delta, warps take a few vectors of a segment at a time. With one, each
// block takes some of the segments, and its warps take the vectors in turn, from segment to segment without a barrier: a warp that has the
// sum of its vector adds it to that of the vectors before, which it hears from the warp before, and tells the next one.
#pragma once

#include "series_cuda/device_team.cuh"
#include "series_cuda/segment_lists.cuh"
#include "series_cuda/unpack_tile.hpp"

namespace floe::series_cuda {

inline constexpr unsigned unpack_threads = 8 * warp_lanes, unpack_blocks = 3, unpack_warps = unpack_threads / warp_lanes;

/// What a block has in shared memory.
struct UnpackBlock {
  std::uint64_t sums[2][most_unpack_stride];  ///< After the last turns, by turns.
  std::uint32_t told[2];                      ///< How many turns those are.
  UnpackMemory warp[unpack_warps];
};

extern __shared__ __align__(128) std::uint8_t unpack_shared[];

class DeviceUnpacker {
 public:
  __device__ __forceinline__ cuda::DeviceWarp& warp() { return warp_; }
  __device__ __forceinline__ UnpackMemory& memory() const { return block().warp[threadIdx.x / warp_lanes]; }
  __device__ __forceinline__ std::uint8_t*& landing() { return landing_; }
  __device__ __forceinline__ const NextVector& next() const { return next_; }
  __device__ __forceinline__ void set_next(const NextVector& next) { next_ = next; }

  // Vectors of a block's segments are turns, the vectors of its warps one after the other.
  __device__ __forceinline__ void begin_segment(std::uint32_t first_turn) { first_turn_ = first_turn; }
  __device__ void wait_for_turn(std::uint32_t vector) {
    const std::uint32_t turn = first_turn_ + vector;
    if (warp_.lane() == 0) DeviceTeam().wait_for(block().told[(turn + 1) % 2], turn);
    warp_.sync();
    turn_ = turn;
  }
  __device__ std::uint64_t sum(unsigned kind) const { return block().sums[(turn_ + 1) % 2][kind]; }
  __device__ void put_sum(unsigned kind, std::uint64_t sum) const { block().sums[turn_ % 2][kind] = sum; }
  __device__ void pass_turn(std::uint32_t) {
    warp_.sync();
    if (warp_.lane() == 0) DeviceTeam().tell(block().told[turn_ % 2], turn_ + 1);
  }

  /// Before the first turn, by one thread.
  static __device__ void set_up() {
    block().told[0] = ~0u;
    block().told[1] = 0;
  }

 private:
  static __device__ __forceinline__ UnpackBlock& block() { return *reinterpret_cast<UnpackBlock*>(unpack_shared); }

  cuda::DeviceWarp warp_;
  std::uint8_t* landing_ = nullptr;
  NextVector next_;
  std::uint32_t first_turn_ = 0, turn_ = 0;
};

__device__ inline void begin_chain(DeviceUnpacker& unpacker, std::uint32_t bits) {
  unpacker.warp().sync();
  cuda::store_aligned(reinterpret_cast<std::uint8_t*>(&unpacker.memory().chain) + 4 * unpacker.warp().lane(), bits);
  unpacker.warp().sync();
}

/// Unpacks `count` vectors of the chain that was begun, every `step`-th from `first` on. Where they are, lanes fetch at once, and the packed
/// bytes of each are on their way while the one before is unpacked.
__device__ inline void unpack_vectors(DeviceUnpacker& unpacker, const DecodeColumnsJob& job, const DecodeColumn& column, std::uint32_t ticket,
                                      std::uint32_t first, std::uint32_t step, std::uint32_t count) {
  cuda::DeviceWarp& warp = unpacker.warp();
  const UnpackChain& chain = unpacker.memory().chain;
  const std::uint8_t* const places = job.opened + ticket * job.opened_bytes + OpenedRecord::places;
  if (first == 0 && warp.lane() == 0 && column.codes != nullptr)
    column.codes[ticket - (&column == job.column ? 0 : (&column)[-1].end_ticket)] = 0;
  VectorPlace mine;
  for (std::uint32_t i = 0; i < count; ++i) {
    const unsigned lane = i % warp_lanes;
    const std::uint32_t vector = first + i * step;
    if (lane == 0) {
      const std::uint32_t own = i + warp.lane();
      if (own < count) mine = cuda::load_aligned<VectorPlace>(places + (first + own * std::uint64_t{step}) * sizeof(VectorPlace));
    }
    warp.sync();
    if (warp.lane() == lane) unpacker.memory().place = mine;
    NextVector next;
    if (i + 1 < count && lane + 1 < warp_lanes) {
      const std::uint32_t packed = warp.shuffle(mine.packed, lane + 1);
      const bool is_plain = mine.exception_count == 0 && std::uint64_t{vector + step + 1} * tile_words <= chain.count;
      next.width = warp.shuffle(is_plain ? std::uint32_t{mine.width} : ~0u, lane + 1);
      if (next.width != ~0u) next.packed = chain.bytes + packed;
    }
    unpacker.set_next(next);
    warp.sync();
    if (unpack_tile(unpacker, vector) || warp.lane() != 0) continue;
    // A segment with damaged words is left to a team, which finds the damage again and says so.
    std::uint32_t* const state = &reinterpret_cast<UnpackChain*>(job.opened + ticket * job.opened_bytes)->state;
    if (atomicCAS(state, UnpackChain::whole, UnpackChain::failed) == UnpackChain::whole) list_for_teams(job, ticket);
  }
}

__device__ inline void unpack_with_sums(DeviceUnpacker& unpacker, const DecodeColumnsJob& job) {
  const unsigned own = threadIdx.x / warp_lanes;
  std::uint32_t turns = 0;
  for (std::uint32_t i = blockIdx.x; i < job.counters->with_sums; i += gridDim.x) {
    const std::uint32_t ticket = sums_ticket(job, i);
    begin_chain(unpacker, cuda::word32(job.opened + ticket * job.opened_bytes, unpacker.warp().lane()));
    unpacker.begin_segment(turns);
    const DecodeColumn* column = job.column;
    while (ticket >= column->end_ticket) ++column;
    const std::uint32_t vectors = (unpacker.memory().chain.count + tile_words - 1) / tile_words, first = (own - turns) % unpack_warps;
    if (first < vectors) {
      const std::uint32_t count = (vectors - 1 - first) / unpack_warps + 1;
      unpack_vectors(unpacker, job, *column, ticket, first, unpack_warps, count);
    }
    turns += vectors;
  }
}

__device__ inline void unpack_without_sums(DeviceUnpacker& unpacker, const DecodeColumnsJob& job) {
  cuda::DeviceWarp& warp = unpacker.warp();
  while (true) {
    const std::uint32_t index = warp.shuffle(warp.lane() == 0 ? atomicAdd(&job.counters->shares, 1) : 0, 0);
    if (index >= job.share_count) return;
    const ShareOfSegment share = share_of(job, index);
    begin_chain(unpacker, cuda::word32(job.opened + share.ticket * job.opened_bytes, warp.lane()));
    const UnpackChain& chain = unpacker.memory().chain;
    if (chain.state == UnpackChain::none || chain.stride > 0) continue;
    const std::uint32_t vectors = (chain.count + tile_words - 1) / tile_words, left = vectors - min(vectors, share.first);
    unpack_vectors(unpacker, job, *share.column, share.ticket, share.first, 1, min(left, share.count));
  }
}

__global__ void __launch_bounds__(unpack_threads, unpack_blocks) unpack_columns(const __grid_constant__ DecodeColumnsJob job) {
  DeviceUnpacker unpacker;
  if (job.counters->with_sums > 0) {
    if (threadIdx.x == 0) DeviceUnpacker::set_up();
    __syncthreads();
    unpack_with_sums(unpacker, job);
  }
  if (job.counters->chains > 0) unpack_without_sums(unpacker, job);
}

}  // namespace floe::series_cuda
