// Finds where the segments of a cluster go. One warp takes the tickets, prepares what a segment begins
// with, publishes how long it is when all of its tiles have been looked at, and gives these offsets when
// when the segments before have published their lengths. It has no tile itself: tiles would wait for it.
// While the offset of one segment is not known, it publishes the length of the next one, for which others
// wait.
#pragma once

#include "gpu/pack/pack_held.hpp"
#include "gpu/pack/pack_segment.hpp"
#include "gpu/warp/atomics.hpp"

namespace floe::gpu {

/// What a tile is published by the warp that places segments: where it goes, and the base of the tile before.
/// If it is to stop, how many tickets have been published instead.
struct alignas(16) HeldGoal {
  std::uint64_t goal, last_base;
};

/// A tile that has been looked at, and whose position is not known yet.
struct WaitingTile {
  PackTile tile;
  std::uint32_t bytes = 0;  ///< Packed ones, if it is held: they lie in its slot.
  std::uint32_t ticket = 0;
  bool is_held = false, is_done = false;
};

/// A segment, from before its tiles are looked at until its position is known.
template <core::Word W>
struct ReadySegment {
  PackColumn column;  ///< Parameters of kernels lie far away.
  std::uint32_t segment, words;
  PackPrefix prefix;
  PackOutcome outcome;  ///< When its tiles have been looked at.
  std::uint8_t header[pack_header_bytes<W>];
};

/// Segments of a cluster that are under way: those that await their positions, and those looked at.
inline constexpr std::uint32_t cluster_rounds = 2;
/// Tickets that a block may learn before the oldest is done with.
inline constexpr std::uint32_t cluster_tickets = 4;

/// Of a block, ahead of the memory of its warps. What other blocks need of the cluster lies in its first one.
template <core::Word W>
struct ClusterMemory {
  PackTile tiles[cluster_rounds][max_cluster_tiles];
  HeldGoal goals[cluster_rounds][cluster_warps];
  WaitingTile waiting[cluster_rounds][cluster_warps];
  std::uint32_t ticket[cluster_tickets];
  std::uint64_t looked_at[cluster_rounds];  // Arrivals, as all below: of the tiles of the cluster
  std::uint64_t located[cluster_rounds];    // of the goals of the block's tiles
  std::uint64_t taken[cluster_tickets];     // of tickets
  ReadySegment<W> ready[cluster_rounds];
};
template <core::Word W>
inline constexpr std::uint32_t cluster_memory_bytes = (sizeof(ClusterMemory<W>) + 127) / 128 * 128;

/// Of a warp: packed bytes of two tiles, and between them what looking at a tile needs besides.
inline constexpr std::uint32_t held_packed_bytes = slot_header + tile_words * max_field_bits / 8 + 32;
template <core::Word W>
inline constexpr std::uint32_t held_warp_bytes = held_packed_bytes + held_slot_bytes<W>;
static_assert(held_slot_bytes<std::uint32_t> >= held_packed_bytes &&
              held_warp_bytes<std::uint64_t> >= pack_slot_bytes(8));

template <core::Word W>
inline constexpr std::uint32_t cluster_shared_bytes =
    cluster_memory_bytes<W> + cluster_warps* held_warp_bytes<W>;

/// The memory of a block of a cluster.
template <core::Word W, class Block>
FLOE_DEVICE ClusterMemory<W>& memory_of(const Block& block) {
  return *reinterpret_cast<ClusterMemory<W>*>(block.shared());
}

/// `Block` is ClusterBlock (block_cluster.cuh), or on the CPU test::EmulatedClusterBlock.
template <class Map, class Block>
class ClusterScheduler {
 public:
  using W = typename Map::W;

  FLOE_DEVICE ClusterScheduler(const Block& block, const PackJob& job)
      : block_(block), warp_(block.warp()), job_(job) {}

