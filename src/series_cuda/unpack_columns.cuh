// Segments that need no team to words: the kernel. Without a delta, warps take one vector after the other, of all segments. With one, each
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
  std::uint32_t first_turn_ = 0, turn_ = 0;
};

__device__ inline void begin_chain(DeviceUnpacker& unpacker, std::uint32_t bits) {
  unpacker.warp().sync();
  cuda::store_aligned(reinterpret_cast<std::uint8_t*>(&unpacker.memory().chain) + 4 * unpacker.warp().lane(), bits);
  unpacker.warp().sync();
}

/// 32 bits per lane of a vector's place.
__device__ inline std::uint32_t fetch_place(unsigned lane, const std::uint8_t* record, std::uint32_t vector) {
  if (lane >= sizeof(VectorPlace) / 4) return 0;
  return cuda::word32(record + OpenedRecord::places + std::uint64_t{vector} * sizeof(VectorPlace), lane);
}

/// Unpacks a vector of the chain that was begun, whose place the lanes have.
__device__ inline void unpack_vector_at(DeviceUnpacker& unpacker, const DecodeColumnsJob& job, const DecodeColumn& column,
                                        std::uint32_t ticket, std::uint32_t vector, std::uint32_t place_bits) {
  cuda::DeviceWarp& warp = unpacker.warp();
  warp.sync();
  if (warp.lane() < sizeof(VectorPlace) / 4)
    cuda::store_aligned(reinterpret_cast<std::uint8_t*>(&unpacker.memory().place) + 4 * warp.lane(), place_bits);
  warp.sync();
  const bool good = unpack_tile(unpacker, vector);
  if (warp.lane() != 0) return;
  if (vector == 0 && column.codes != nullptr) column.codes[ticket - (&column == job.column ? 0 : (&column)[-1].end_ticket)] = 0;
  if (good) return;
  // A segment with damaged words is left to a team, which finds the damage again and says so.
  std::uint32_t* const state = &reinterpret_cast<UnpackChain*>(job.opened + ticket * job.opened_bytes)->state;
  if (atomicCAS(state, UnpackChain::whole, UnpackChain::failed) == UnpackChain::whole) list_for_teams(job, ticket);
}

__device__ inline void unpack_with_sums(DeviceUnpacker& unpacker, const DecodeColumnsJob& job) {
  const unsigned lane = unpacker.warp().lane(), own = threadIdx.x / warp_lanes;
  std::uint32_t turns = 0;
  for (std::uint32_t i = blockIdx.x; i < job.counters->with_sums; i += gridDim.x) {
    const std::uint32_t ticket = sums_ticket(job, i);
    const std::uint8_t* const record = job.opened + ticket * job.opened_bytes;
    begin_chain(unpacker, cuda::word32(record, lane));
    unpacker.begin_segment(turns);
    const DecodeColumn* column = job.column;
    while (ticket >= column->end_ticket) ++column;
    const UnpackChain& chain = unpacker.memory().chain;
    const std::uint32_t vectors = (chain.count + tile_words - 1) / tile_words;
    std::uint32_t vector = (own - turns) % unpack_warps, place = 0;
    if (vector < vectors) place = fetch_place(lane, record, vector);
    while (vector < vectors) {
      const std::uint32_t next = vector + unpack_warps;
      const std::uint32_t next_place = next < vectors ? fetch_place(lane, record, next) : 0;
      unpack_vector_at(unpacker, job, *column, ticket, vector, place);
      vector = next;
      place = next_place;
    }
    turns += vectors;
  }
}

/// A vector that a warp has taken, and what its lanes have asked for.
struct TakenVector {
  std::uint32_t index = 0, ticket = 0, vector = 0;
  const DecodeColumn* column = nullptr;
  std::uint32_t chain_bits = 0, place_bits = 0;
};

__device__ inline TakenVector fetch_vector(const DecodeColumnsJob& job, unsigned lane, std::uint32_t index) {
  TakenVector taken{index};
  if (index >= job.tile_count) return taken;
  std::uint32_t first_tile = 0, first_ticket = 0;
  taken.column = job.column;
  for (; index >= taken.column->end_tile; ++taken.column) {
    first_tile = taken.column->end_tile;
    first_ticket = taken.column->end_ticket;
  }
  const std::uint32_t vectors = vectors_of_segment(*taken.column), segment = (index - first_tile) / vectors;
  taken.ticket = first_ticket + segment;
  taken.vector = index - first_tile - segment * vectors;
  const std::uint8_t* const record = job.opened + taken.ticket * job.opened_bytes;
  taken.chain_bits = cuda::word32(record, lane);
  taken.place_bits = fetch_place(lane, record, taken.vector);
  return taken;
}

__device__ inline void unpack_without_sums(DeviceUnpacker& unpacker, const DecodeColumnsJob& job) {
  cuda::DeviceWarp& warp = unpacker.warp();
  const auto take = [&] { return warp.lane() == 0 ? atomicAdd(&job.counters->tiles, 1) : 0; };
  TakenVector taken = fetch_vector(job, warp.lane(), warp.shuffle(take(), 0));
  std::uint32_t next = take();
  while (taken.index < job.tile_count) {
    // What is needed of the next vector is asked for long before.
    const TakenVector following = fetch_vector(job, warp.lane(), warp.shuffle(next, 0));
    next = take();
    begin_chain(unpacker, taken.chain_bits);
    const UnpackChain& chain = unpacker.memory().chain;
    if (chain.state != UnpackChain::none && chain.stride == 0 && std::uint64_t{taken.vector} * tile_words < chain.count)
      unpack_vector_at(unpacker, job, *taken.column, taken.ticket, taken.vector, taken.place_bits);
    taken = following;
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
