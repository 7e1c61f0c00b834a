// Chains of columns packed straight to their positions: the kernels. Of pack_clusters, a cluster of blocks
// takes a segment. Of pack_columns, a warp looks at a tile, and then packs one that it or another has looked
// at a while ago: its position is known by then, and its words still lie in the L2 cache; where the warp
// looks at tiles in registers, they come to its slot meanwhile. The warp that is the last one to look at a
// tile of a segment says where its tiles go. Tickets are taken in order and a warp waits for lower ones only,
// so that some warp can always go on.
#pragma once

#include "gpu/encode/encode_target.hpp"
#include "gpu/pack/cluster_packer.hpp"
#include "gpu/pack/pack_held.hpp"
#include "gpu/pack/pack_segment.hpp"
#include "gpu/warp/block_cluster.cuh"

namespace floe::gpu {

extern __shared__ __align__(128) std::uint8_t pack_shared[];

// Tiles and goals say themselves whether they are there, so that no warp waits for its stores.
__device__ inline void write_tile_state(PackTile* to, const PackTile& tile) {
  asm volatile(
      "{\n .reg .b128 both;\n mov.b128 both, {%1, %2};\n st.relaxed.gpu.global.b128 [%0], both;\n}" ::"l"(
          __cvta_generic_to_global(to)),
      "l"(tile.base), "l"(tile.packing)
      : "memory");
}
__device__ inline PackTile read_tile_state(const PackTile* from) {
  PackTile tile;
  asm volatile("{\n .reg .b128 both;\n ld.relaxed.gpu.global.b128 both, [%2];\n mov.b128 {%0, %1}, both;\n}"
               : "=l"(tile.base), "=l"(tile.packing)
               : "l"(__cvta_generic_to_global(from))
               : "memory");
  return tile;
}

template <class Map>
class ChainPacker {
 public:
  using W = typename Map::W;

  __device__ explicit ChainPacker(const PackJob& job)
      : job_(job), slot_(pack_shared + threadIdx.x / warp_lanes * pack_slot_bytes(sizeof(W))) {}

  /// Has the words of a tile that will be packed brought to the slot while the warp looks at another one.
  __device__ void read_ahead(std::uint32_t index) {
    if constexpr (may_read_ahead) {
      const TileOfSegment<Map> at = tile_at(index);
      is_ahead_ = is_near_ && begin_reading(warp_, at, slot_, pack_header_bytes<W>);
    }
  }

  __device__ void look_at(std::uint32_t index) {
    const TileOfSegment<Map> at = tile_at(index);
    const std::uint32_t count = at.words_here(at.chain_words());
    bool good = at.tile > 0 || heads_map(warp_, at);
    if (count > 0) {
      PackTile tile;
      at.with_order([&]<class D>(D) {
        const auto words = at.template chain<D::order>(at.tile);
        if constexpr (may_read_ahead) {
          const bool is_known = look_in_registers(warp_, words, count, at.is_signed(), tile);
          if (count == tile_words) is_near_ = is_known;
          if (is_known) return;
          if (is_ahead_) end_reading();
          is_ahead_ = false;  // the slot is needed
        }
        good = look_at_tile<Map, D::order>(warp_, words, count, at.is_signed(), slot_, tile) && good;
      });
      if (warp_.lane() == 0) write_tile_state(job_.tiles + index, tile);
    }
    if constexpr (Map::fails) {
      if (!good) {
        if (warp_.lane() == 0) atomicExch(job_.failed, 1);
        return;  // the segment is never placed
      }
    }
    std::uint32_t is_last = 0;
    if (warp_.lane() == 0) is_last = atomicAdd(job_.arrivals + segment_index_, 1) + 1 == at.tiles() ? 1 : 0;
    if (warp_.shuffle(is_last, 0) != 0) locate_segment(at, index - at.tile);
  }