  FLOE_DEVICE void run() {
    take_ticket();
    for (std::uint32_t round = 0; round < cluster_rounds; ++round) {
      publish_ticket(round);
      make_ready(round);
      expect_tiles(round);
    }
    while (true) {
      const bool is_more = ticket_of(published_) < job_.segment_count;
      if (located_ == published_) {
        if (!is_more) return;
      } else if (!is_more || !are_looked_at(published_)) {
        if (!try_to_locate()) return stop();
        continue;
      }
      wait_for_tiles(published_);
      if (!all_map(published_)) return stop();
      publish_tiles(published_++);
    }
  }

 private:
  FLOE_DEVICE ClusterMemory<W>& memory() const { return memory_of<W>(block_); }
  FLOE_DEVICE std::uint64_t& looked_at(std::uint32_t round) const {
    return memory().looked_at[round % cluster_rounds];
  }
  FLOE_DEVICE ReadySegment<W>& ready(std::uint32_t round) const {
    return memory().ready[round % cluster_rounds];
  }

  // The next ticket is on its way before it is needed.
  FLOE_DEVICE void take_ticket() {
    if (warp_.lane() == 0) taken_ = atomic_add(job_.ticket, 1);
  }
  /// Tells all blocks the ticket of a round.
  FLOE_DEVICE void publish_ticket(std::uint32_t round) {
    static_assert(cluster_rounds == 2, "tickets are kept of an even and an odd round");
    const std::uint32_t ticket = warp_.shuffle(taken_, 0);
    take_ticket();
    tickets_ = round + 1;
    if (round % 2 == 0) {
      even_ticket_ = ticket;
    } else {
      odd_ticket_ = ticket;
    }
    if (warp_.lane() < block_.blocks())
      block_.send(warp_.lane(), memory().ticket + round % cluster_tickets, ticket,
                  memory().taken + round % cluster_tickets);
  }
  FLOE_DEVICE std::uint32_t ticket_of(std::uint32_t round) const {
    return round % 2 == 0 ? even_ticket_ : odd_ticket_;
  }

  /// Prepares the placing of a segment.
  FLOE_DEVICE void make_ready(std::uint32_t round) {
    TileOfSegment<Map> at;
    if (!find_tile(job_, ticket_of(round), 0, at)) return;
    ReadySegment<W>& to = ready(round);
    static_assert(sizeof(PackColumn) % 4 == 0);
    const auto* const from = reinterpret_cast<const std::uint32_t*>(at.column);
    for (std::uint32_t i = warp_.lane(); i < sizeof(PackColumn) / 4; i += warp_lanes)
      reinterpret_cast<std::uint32_t*>(&to.column)[i] = from[i];
    const PackPrefix prefix = write_prefix(warp_, at, to.header);
    if (warp_.lane() == 0) {
      to.segment = at.segment;
      to.words = at.words;
      to.prefix = prefix;
    }
    warp_.sync();
  }
  FLOE_DEVICE TileOfSegment<Map> segment_of(std::uint32_t round) const {
    const ReadySegment<W>& from = ready(round);
    return {&from.column, from.segment, 0, from.words, from.column.reciprocal};
  }

  FLOE_DEVICE void expect_tiles(std::uint32_t round) {
    if (warp_.lane() == 0)
      block_.expect(looked_at(round), block_.blocks() * cluster_warps * sizeof(PackTile));
  }
  FLOE_DEVICE void wait_for_tiles(std::uint32_t round) {
    block_.wait(looked_at(round), round / cluster_rounds);
  }
  FLOE_DEVICE bool are_looked_at(std::uint32_t round) {
    return warp_.ballot(block_.has_ended(looked_at(round), round / cluster_rounds)) != 0;
  }

  FLOE_DEVICE bool has_failed() const {
    if constexpr (Map::fails) return read_shared_word(job_.failed) != 0;
    return false;
  }
  /// Whether all words of a segment's tiles map. All of these have been looked at.
  FLOE_DEVICE bool all_map(std::uint32_t round) {
    if constexpr (Map::fails) {
      const PackTile* const tiles = memory().tiles[round % cluster_rounds];
      const std::uint32_t count = segment_of(round).tiles();
      bool good = true;
      for (std::uint32_t v = warp_.lane(); v < count; v += warp_lanes) good = good && tiles[v].is_known();
      if (warp_.ballot(!good) != 0) {
        if (warp_.lane() == 0) set_word(job_.failed, 1);
        return false;
      }
    }
    return true;
  }

