// Packs the segments of columns with a cluster of blocks, one after the other. Each warp has a tile of the
// segment. Its words are read once: the warp looks at them, reports to the warp that locates segments, and
// packs them into shared memory. While that one finds the offset of the segment, the warp goes on to its tile
// of the next one, whose packed bytes have room beside those that wait. Segments are taken in order, and a
// cluster waits for lower ones only, so that some cluster can always go on.
#pragma once

#include "gpu/pack/cluster_scheduler.hpp"
#include "gpu/warp/block.hpp"

namespace floe::gpu {

/// `Block` is ClusterBlock (block_cluster.cuh), or on the CPU test::EmulatedClusterBlock.
template <class Map, class Block>
class ClusterPacker {
 public:
  using W = typename Map::W;

  FLOE_DEVICE ClusterPacker(const Block& block, const PackJob& job)
      : block_(block),
        warp_(block.warp()),
        job_(job),
        own_(block.warp_index()),
        tile_(block.rank() * cluster_warps + own_) {}

  FLOE_DEVICE void run() {
    std::uint32_t ticket = wait_for_ticket(0), round = 0;
    for (;; ++round) {
      const bool is_end = ticket >= job_.segment_count;
      if (!is_end) {
        if (block_.is_first_thread())
          block_.expect(memory().located[round % cluster_rounds], cluster_warps * sizeof(HeldGoal));
        if (stopped_after_ == 0) {
          look_at(ticket, round);
        } else {
          publish_looked_at({}, round);
        }
      }
      const std::uint32_t next = wait_for_ticket(round + 1);
      if (stopped_after_ != 0) break;
      if (!is_end) prefetch_tile(next);
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
    for (round += 2; round < stopped_after_; ++round) wait_for_ticket(round);
  }

 private:
  FLOE_DEVICE ClusterMemory<W>& memory() const { return memory_of<W>(block_); }
  FLOE_DEVICE std::uint8_t* warp_memory() const {
    return block_.shared() + cluster_memory_bytes<W> + block_.warp_index() * held_warp_bytes<W>;
  }
  FLOE_DEVICE WaitingTile& waiting(std::uint32_t round) const {
    return memory().waiting[round % cluster_rounds][own_];
  }
  /// Where a tile's packed bytes wait.
  FLOE_DEVICE std::uint8_t* slot(std::uint32_t round) const {
    return warp_memory() + round % cluster_rounds * held_slot_bytes<W>;
  }
  /// What is free beside those of the tile before.
  FLOE_DEVICE std::uint8_t* room(std::uint32_t round) const {
    return warp_memory() + round % cluster_rounds * held_packed_bytes;
  }

  FLOE_DEVICE std::uint32_t wait_for_ticket(std::uint32_t round) {
    std::uint64_t& taken = memory().taken[round % cluster_tickets];
    block_.wait(taken, round / cluster_tickets);
    const std::uint32_t ticket = memory().ticket[round % cluster_tickets];
    if (block_.is_first_thread()) block_.expect(taken, sizeof ticket);
    return ticket;
  }

  /// Has the words of a tile brought into the L2 cache.
  FLOE_DEVICE void prefetch_tile(std::uint32_t ticket) {
    TileOfSegment<Map> at;
    if (!find_tile(job_, ticket, tile_, at)) return;
    const std::uint32_t words = at.words_here(at.words);
    prefetch(warp_, at.segment_start() + std::uint64_t{at.tile} * tile_words * sizeof(typename Map::From),
             words * static_cast<std::uint32_t>(sizeof(typename Map::From)));
  }

  FLOE_DEVICE void publish_looked_at(const PackTile& tile, std::uint32_t round) const {
    const unsigned buffer = round % cluster_rounds;
    if (warp_.lane() == 0)
      block_.send(0, memory().tiles[buffer] + tile_, tile.base, tile.packing, memory().looked_at + buffer);
  }

  FLOE_DEVICE void look_at(std::uint32_t ticket, std::uint32_t round) {
    TileOfSegment<Map> at;
    WaitingTile made;
    if (find_tile(job_, ticket, tile_, at)) {
      look_and_pack(at, made, round);
    } else {
      publish_looked_at(made.tile, round);
    }
    made.ticket = ticket;
    warp_.sync();  // what is there of two rounds before has been read by all lanes
    if (warp_.lane() == 0) waiting(round) = made;
    warp_.sync();
  }

  /// A tile that is published as unknown has a word that does not map.
  FLOE_DEVICE void look_and_pack(const TileOfSegment<Map>& at, WaitingTile& made, std::uint32_t round) {
    const std::uint32_t count = at.words_here(at.chain_words());
    PackTile& tile = made.tile;
    tile.packing = PackTile::known;
    if (count == 0) {
      if (at.tile == 0 && !heads_map(warp_, at)) tile.packing = 0;
      return publish_looked_at(tile, round);
    }
    TileDistances<W> distances;
    HeldOutcome outcome;
    HeldWords<Map> held;
    read_held(warp_, at, held);
    at.with_order([&]<class D>(D) {
      outcome = find_held_distances<Map, D::order>(warp_, at, held, count, room(round), distances);
    });
    if (!outcome.is_near) {
      at.with_order([&]<class D>(D) {
        outcome.is_good = look_at_tile<Map, D::order>(warp_, at.template chain<D::order>(at.tile), count,
                                                      at.is_signed(), room(round), tile) &&
                          outcome.is_good;
      });
      if (!outcome.is_good) tile.packing = 0;
      return publish_looked_at(tile, round);
    }
    const Packing packing = choose_packing(warp_, distances, count);
    tile = {distances.base, outcome.is_good ? PackTile::pack(packing) : 0};
    publish_looked_at(tile, round);
    made.is_held = true;
    made.bytes = pack_held(warp_, distances, count, packing, slot(round) + slot_header);
  }

  /// Waits for the position of a tile and writes it. False if the launch stops.
  FLOE_DEVICE bool finish(std::uint32_t round) {
    block_.wait(memory().located[round % cluster_rounds], round / cluster_rounds);
    const HeldGoal goal = memory().goals[round % cluster_rounds][own_];
    const WaitingTile made = waiting(round);
    warp_.sync();  // once a lane reports another tile, another goal may come
    const PackGoal::Mode mode = PackGoal::mode_of(goal.goal);
    if (mode == PackGoal::stopped) {
      stopped_after_ = static_cast<std::uint32_t>(goal.last_base);
      return false;
    }
    if (mode == PackGoal::nothing) return true;
    TileOfSegment<Map> at;
    find_tile(job_, made.ticket, tile_, at);
    const bool is_written = made.is_held && write_held_tile(warp_, at, goal.goal, made.tile, goal.last_base,
                                                            slot(round), made.bytes);
    if (!is_written) write(warp_, at, goal, made.tile, made.is_held ? room(round) : warp_memory());
    return true;
  }

  /// What is rarely done keeps its registers for itself.
  static FLOE_DEVICE_CALL void write(typename Block::Warp warp, TileOfSegment<Map> at, HeldGoal goal,
                                     PackTile tile, std::uint8_t* slot) {
    write_tile(warp, at, goal.goal, tile, goal.last_base, slot);
  }

  Block block_;
  typename Block::Warp warp_;
  const PackJob& job_;
  const std::uint32_t own_;          ///< Which warp of the block it is.
  const std::uint32_t tile_;         ///< Its tile of each segment.
  std::uint32_t stopped_after_ = 0;  ///< So many tickets; 0 if the launch goes on.
};

/// Packs segments of a job as long as there are any. By all warps of a cluster, cluster_warps + 1 per block.
template <class Map, class Block>
FLOE_DEVICE void pack_by_cluster(const Block& block, const PackJob& job) {
  using W = typename Map::W;
  if (block.is_first_thread()) {
    ClusterMemory<W>& memory = memory_of<W>(block);
    for (std::uint64_t& state : memory.looked_at) block.begin(state);
    for (std::uint64_t& state : memory.located) block.begin(state);
    for (std::uint64_t& state : memory.taken) block.begin(state);
    for (std::uint64_t& state : memory.taken) block.expect(state, sizeof(memory.ticket[0]));
  }
  block.sync();
  if (block.warp_index() < cluster_warps) {
    ClusterPacker<Map, Block>(block, job).run();
  } else if (block.rank() == 0) {
    ClusterScheduler<Map, Block>(block, job).run();
  }
  block.warp().sync();
  block.sync();  // nobody's memory goes away before all are done with it
}

}  // namespace floe::gpu