  /// What lanes know of a tile to be packed: the first one its own, the second that of the tile before.
  struct Fetched {
    std::uint64_t goal = 0;
    PackTile tile;
  };
  /// Asks for it; it may not be there yet.
  __device__ Fetched fetch(std::uint32_t index) {
    Fetched fetched;
    if (warp_.lane() < 2 && index >= warp_.lane())
      fetched.tile = read_tile_state(job_.tiles + index - warp_.lane());
    if (warp_.lane() == 0) fetched.goal = read_state(job_.goals + index);
    return fetched;
  }

  /// A tile whose position is known; 0 in place of the goal if it has none.
  struct Located {
    std::uint64_t goal = 0, last_base = 0;
    PackTile tile;
  };
  __device__ Located wait_for_offset(std::uint32_t index, Fetched fetched) {
    const TileOfSegment<Map> at = tile_at(index);
    std::uint64_t goal = 0;
    while (true) {
      goal = warp_.shuffle(fetched.goal, 0);
      const bool needs_tile =
          PackGoal::mode_of(goal) == PackGoal::packed && warp_.lane() < (at.tile == 0 ? 1 : 2);
      if (warp_.ballot(goal == 0 || (needs_tile && !fetched.tile.is_known())) == 0) break;
      if (warp_.ballot(has_failed()) != 0) return {};
      __nanosleep(100);
      fetched = fetch(index);
    }
    if (PackGoal::mode_of(goal) == PackGoal::nothing) return {};
    const std::uint64_t before = warp_.shuffle(fetched.tile.base, 1);
    return {goal,
            at.tile == 0 ? origin_of(at) : before,
            {warp_.shuffle(fetched.tile.base, 0), warp_.shuffle(fetched.tile.packing, 0)}};
  }
  __device__ void pack(std::uint32_t index, const Located& located) {
    if constexpr (may_read_ahead) {
      if (is_ahead_) end_reading();
      if (is_ahead_ && suffices(located.goal, located.tile))
        return write_tile_read_ahead(warp_, tile_at(index), located.goal, located.tile, located.last_base,
                                     slot_);
    }
    if (located.goal != 0)
      write_tile(warp_, tile_at(index), located.goal, located.tile, located.last_base, slot_);
  }

  __device__ bool has_failed() const {
    if constexpr (Map::fails) return *static_cast<const volatile std::uint32_t*>(job_.failed) != 0;
    return false;
  }
  __device__ std::uint32_t take_ticket() const { return warp_.lane() == 0 ? atomicAdd(job_.ticket, 1) : 0; }
  __device__ std::uint32_t shared_ticket(std::uint32_t ticket) const { return warp_.shuffle(ticket, 0); }

 private:
  static constexpr bool may_read_ahead = ChainWords<Map, 0>::in_registers;

  __device__ TileOfSegment<Map> tile_at(std::uint32_t index) {
    unsigned c = 0;
    std::uint32_t first_tile = 0, segments_before = 0;
    while (index >= job_.column[c].end_tile) {
      const std::uint32_t tiles_of_segment = (job_.column[c].segment_words + tile_words - 1) / tile_words;
      segments_before += (job_.column[c].end_tile - first_tile + tiles_of_segment - 1) / tiles_of_segment;
      first_tile = job_.column[c++].end_tile;
    }
    const PackColumn& column = job_.column[c];
    const std::uint32_t tiles_of_segment = tiles_of(column.segment_words);
    const std::uint32_t segment = (index - first_tile) / tiles_of_segment;
    segment_index_ = segments_before + segment;
    const std::uint32_t number = column.first_segment + segment;
    return {&column, number, index - first_tile - segment * tiles_of_segment, column.words_of(number),
            column.reciprocal};
  }

  __device__ void end_reading() {
    end_copies();
    warp_.sync();
  }

  /// What the first base of a segment is counted from whose tiles have been looked at.
  __device__ std::uint64_t origin_of(const TileOfSegment<Map>& at) const {
    if constexpr (is_int_mult_map<Map>) {
      std::uint64_t origin = 0;
      while (origin == 0) origin = read_state(&at.column->divisors[at.segment].origin);
      return origin - 1;
    } else {
      return 0;
    }
  }
  __device__ void publish_origin(const TileOfSegment<Map>& at, std::uint64_t origin) {
    if constexpr (is_int_mult_map<Map>) {
      if (warp_.lane() == 0) write_state(&at.column->divisors[at.segment].origin, origin + 1);
    }
  }

