// match_history on a warp, second half: every word finds the value that its matches lead to. Pointers lead to earlier words; a tile of one
// chunk of content shortens its own first, then all that lead elsewhere are followed in rounds of a few steps, whose number is bounded by
// the number of tiles. Nothing is trusted but that pointers lead to earlier words.
#pragma once

#include "backend/cuda/match_sort.hpp"

namespace floe::cuda {

/// Marks a pointer to a word that has a value of its own. No segment has 2^31 words.
inline constexpr std::uint32_t has_value = 0x80000000;
/// Steps of a pointer in a round.
inline constexpr unsigned steps_per_round = 16;

/// Enough rounds for a segment of so many tiles: after the tile's own round at most one step per tile is left, and every round divides
/// their number by the steps.
constexpr unsigned rounds_for(std::uint64_t tiles) {
  unsigned rounds = 1;
  for (std::uint64_t reach = steps_per_round; reach < tiles; reach *= steps_per_round) ++rounds;
  return rounds;
}

/// The pointer of word i with a distance of at most i.
FLOE_DEVICE std::uint32_t pointer_of(std::uint32_t i, std::uint32_t distance) { return distance == 0 ? i | has_value : i - distance; }

/// The values of a segment, in their place or for now elsewhere.
struct SegmentValues {
  std::uint8_t* bytes;
  bool aligned;  ///< To 8.

  FLOE_DEVICE void copy(std::uint32_t to, std::uint32_t from) const {
    store_word(bytes + 8 * std::uint64_t{to}, load_word(bytes + 8 * std::uint64_t{from}, aligned), aligned);
  }
};

/// Resolves what it can of the words [first, first + count): a whole tile. `tile` is shared memory for as many numbers. True for all lanes
/// if pointers are left that lead before the tile.
template <class Warp>
FLOE_DEVICE bool resolve_tile(Warp& warp, std::uint32_t* tile, std::uint32_t* pointers, const SegmentValues& values, std::uint32_t first,
                              std::uint32_t count) {
  std::uint32_t inside = 0, leads = 0;
  FLOE_UNROLL_BY(4)
  for (std::uint32_t i = warp.lane(); i < count; i += warp_lanes) {
    const std::uint32_t pointer = pointers[first + i];
    tile[i] = pointer;
    leads |= (pointer & has_value) == 0 ? 1 : 0;
    inside |= (pointer & has_value) == 0 && pointer >= first ? 1 : 0;
  }
  warp.sync();
  if (warp.ballot(leads != 0) == 0) return false;
  while (warp.ballot(inside != 0) != 0) {
    inside = 0;
    for (std::uint32_t row = 0; row < count; row += warp_lanes) {
      const std::uint32_t i = row + warp.lane();
      const std::uint32_t pointer = i < count ? tile[i] : has_value;
      const bool leads_inside = (pointer & has_value) == 0 && pointer >= first;
      const std::uint32_t next = leads_inside ? tile[pointer - first] : 0;
      warp.sync();
      if (leads_inside) tile[i] = next;
      inside |= leads_inside ? 1 : 0;
      warp.sync();
    }
  }
  std::uint32_t outside = 0;
  for (std::uint32_t i = warp.lane(); i < count; i += warp_lanes) {
    const std::uint32_t pointer = tile[i], target = pointer & ~has_value;
    if (pointer == ((first + i) | has_value)) continue;
    pointers[first + i] = pointer;
    if (pointer == target) {
      outside = 1;
    } else {
      values.copy(first + i, target);
    }
  }
  return warp.ballot(outside != 0) != 0;
}

/// Follows the pointers of the words [first, first + count) that lead elsewhere. `read(i)` is pointer i, which other warps may shorten at
/// the same time. True for all lanes if some are left.
template <class Warp, class Read>
FLOE_DEVICE bool follow_pointers(Warp& warp, std::uint32_t* pointers, const SegmentValues& values, std::uint32_t first, std::uint32_t count,
                                 const Read& read) {
  constexpr unsigned batch = 4;  // pointers of a lane that are followed together
  std::uint32_t left = 0;
  FLOE_NO_UNROLL
  for (std::uint32_t row = first; row < first + count; row += batch * warp_lanes) {
    std::uint32_t pointer[batch];
    bool waits[batch];
    FLOE_UNROLL
    for (unsigned b = 0; b < batch; ++b) {
      const std::uint32_t i = row + b * warp_lanes + warp.lane();
      pointer[b] = i < first + count ? read(i) : has_value;
      waits[b] = (pointer[b] & has_value) == 0;
    }
    FLOE_NO_UNROLL
    for (unsigned step = 0; step < steps_per_round; ++step) {
      bool any = false;
      FLOE_UNROLL
      for (unsigned b = 0; b < batch; ++b) {
        if ((pointer[b] & has_value) != 0) continue;
        pointer[b] = read(pointer[b]);
        any = true;
      }
      if (!any) break;
    }
    FLOE_UNROLL
    for (unsigned b = 0; b < batch; ++b) {
      const std::uint32_t i = row + b * warp_lanes + warp.lane();
      if (!waits[b]) continue;
      pointers[i] = pointer[b];
      if ((pointer[b] & has_value) != 0) {
        values.copy(i, pointer[b] & ~has_value);
      } else {
        left = 1;
      }
    }
  }
  return warp.ballot(left != 0) != 0;
}

}  // namespace floe::cuda
