// Chains of columns packed straight to their places, by a cluster of blocks per segment: the kernel. Each warp has a tile of the segment.
// Its words are read once: the warp looks at them, tells the first warp of the cluster, and packs them into shared memory while that one
// finds the place of the segment; until it is known, the words of its next tile are on their way to the L2 cache. Segments are taken in
// order, and a cluster waits for lower ones only, so that some cluster can always go on.
#pragma once

#include "series_cuda/block_cluster.cuh"
#include "series_cuda/encode_segment.hpp"
#include "series_cuda/pack_held.hpp"
#include "series_cuda/place_segment.cuh"

namespace floe::series_cuda {

extern __shared__ __align__(128) std::uint8_t pack_cluster_shared[];

/// What the first warp of a cluster tells a tile: where it goes, and the base of the tile before.
struct alignas(16) HeldGoal {
  std::uint64_t goal, last_base;
};

/// Of a block, ahead of the slots of its warps. What other blocks need of the cluster lies in its first one.
struct ClusterMemory {
  PackTile tiles[most_cluster_tiles];
  HeldGoal goals[cluster_warps];
  std::uint32_t ticket[2];
  std::uint64_t looked_at;  // cluster::Arrivals: of the warps of the cluster, per segment
  std::uint64_t placed;     // of the first warp, for each warp of the block
  std::uint64_t taken[2];   // of the first warp
  std::uint8_t head[pack_head_bytes];
};
inline constexpr std::uint32_t cluster_memory_bytes = (sizeof(ClusterMemory) + 127) / 128 * 128;

#if __CUDA_ARCH__ >= 900
template <class Map>
class ClusterPacker {
 public:
  using W = typename Map::W;

  __device__ explicit ClusterPacker(const PackJob& job)
      : job_(job), own_(threadIdx.x / warp_lanes), tile_(cluster::rank() * cluster_warps + own_) {}

  __device__ void run() {
    begin();
    if (is_first()) tell_ticket(0, take_ticket());
    std::uint32_t ticket = hear_ticket(0);
    for (std::uint32_t round = 0; ticket < job_.segment_count; ++round) {
      std::uint32_t next = 0;
      if (is_first()) next = take_ticket();
      TileOfSegment<Map> at;
      PackTile tile;
      bool is_held = false;
      const std::uint32_t bytes = find_tile(ticket, at) ? look_and_pack(at, tile, is_held) : tell_looked_at(tile);
      if (is_first()) {
        tell_ticket(round + 1, next);
        place(job_, at, round);
      }
      ticket = hear_ticket(round + 1);
      ask_for_tile(ticket);
      if (threadIdx.x == 0) arrivals(memory().placed).expect(cluster_warps * sizeof(HeldGoal));
      arrivals(memory().placed).wait(round);
      const HeldGoal goal = memory().goals[own_];
      warp_.sync();  // once a lane tells of the next tile, the next goal may come
      if (PackGoal::mode_of(goal.goal) == PackGoal::stopped) break;
      if (PackGoal::mode_of(goal.goal) == PackGoal::packed && is_held) {
        const std::uint32_t head = put_vector_head<W>(warp_, tile, goal.last_base, slot());
        copy_from_slot(warp_, at.column->out + (goal.goal & PackGoal::place), slot() + slot_head - head, head + bytes);
        warp_.sync();
      } else if (PackGoal::mode_of(goal.goal) != PackGoal::nothing) {
        write(at, goal, tile);
      }
    }
    warp_.sync();
    cluster::sync();  // nobody's memory goes away before all are done with it
  }

 private:
  // Not members, so that the compiler knows what kind of memory they lie in.
  static __device__ ClusterMemory& memory() { return *reinterpret_cast<ClusterMemory*>(pack_cluster_shared); }
  static __device__ std::uint8_t* slot() {
    return pack_cluster_shared + cluster_memory_bytes + threadIdx.x / warp_lanes * pack_slot_bytes(sizeof(W));
  }
  static __device__ cluster::Arrivals& arrivals(std::uint64_t& state) { return reinterpret_cast<cluster::Arrivals&>(state); }
  __device__ bool is_first() const { return tile_ == 0; }

