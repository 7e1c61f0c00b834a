// Chains of columns packed straight to their places, by a cluster of blocks per segment: the kernel. Each warp has a tile of the segment.
// Its words are read once: the warp looks at them, tells the first warp of the cluster, and packs them into shared memory while that one
// finds the place of the segment; until it is known, the words of its next tile are on their way to the L2 cache. As all wait for the first
// warp, the second one does for it what can be done ahead: it takes tickets, and writes what the next segment begins with. Segments are
// taken in order, and a cluster waits for lower ones only, so that some cluster can always go on.
#pragma once

#include "series_cuda/block_cluster.cuh"
#include "series_cuda/cluster_memory.cuh"
#include "series_cuda/pack_held.hpp"
#include "series_cuda/place_segment.cuh"

namespace floe::series_cuda {

#if __CUDA_ARCH__ >= 900
template <class Map>
class ClusterPacker {
 public:
  using W = typename Map::W;

  __device__ explicit ClusterPacker(const PackJob& job)
      : job_(job), own_(threadIdx.x / warp_lanes), tile_(cluster::rank() * cluster_warps + own_) {}

  __device__ void run() {
    begin();
    expect_ticket(0);
    if (is_second()) tell_ticket(0, take_ticket());
    std::uint32_t ticket = hear_ticket(0);
    if (is_second()) make_ready(ticket, 0);
    for (std::uint32_t round = 0; ticket < job_.segment_count; ++round) {
      expect_ticket(round + 1);
      if (threadIdx.x == 0) arrivals(memory().placed).expect(cluster_warps * sizeof(HeldGoal));
      std::uint32_t next = 0;
      if (is_second()) {
        next = take_ticket();
        arrivals(memory().looked_at).arrive();  // each lane for what it has written
      }
      TileOfSegment<Map> at;
      PackTile tile;
      bool is_held = false;
      const std::uint32_t bytes = find_tile(ticket, tile_, at) ? look_and_pack(at, tile, is_held) : tell_looked_at(tile);
      if (is_first()) {
        place(job_.failed, at, round);
        ticket = hear_ticket(round + 1);
      } else {
        ticket = prepare_next(round, next);
      }
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
  static __device__ ClusterMemory<W>& memory() { return *reinterpret_cast<ClusterMemory<W>*>(pack_cluster_shared); }
  static __device__ std::uint8_t* slot() {
    return pack_cluster_shared + cluster_memory_bytes<W> + threadIdx.x / warp_lanes * held_slot_bytes<W>;
  }
  static __device__ cluster::Arrivals& arrivals(std::uint64_t& state) { return reinterpret_cast<cluster::Arrivals&>(state); }
  __device__ bool is_first() const { return tile_ == 0; }
  /// That warp does for the first one what need not be done by it, as all others wait for that.
  __device__ bool is_second() const { return tile_ == 1; }

  __device__ void begin() {
    if (threadIdx.x == 0) {
      arrivals(memory().looked_at).begin(1 + warp_lanes);
      arrivals(memory().placed).begin(1);
      arrivals(memory().taken[0]).begin(1);
      arrivals(memory().taken[1]).begin(1);
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
  /// By each block, before the first warp goes on to what it waits for.
  __device__ void expect_ticket(std::uint32_t round) {
    if (threadIdx.x == 0) arrivals(memory().taken[round % 2]).expect(sizeof(memory().ticket[0]));
  }
  __device__ std::uint32_t hear_ticket(std::uint32_t round) {
    arrivals(memory().taken[round % 2]).wait(round / 2);
    return memory().ticket[round % 2];
  }

  /// A tile of a segment. False if it has none of that number.
  __device__ bool find_tile(std::uint32_t ticket, std::uint32_t tile, TileOfSegment<Map>& at) const {
    if (ticket >= job_.segment_count) return false;
    unsigned c = 0;
    std::uint32_t first = 0;
    while (ticket >= job_.column[c].end_segment) first = job_.column[c++].end_segment;
    const PackColumn& column = job_.column[c];
    const std::uint32_t segment = column.first_segment + ticket - first;
    const std::uint64_t left = column.word_count - std::uint64_t{segment} * column.segment_words;
    at = {&column, segment, tile, left < column.segment_words ? static_cast<std::uint32_t>(left) : column.segment_words, column.reciprocal};
    return tile < at.tiles();
  }

  /// Has the words of a tile brought into the L2 cache.
  __device__ void ask_for_tile(std::uint32_t ticket, std::uint32_t tile) {
    TileOfSegment<Map> at;
    if (!find_tile(ticket, tile, at)) return;
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

  static __device__ bool has_failed(const std::uint32_t* failed) {
    if constexpr (Map::fails) return *static_cast<const volatile std::uint32_t*>(failed) != 0;
    return false;
  }

  /// What is rarely done keeps its registers for itself.
  static __device__ __noinline__ void write(TileOfSegment<Map> at, HeldGoal goal, PackTile tile) {
    cuda::DeviceWarp warp;
    write_tile(warp, at, goal.goal, tile, goal.last_base, slot());
  }

  /// What the other warps do while the first one finds a segment's place; the second one has asked for the next ticket, which is returned.
  __device__ std::uint32_t prepare_next(std::uint32_t round, std::uint32_t next) {
    if (is_second()) tell_ticket(round + 1, next);
    const std::uint32_t ticket = hear_ticket(round + 1);
    ask_for_tile(ticket, tile_);
    if (is_second()) {
      ask_for_tile(ticket, 0);
      // When this round's tiles have been looked at, the first warp is done with what was ready for the round before.
      arrivals(memory().looked_at).wait(round);
      make_ready(ticket, round + 1);
    }
    return ticket;
  }

  /// By the second warp of the cluster: prepares the placing of a segment.
  __device__ void make_ready(std::uint32_t ticket, std::uint32_t round) {
    TileOfSegment<Map> at;
    if (!find_tile(ticket, 0, at)) return;
    ReadySegment<W>& ready = memory().ready[round % 2];
    static_assert(sizeof(PackColumn) % 4 == 0);
    const auto* const from = reinterpret_cast<const std::uint32_t*>(at.column);
    auto* const to = reinterpret_cast<std::uint32_t*>(&ready.column);
    for (std::uint32_t i = warp_.lane(); i < sizeof(PackColumn) / 4; i += warp_lanes) to[i] = from[i];
    const PackPrefix prefix = write_prefix(warp_, at, ready.head);
    if (warp_.lane() == 0) ready.prefix = prefix;
    warp_.sync();
  }

  /// By the first warp of the cluster: when all tiles of a segment have been looked at, tells them where they go.
  static __device__ __noinline__ void place(std::uint32_t* failed, TileOfSegment<Map> at, std::uint32_t round) {
    cuda::DeviceWarp warp;
    static_assert(most_cluster_tiles == 2 * warp_lanes);
    const std::uint32_t own[2] = {warp.lane(), warp.lane() + warp_lanes};
    const std::uint32_t warps = cluster::blocks() * cluster_warps;
    const bool is_there[2] = {own[0] < warps, own[1] < warps};
    std::uint32_t to[2] = {}, placed[2] = {};
    FLOE_UNROLL
    for (unsigned i = 0; i < 2; ++i) {
      if (!is_there[i]) continue;
      to[i] = cluster::address_in(memory().goals + own[i] % cluster_warps, own[i] / cluster_warps);
      placed[i] = cluster::address_in(&memory().placed, own[i] / cluster_warps);
    }
    if (warp.lane() == 0) arrivals(memory().looked_at).expect(warps * sizeof(PackTile));
    arrivals(memory().looked_at).wait(round);
    ReadySegment<W>& ready = memory().ready[round % 2];
    at.column = &ready.column;
    std::uint64_t goal[2] = {}, last_base[2] = {};
    const auto tell = [&](std::uint64_t segment) {
      FLOE_UNROLL
      for (unsigned i = 0; i < 2; ++i) {
        if (is_there[i]) cluster::send(to[i], PackGoal::moved(goal[i], segment), last_base[i], placed[i]);
      }
    };
    if constexpr (Map::fails) {
      bool good = true;
      FLOE_UNROLL
      for (unsigned i = 0; i < 2; ++i) good = good && (own[i] >= at.tiles() || memory().tiles[own[i]].is_known());
      if (warp.ballot(!good) != 0) {
        if (warp.lane() == 0) atomicExch(failed, 1);
        return tell(PackGoal::of(PackGoal::stopped, 0));
      }
    }
    const auto prepare = [&](const PackOutcome& outcome) {
      // Read before any tile is told, as it may then look at its next one and send that here.
      FLOE_UNROLL
      for (unsigned i = 0; i < 2; ++i) {
        goal[i] = goal_in_segment(at, memory().tiles, outcome, own[i]);
        last_base[i] = own[i] == 0 || own[i] >= at.tiles() ? 0 : memory().tiles[own[i] - 1].base;
      }
      warp.sync();
    };
    place_segment(
        warp, at, ready.prefix, memory().tiles, ready.head, [](std::uint32_t v) { return memory().tiles[v]; }, prepare, tell,
        [&] { return has_failed(failed); });
    warp.sync();
  }

  const PackJob& job_;
  cuda::DeviceWarp warp_;
  const std::uint32_t own_;   ///< Which warp of the block it is.
  const std::uint32_t tile_;  ///< Its tile of each segment.
};
#endif

/// Blocks of a multiprocessor that registers and shared memory are meant to suffice for: for words of 32 bits not four, as what lanes have
/// no registers for then goes to memory and back.
template <class Map>
inline constexpr unsigned cluster_blocks = sizeof(typename Map::W) == 8 || sizeof(typename Map::From) == 8 ? 2 : 3;

template <class Map>
__global__ void __launch_bounds__(cluster_warps* warp_lanes, cluster_blocks<Map>) pack_clusters(const __grid_constant__ PackJob job) {
#if __CUDA_ARCH__ >= 900
  ClusterPacker<Map>(job).run();
#endif
}

template <class Map>
PackKernel cluster_kernel_of() {
  using W = typename Map::W;
  constexpr std::uint32_t bytes = cluster_memory_bytes<W> + cluster_warps * held_slot_bytes<W>;
  // The driver leaves less than these blocks need.
  constexpr std::uint32_t of_multiprocessor = 228 << 10, of_block = bytes + 1024;
  return {pack_clusters<Map>, bytes, cluster_blocks<Map>, core::divide_up(100 * cluster_blocks<Map> * of_block, of_multiprocessor)};
}

}  // namespace floe::series_cuda
