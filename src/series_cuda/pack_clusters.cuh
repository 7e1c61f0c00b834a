// Chains of columns packed straight to their places, by a cluster of blocks per segment: the kernel. Each warp has a tile of the segment.
// Its words are read once: the warp looks at them, tells the warp that places segments, and packs them into shared memory. While that one
// finds the place of the segment, the warp goes on to its tile of the next one, whose packed bytes have room beside those that wait.
// Segments are taken in order, and a cluster waits for lower ones only, so that some cluster can always go on.
#pragma once

#include "series_cuda/place_cluster.cuh"

namespace floe::series_cuda {

#if __CUDA_ARCH__ >= 900
template <class Map>
class ClusterPacker {
 public:
  using W = typename Map::W;

  __device__ explicit ClusterPacker(const PackJob& job)
      : job_(job), own_(threadIdx.x / warp_lanes), tile_(cluster::rank() * cluster_warps + own_) {}

  __device__ void run() {
    std::uint32_t ticket = hear_ticket(0), round = 0;
    for (;; ++round) {
      const bool is_end = ticket >= job_.segment_count;
      if (!is_end) {
        if (threadIdx.x == 0) arrivals(memory().placed[round % cluster_rounds]).expect(cluster_warps * sizeof(HeldGoal));
        if (stopped_after_ == 0) {
          look_at(ticket, round);
        } else {
          tell_looked_at({}, round);
        }
      }
      const std::uint32_t next = hear_ticket(round + 1);
      if (stopped_after_ != 0) break;
      if (!is_end) ask_for_tile(next);
      if (round > 0 && !waiting(round - 1).is_done && !finish(round - 1)) break;
      if (is_end) break;
      // A tile that is not held needs all of the warp's memory.
      if (!waiting(round).is_held) {
        finish(round);
        if (warp_.lane() == 0) waiting(round).is_done = true;
        warp_.sync();
      }
      ticket = next;
    }
    // So that nothing arrives in memory that is no more.
    for (round += 2; round < stopped_after_; ++round) hear_ticket(round);
  }

 private:
  static __device__ ClusterMemory<W>& memory() { return cluster_memory<W>(); }
  static __device__ std::uint8_t* warp_memory() {
    return pack_cluster_shared + cluster_memory_bytes<W> + threadIdx.x / warp_lanes * held_warp_bytes<W>;
  }
  __device__ WaitingTile& waiting(std::uint32_t round) const { return memory().waiting[round % cluster_rounds][own_]; }
  /// Where a tile's packed bytes wait.
  static __device__ std::uint8_t* slot(std::uint32_t round) { return warp_memory() + round % cluster_rounds * held_slot_bytes<W>; }
  /// What is free beside those of the tile before.
  static __device__ std::uint8_t* room(std::uint32_t round) { return warp_memory() + round % cluster_rounds * held_packed_bytes; }

  __device__ std::uint32_t hear_ticket(std::uint32_t round) {
    cluster::Arrivals& taken = arrivals(memory().taken[round % cluster_tickets]);
    taken.wait(round / cluster_tickets);
    const std::uint32_t ticket = memory().ticket[round % cluster_tickets];
    if (threadIdx.x == 0) taken.expect(sizeof ticket);
    return ticket;
  }

  /// Has the words of a tile brought into the L2 cache.
  __device__ void ask_for_tile(std::uint32_t ticket) {
    TileOfSegment<Map> at;
    if (!find_tile(job_, ticket, tile_, at)) return;
    const std::uint32_t words = at.words_here(at.words);
    prefetch(warp_, at.segment_start() + std::uint64_t{at.tile} * packed_words * sizeof(typename Map::From),
             words * static_cast<std::uint32_t>(sizeof(typename Map::From)));
  }

  __device__ void tell_looked_at(const PackTile& tile, std::uint32_t round) const {
    if (warp_.lane() == 0) {
      cluster::send(cluster::address_in(memory().tiles[round % cluster_rounds] + tile_, 0), tile.base, tile.packing,
                    cluster::address_in(memory().looked_at + round % cluster_rounds, 0));
    }
  }

  __device__ void look_at(std::uint32_t ticket, std::uint32_t round) {
    TileOfSegment<Map> at;
    WaitingTile made;
    if (find_tile(job_, ticket, tile_, at)) {
      look_and_pack(at, made, round);
    } else {
      tell_looked_at(made.tile, round);
    }
    made.ticket = ticket;
    if (warp_.lane() == 0) waiting(round) = made;
    warp_.sync();
  }