  __device__ void begin() {
    if (threadIdx.x == 0) {
      arrivals(memory().looked_at).begin();
      arrivals(memory().placed).begin();
      arrivals(memory().taken[0]).begin();
      arrivals(memory().taken[1]).begin();
    }
    cluster::sync();
  }

  __device__ std::uint32_t take_ticket() const { return warp_.lane() == 0 ? atomicAdd(job_.ticket, 1) : 0; }
  __device__ void tell_ticket(std::uint32_t round, std::uint32_t ticket) {
    ticket = warp_.shuffle(ticket, 0);
    if (warp_.lane() < cluster::blocks()) {
      cluster::send(cluster::address_in(memory().ticket + round % 2, warp_.lane()), ticket,
                    cluster::address_in(memory().taken + round % 2, warp_.lane()));
    }
  }
  __device__ std::uint32_t hear_ticket(std::uint32_t round) {
    if (threadIdx.x == 0) arrivals(memory().taken[round % 2]).expect(sizeof(memory().ticket[0]));
    arrivals(memory().taken[round % 2]).wait(round / 2);
    return memory().ticket[round % 2];
  }

  /// The tile of a segment that this warp has. False if it has none.
  __device__ bool find_tile(std::uint32_t ticket, TileOfSegment<Map>& at) const {
    if (ticket >= job_.segment_count) return false;
    unsigned c = 0;
    std::uint32_t first = 0;
    while (ticket >= job_.column[c].end_segment) first = job_.column[c++].end_segment;
    const PackColumn& column = job_.column[c];
    const std::uint32_t segment = column.first_segment + ticket - first;
    const std::uint64_t left = column.word_count - std::uint64_t{segment} * column.segment_words;
    at = {&column, segment, tile_, left < column.segment_words ? static_cast<std::uint32_t>(left) : column.segment_words,
          column.reciprocal};
    return tile_ < at.tiles();
  }

  /// Has the words of a tile brought into the L2 cache.
  __device__ void ask_for_tile(std::uint32_t ticket) {
    TileOfSegment<Map> at;
    if (!find_tile(ticket, at)) return;
    const std::uint32_t words = at.words_here(at.words);
    prefetch(warp_, at.segment_start() + std::uint64_t{at.tile} * packed_words * sizeof(typename Map::From),
             words * static_cast<std::uint32_t>(sizeof(typename Map::From)));
  }

  __device__ std::uint32_t tell_looked_at(const PackTile& tile) const {
    if (warp_.lane() == 0) {
      cluster::send(cluster::address_in(memory().tiles + tile_, 0), tile.base, tile.packing, cluster::address_in(&memory().looked_at, 0));
    }
    return 0;
  }

  /// Returns the bytes of the tile in the slot, if it is held there. A tile that is not known has a word that does not map.
  __device__ std::uint32_t look_and_pack(const TileOfSegment<Map>& at, PackTile& tile, bool& is_held) {
    const std::uint32_t count = at.words_here(at.chain_words());
    tile.packing = PackTile::known;
    if (count == 0) {
      if (at.tile == 0 && !heads_map(warp_, at)) tile.packing = 0;
      return tell_looked_at(tile);
    }
    TileDistances<W> distances;
    HeldOutcome outcome;
    HeldWords<Map> held;
    read_held(warp_, at, held);
    with_order(at.column->order,
               [&]<class D>(D) { outcome = find_held_distances<Map, D::order>(warp_, at, held, count, slot(), distances); });
    if (!outcome.is_near) {
      with_order(at.column->order, [&]<class D>(D) {
        outcome.is_good = look_at_tile<Map, D::order>(warp_, at.template chain<D::order>(at.tile), count, at.is_signed(), slot(), tile) &&
                          outcome.is_good;
      });
      if (!outcome.is_good) tile.packing = 0;
      return tell_looked_at(tile);
    }
    const Packing packing = choose_packing(warp_, distances, count);
    tile = {distances.base, outcome.is_good ? PackTile::pack(packing.width, packing.full_width, packing.exceptions) : 0};
    tell_looked_at(tile);
    is_held = true;
    return pack_held(warp_, distances, count, packing, slot() + slot_head);
  }