  __device__ void locate_segment(const TileOfSegment<Map>& at, std::uint32_t first_tile) {
    PackTile* const tiles = job_.tiles + first_tile;
    const auto read = [&](std::uint32_t v) {
      PackTile tile = read_tile_state(tiles + v);
      while (!tile.is_known()) tile = read_tile_state(tiles + v);
      return tile;
    };
    // Words that are read ahead end before that.
    std::uint8_t* const header = slot_ + pack_slot_bytes(sizeof(W)) - pack_header_bytes<W>;
    const PackPrefix prefix = write_prefix(warp_, at, header);
    const PackOutcome outcome = publish_length(warp_, at, prefix, tiles, header, read);
    publish_origin(at, outcome.origin);
    const auto publish = [&](std::uint64_t segment) {
      for (std::uint32_t tile = warp_.lane(); tile < at.tiles(); tile += warp_lanes)
        write_state(job_.goals + first_tile + tile,
                    PackGoal::moved(goal_in_segment(at, tiles, outcome, tile), segment));
    };
    const std::uint64_t offset =
        at.segment == 0 ? 0
                        : bytes_before(warp_, at.column->states, 0, at.segment, [&] { return has_failed(); });
    if (offset == nowhere) {
      publish(PackGoal::of(PackGoal::stopped, 0));
    } else {
      publish_offset(warp_, at, outcome, offset, header, publish);
    }
    warp_.sync();
  }

  const PackJob& job_;
  DeviceWarp warp_;
  std::uint8_t* const slot_;
  bool is_ahead_ = false;  ///< Words of the tile to be packed are in the slot, or on their way.
  bool is_near_ = true;    ///< The last full tile was looked at in registers, which leaves the slot free.
  std::uint32_t segment_index_ = 0;  ///< Of the tile that was found last, of the launch's segments.
};

/// Blocks of a multiprocessor that registers and shared memory are meant to suffice for.
template <class Map>
inline constexpr unsigned pack_blocks = sizeof(typename Map::W) == 8 || sizeof(typename Map::From) == 8 ? 5
                                        : ChainWords<Map, 0>::in_registers                              ? 7
                                                                                                        : 8;

template <class Map>
__global__ void __launch_bounds__(pack_threads, pack_blocks<Map>)
    pack_columns(const __grid_constant__ PackJob job) {
  ChainPacker<Map> packer(job);
  const std::uint32_t end = job.tile_count + job.lag;
  std::uint32_t next = packer.take_ticket();
  while (true) {
    const std::uint32_t ticket = packer.shared_ticket(next);
    if (ticket >= end || packer.has_failed()) return;
    const bool packs = ticket >= job.lag;
    typename ChainPacker<Map>::Fetched fetched;
    if (packs) {
      fetched = packer.fetch(ticket - job.lag);
      packer.read_ahead(ticket - job.lag);
    }
    if (ticket < job.tile_count) packer.look_at(ticket);
    typename ChainPacker<Map>::Located located;
    if (packs) located = packer.wait_for_offset(ticket - job.lag, fetched);
    // It arrives while the warp packs. Taken earlier, others would wait for that tile while this warp waits.
    next = packer.take_ticket();
    if (packs) packer.pack(ticket - job.lag, located);
  }
}

template <class Map>
PackKernel pack_kernel_of() {
  return {pack_columns<Map>, pack_threads / warp_lanes * pack_slot_bytes(sizeof(typename Map::W)),
          pack_blocks<Map>};
}

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

/// All kernels of a map: clusters only for those whose words of 32 and 64 bits they pack faster.
template <class Map>
PackKernels pack_kernels_of() {
  constexpr bool has_clusters =
      sizeof(typename Map::W) >= 4 && !std::is_same_v<Map, MapSortable<typename Map::W>>;
  PackKernels kernels{pack_kernel_of<Map>(), {}};
  if constexpr (has_clusters) kernels.by_clusters = cluster_kernel_of<Map>();
  return kernels;
}

}  // namespace floe::gpu