  /// A tile that is told as unknown has a word that does not map.
  __device__ void look_and_pack(const TileOfSegment<Map>& at, WaitingTile& made, std::uint32_t round) {
    const std::uint32_t count = at.words_here(at.chain_words());
    PackTile& tile = made.tile;
    tile.packing = PackTile::known;
    if (count == 0) {
      if (at.tile == 0 && !heads_map(warp_, at)) tile.packing = 0;
      return tell_looked_at(tile, round);
    }
    TileDistances<W> distances;
    HeldOutcome outcome;
    HeldWords<Map> held;
    read_held(warp_, at, held);
    with_order(at.column->order,
               [&]<class D>(D) { outcome = find_held_distances<Map, D::order>(warp_, at, held, count, room(round), distances); });
    if (!outcome.is_near) {
      with_order(at.column->order, [&]<class D>(D) {
        outcome.is_good =
            look_at_tile<Map, D::order>(warp_, at.template chain<D::order>(at.tile), count, at.is_signed(), room(round), tile) &&
            outcome.is_good;
      });
      if (!outcome.is_good) tile.packing = 0;
      return tell_looked_at(tile, round);
    }
    const Packing packing = choose_packing(warp_, distances, count);
    tile = {distances.base, outcome.is_good ? PackTile::pack(packing.width, packing.full_width, packing.exceptions) : 0};
    tell_looked_at(tile, round);
    made.is_held = true;
    made.bytes = pack_held(warp_, distances, count, packing, slot(round) + slot_head);
  }

  /// Waits for the place of a tile and writes it. False if the launch stops.
  __device__ bool finish(std::uint32_t round) {
    arrivals(memory().placed[round % cluster_rounds]).wait(round / cluster_rounds);
    const HeldGoal goal = memory().goals[round % cluster_rounds][own_];
    const WaitingTile made = waiting(round);
    warp_.sync();  // once a lane tells of another tile, another goal may come
    const PackGoal::Mode mode = PackGoal::mode_of(goal.goal);
    if (mode == PackGoal::stopped) {
      stopped_after_ = static_cast<std::uint32_t>(goal.last_base);
      return false;
    }
    if (mode == PackGoal::nothing) return true;
    TileOfSegment<Map> at;
    find_tile(job_, made.ticket, tile_, at);
    const bool is_written = made.is_held && write_held_tile(warp_, at, goal.goal, made.tile, goal.last_base, slot(round), made.bytes);
    if (!is_written) write(at, goal, made.tile, made.is_held ? room(round) : warp_memory());
    return true;
  }

  /// What is rarely done keeps its registers for itself.
  static __device__ __noinline__ void write(TileOfSegment<Map> at, HeldGoal goal, PackTile tile, std::uint8_t* slot) {
    cuda::DeviceWarp warp;
    write_tile(warp, at, goal.goal, tile, goal.last_base, slot);
  }

  const PackJob& job_;
  cuda::DeviceWarp warp_;
  const std::uint32_t own_;          ///< Which warp of the block it is.
  const std::uint32_t tile_;         ///< Its tile of each segment.
  std::uint32_t stopped_after_ = 0;  ///< So many tickets; 0 if the launch goes on.
};

template <core::Word W>
__device__ void begin_cluster() {
  if (threadIdx.x == 0) {
    ClusterMemory<W>& memory = cluster_memory<W>();
    for (std::uint64_t& state : memory.looked_at) arrivals(state).begin(1);
    for (std::uint64_t& state : memory.placed) arrivals(state).begin(1);
    for (std::uint64_t& state : memory.taken) arrivals(state).begin(1);
    for (std::uint64_t& state : memory.taken) arrivals(state).expect(sizeof(memory.ticket[0]));
  }
  cluster::sync();
}
#endif

/// Blocks of a multiprocessor that registers and shared memory are meant to suffice for: with more of them, what lanes have no registers
/// for would go to memory and back.
template <class Map>
inline constexpr unsigned cluster_blocks = sizeof(typename Map::W) == 8 || sizeof(typename Map::From) == 8 ? 2 : 3;

template <class Map>
__global__ void __launch_bounds__(cluster_threads, cluster_blocks<Map>) pack_clusters(const __grid_constant__ PackJob job) {
#if __CUDA_ARCH__ >= 900
  begin_cluster<typename Map::W>();
  if (threadIdx.x < cluster_warps * warp_lanes) {
    ClusterPacker<Map>(job).run();
  } else if (cluster::rank() == 0) {
    ClusterPlacer<Map>(job).run();
  }
  __syncwarp();
  cluster::sync();  // nobody's memory goes away before all are done with it
#endif
}

template <class Map>
PackKernel cluster_kernel_of() {
  constexpr std::uint32_t bytes = cluster_shared_bytes<typename Map::W>;
  // The driver leaves less than these blocks need.
  constexpr std::uint32_t of_multiprocessor = 228 << 10, of_block = bytes + 1024;
  static_assert(cluster_blocks<Map> * of_block <= of_multiprocessor);
  return {pack_clusters<Map>, bytes, cluster_blocks<Map>, core::divide_up(100 * cluster_blocks<Map> * of_block, of_multiprocessor)};
}

}  // namespace floe::series_cuda