  static __device__ bool has_failed(const PackJob& job) {
    if constexpr (Map::fails) return *static_cast<const volatile std::uint32_t*>(job.failed) != 0;
    return false;
  }

  /// What is rarely done keeps its registers for itself.
  static __device__ __noinline__ void write(TileOfSegment<Map> at, HeldGoal goal, PackTile tile) {
    cuda::DeviceWarp warp;
    write_tile(warp, at, goal.goal, tile, goal.last_base, slot());
  }

  /// By the first warp of the cluster: when all tiles of a segment have been looked at, tells them where they go.
  static __device__ __noinline__ void place(const PackJob& job, TileOfSegment<Map> at, std::uint32_t round) {
    cuda::DeviceWarp warp;
    const std::uint32_t tiles = cluster::blocks() * cluster_warps;
    if (warp.lane() == 0) arrivals(memory().looked_at).expect(tiles * sizeof(PackTile));
    arrivals(memory().looked_at).wait(round);
    // Read before any tile is told, as it may then look at its next one and send that here.
    static_assert(most_cluster_tiles == 2 * warp_lanes);
    const auto base_before = [&](std::uint32_t tile) { return tile == 0 || tile >= at.tiles() ? 0 : memory().tiles[tile - 1].base; };
    const std::uint64_t last_base[2] = {base_before(warp.lane()), base_before(warp.lane() + warp_lanes)};
    warp.sync();
    const auto tell = [&](std::uint32_t tile, std::uint64_t goal) {
      const std::uint32_t block = tile / cluster_warps;
      cluster::send(cluster::address_in(memory().goals + tile % cluster_warps, block), goal, last_base[tile < warp_lanes ? 0 : 1],
                    cluster::address_in(&memory().placed, block));
    };
    if constexpr (Map::fails) {
      bool good = true;
      for (std::uint32_t tile = warp.lane(); tile < at.tiles(); tile += warp_lanes) good = good && memory().tiles[tile].is_known();
      if (warp.ballot(!good) != 0) {
        if (warp.lane() == 0) atomicExch(job.failed, 1);
      }
      if (warp.ballot(!good || has_failed(job)) != 0) {
        for (std::uint32_t tile = warp.lane(); tile < tiles; tile += warp_lanes) tell(tile, PackGoal::of(PackGoal::stopped, 0));
        return;
      }
    }
    place_segment(
        warp, at, memory().tiles, memory().head, [](const PackTile* tile) { return *tile; }, tell, [&] { return has_failed(job); });
    for (std::uint32_t tile = at.tiles() + warp.lane(); tile < tiles; tile += warp_lanes) tell(tile, PackGoal::of(PackGoal::nothing, 0));
    warp.sync();
  }

  const PackJob& job_;
  cuda::DeviceWarp warp_;
  const std::uint32_t own_;   ///< Which warp of the block it is.
  const std::uint32_t tile_;  ///< Its tile of each segment.
};
#endif

/// Blocks of a multiprocessor that registers and shared memory are meant to suffice for.
template <class Map>
inline constexpr unsigned cluster_blocks = sizeof(typename Map::W) == 8 || sizeof(typename Map::From) == 8 ? 2 : 4;

template <class Map>
__global__ void __launch_bounds__(cluster_warps* warp_lanes, cluster_blocks<Map>) pack_clusters(const __grid_constant__ PackJob job) {
#if __CUDA_ARCH__ >= 900
  ClusterPacker<Map>(job).run();
#endif
}

template <class Map>
PackKernel cluster_kernel_of() {
  return {pack_clusters<Map>, cluster_memory_bytes + cluster_warps * pack_slot_bytes(sizeof(typename Map::W)), cluster_blocks<Map>};
}

}  // namespace floe::series_cuda
