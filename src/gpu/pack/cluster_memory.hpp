// The shared memory of the blocks that pack segments in clusters.
#pragma once

#include "gpu/pack/pack_held.hpp"
#include "gpu/pack/pack_segment.hpp"

namespace floe::gpu {

/// What a tile is published by the warp that places segments: where it goes, and the base of the tile before.
/// If it is to stop, how many tickets have been published instead.
struct alignas(16) HeldGoal {
  std::uint64_t goal, last_base;
};

/// A tile that has been looked at, and whose place is not known yet.
struct WaitingTile {
  PackTile tile;
  std::uint32_t bytes = 0;  ///< Packed ones, if it is held: they lie in its slot.
  std::uint32_t ticket = 0;
  bool is_held = false, is_done = false;
};

/// A segment, from before its tiles are looked at until its place is known.
template <core::Word W>
struct ReadySegment {
  PackColumn column;  ///< Parameters of kernels lie far away.
  std::uint32_t segment, words;
  PackPrefix prefix;
  PackOutcome outcome;  ///< When its tiles have been looked at.
  std::uint8_t head[pack_head_bytes<W>];
};

/// Segments of a cluster that are under way: while places of the tiles of one are awaited, those of the next
/// are looked at.
inline constexpr std::uint32_t cluster_rounds = 2;
/// Tickets that a block may hear of before the oldest is done with.
inline constexpr std::uint32_t cluster_tickets = 4;

/// Of a block, ahead of the memory of its warps. What other blocks need of the cluster lies in its first one.
template <core::Word W>
struct ClusterMemory {
  PackTile tiles[cluster_rounds][max_cluster_tiles];
  HeldGoal goals[cluster_rounds][cluster_warps];
  WaitingTile waiting[cluster_rounds][cluster_warps];
  std::uint32_t ticket[cluster_tickets];
  std::uint64_t looked_at[cluster_rounds];  // Arrivals, as all below: of the tiles of the cluster
  std::uint64_t placed[cluster_rounds];     // of the goals of the block's tiles
  std::uint64_t taken[cluster_tickets];     // of tickets
  ReadySegment<W> ready[cluster_rounds];
};
template <core::Word W>
inline constexpr std::uint32_t cluster_memory_bytes = (sizeof(ClusterMemory<W>) + 127) / 128 * 128;

/// Of a warp: packed bytes of two tiles, and between them what is needed to look at a tile beside those of
/// one.
inline constexpr std::uint32_t held_packed_bytes = slot_head + packed_words * max_field_bits / 8 + 32;
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

}  // namespace floe::gpu