  /// Tells those behind how long a segment is.
  FLOE_DEVICE void publish_tiles(std::uint32_t round) {
    PackTile* const tiles = memory().tiles[round % cluster_rounds];
    const PackOutcome outcome =
        publish_length(warp_, segment_of(round), ready(round).prefix, tiles, ready(round).header,
                       [&](std::uint32_t v) { return tiles[v]; });
    if (warp_.lane() == 0) ready(round).outcome = outcome;
    warp_.sync();
    expect_tiles(round + cluster_rounds);
    publish_ticket(round + cluster_rounds);
  }

  /// Tells the tiles of the next segment their positions, if these are known. False if they will not be.
  FLOE_DEVICE bool try_to_locate() {
    const TileOfSegment<Map> at = segment_of(located_);
    const std::uint64_t offset =
        at.segment == 0 ? 0 : SegmentsBefore(at.column->states, 0, at.segment).look(warp_);
    if (offset == nowhere) return warp_.ballot(has_failed()) == 0;
    const PackOutcome outcome = ready(located_).outcome;
    publish_offset(warp_, at, outcome, offset, ready(located_).header,
                   [&](std::uint64_t segment) { publish_goals(at, outcome, segment); });
    warp_.sync();
    make_ready(located_ + cluster_rounds);
    ++located_;
    return true;
  }

  /// Tells the tiles of the segment that is placed next.
  FLOE_DEVICE void publish_goals(const TileOfSegment<Map>& at, const PackOutcome& outcome,
                                 std::uint64_t segment) {
    static_assert(max_cluster_tiles == 2 * warp_lanes);
    const unsigned buffer = located_ % cluster_rounds;
    const PackTile* const tiles = memory().tiles[buffer];
    std::uint64_t goal[2], last_base[2];
    FLOE_UNROLL
    for (unsigned i = 0; i < 2; ++i) {
      const std::uint32_t tile = warp_.lane() + i * warp_lanes;
      goal[i] = PackGoal::moved(goal_in_segment(at, tiles, outcome, tile), segment);
      last_base[i] = tile == 0 ? outcome.origin : tile >= at.tiles() ? 0 : tiles[tile - 1].base;
      if (PackGoal::mode_of(segment) == PackGoal::stopped) last_base[i] = tickets_;
    }
    warp_.sync();  // a tile that has been published may send its next one here
    FLOE_UNROLL
    for (unsigned i = 0; i < 2; ++i) {
      const std::uint32_t tile = warp_.lane() + i * warp_lanes, block = tile / cluster_warps;
      if (block < block_.blocks())
        block_.send(block, memory().goals[buffer] + tile % cluster_warps, goal[i], last_base[i],
                    memory().located + buffer);
    }
  }

  /// Tells all warps of the cluster to stop, and waits until nothing is on its way to their memory.
  FLOE_DEVICE void stop() {
    const std::uint32_t round = located_;
    if (published_ == round) publish_ticket(round + cluster_rounds);
    publish_goals(segment_of(round), {}, PackGoal::of(PackGoal::stopped, 0));
    warp_.sync();
    if (ticket_of(round + 1) < job_.segment_count) wait_for_tiles(round + 1);
  }

  Block block_;
  typename Block::Warp warp_;
  const PackJob& job_;
  std::uint32_t taken_ = 0;                         ///< Of the first lane: the ticket that is published next.
  std::uint32_t even_ticket_ = 0, odd_ticket_ = 0;  ///< The last ones of even and odd rounds.
  std::uint32_t tickets_ = 0;                       ///< That have been published.
  std::uint32_t published_ = 0, located_ = 0;  ///< Segments whose lengths, and whose positions, are known.
};

}  // namespace floe::gpu
