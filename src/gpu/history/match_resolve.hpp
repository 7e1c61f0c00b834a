// match_history on a warp, second half: every word finds the value that its matches lead to. Pointers lead to
// earlier words; a tile of one chunk of content shortens its own first, then all that lead elsewhere are
// followed in rounds of a few steps, whose number is bounded by the number of tiles. Nothing is trusted but
// that pointers lead to earlier words.
#pragma once

#include "gpu/history/match_sort.hpp"

namespace floe::gpu {

/// Marks a pointer to a word that has a value of its own. No segment has 2^31 words.
inline constexpr std::uint32_t has_value = 0x80000000;
/// Steps of a pointer in a round.
inline constexpr unsigned steps_per_round = 16;

/// Enough rounds for so many tiles: every round divides the steps that are left, one per tile at first.
constexpr unsigned rounds_for(std::uint64_t tiles) {
  unsigned rounds = 1;
  for (std::uint64_t reach = steps_per_round; reach < tiles; reach *= steps_per_round) ++rounds;
  return rounds;
}

/// The pointer of word i with a distance of at most i.
FLOE_DEVICE std::uint32_t pointer_of(std::uint32_t i, std::uint32_t distance) {
  return distance == 0 ? i | has_value : i - distance;
}

/// The values of a segment, at their position or for now elsewhere.
struct SegmentValues {
  std::uint8_t* bytes;
  bool aligned;  ///< To 8.

  /// Copies words side by side, with loads in flight together. No call copies from what one copies to.
  template <unsigned count>
  FLOE_DEVICE void copy(const bool (&wanted)[count], const std::uint32_t (&to)[count],
                        const std::uint32_t (&from)[count]) const {
    std::uint64_t word[count];
    FLOE_UNROLL
    for (unsigned b = 0; b < count; ++b)
      word[b] = wanted[b] ? load_value(bytes + 8 * std::uint64_t{from[b]}, aligned) : 0;
    FLOE_UNROLL
    for (unsigned b = 0; b < count; ++b)
      if (wanted[b]) store_value(bytes + 8 * std::uint64_t{to[b]}, word[b], aligned);
  }
};

/// Words of a lane that are worked on side by side, as every load has to be waited for.
inline constexpr unsigned resolve_batch = 4;

/// Pointers that lead into their tile become the last ones on their way that do not. Rows before are there
/// when later ones are looked at, so that few need more than one step.
template <class Warp>
FLOE_DEVICE void shorten_in_tile(Warp& warp, std::uint32_t* tile, std::uint32_t first, std::uint32_t count) {
  const auto leads_inside = [&](std::uint32_t pointer) {
    return (pointer & has_value) == 0 && pointer >= first;
  };
  FLOE_NO_UNROLL
  for (std::uint32_t row = warp.lane(); row - warp.lane() < count; row += resolve_batch * warp_lanes) {
    std::uint32_t pointer[resolve_batch];
    bool any = false;
    FLOE_UNROLL
    for (unsigned b = 0; b < resolve_batch; ++b) {
      pointer[b] = row + b * warp_lanes < count ? tile[row + b * warp_lanes] : has_value;
      any = any || leads_inside(pointer[b]);
    }
    while (warp.ballot(any) != 0) {
      bool inside[resolve_batch];
      FLOE_UNROLL
      for (unsigned b = 0; b < resolve_batch; ++b) {
        inside[b] = leads_inside(pointer[b]);
        if (inside[b]) pointer[b] = tile[pointer[b] - first];
      }
      warp.sync();
      any = false;
      FLOE_UNROLL
      for (unsigned b = 0; b < resolve_batch; ++b) {
        if (inside[b]) tile[row + b * warp_lanes] = pointer[b];
        any = any || leads_inside(pointer[b]);
      }
      warp.sync();
    }
  }
}

/// Resolves what it can of the words [first, first + count): a whole tile. `tile` is shared memory for as
/// many numbers. True for all lanes if pointers are left that lead before the tile.
template <class Warp>
FLOE_DEVICE bool resolve_tile(Warp& warp, std::uint32_t* tile, std::uint32_t* pointers,
                              const SegmentValues& values, std::uint32_t first, std::uint32_t count) {
  std::uint32_t leads = 0;
  FLOE_UNROLL_BY(8)
  for (std::uint32_t i = warp.lane(); i < count; i += warp_lanes) {
    const std::uint32_t pointer = pointers[first + i];
    tile[i] = pointer;
    leads |= ~pointer & has_value;
  }
  warp.sync();
  if (warp.ballot(leads != 0) == 0) return false;
  shorten_in_tile(warp, tile, first, count);
  bool outside = false;
  FLOE_NO_UNROLL
  for (std::uint32_t row = first + warp.lane(); row < first + count; row += resolve_batch * warp_lanes) {
    std::uint32_t to[resolve_batch], from[resolve_batch];
    bool resolved[resolve_batch];
    FLOE_UNROLL
    for (unsigned b = 0; b < resolve_batch; ++b) {
      to[b] = row + b * warp_lanes;
      const std::uint32_t pointer = to[b] < first + count ? tile[to[b] - first] : to[b] | has_value;
      from[b] = pointer & ~has_value;
      resolved[b] = pointer != from[b] && from[b] != to[b];
      if (from[b] != to[b]) pointers[to[b]] = pointer;
      outside = outside || pointer == from[b];
    }
    values.copy(resolved, to, from);
  }
  return warp.ballot(outside) != 0;
}

/// What a warp needs to follow the pointers of a tile: which of its words wait for one.
using WaitingWords = std::uint16_t[chunk_words];

/// Writes down which words have pointers that lead elsewhere; returns how many. `read` as below.
template <class Warp, class Read>
FLOE_DEVICE std::uint32_t find_waiting(Warp& warp, WaitingWords& waiting, std::uint32_t first,
                                       std::uint32_t count, const Read& read) {
  constexpr unsigned batch = 8;
  std::uint32_t found = 0;
  FLOE_NO_UNROLL
  for (std::uint32_t row = 0; row < count; row += batch * warp_lanes) {
    std::uint32_t pointer[batch];
    FLOE_UNROLL
    for (unsigned b = 0; b < batch; ++b) {
      const std::uint32_t i = row + b * warp_lanes + warp.lane();
      pointer[b] = i < count ? read(first + i) : has_value;
    }
    FLOE_UNROLL
    for (unsigned b = 0; b < batch; ++b) {
      const bool waits = (pointer[b] & has_value) == 0;
      const std::uint32_t lanes = warp.ballot(waits);
      const std::uint32_t position = found + count_before(warp, lanes);
      if (waits) waiting[position] = static_cast<std::uint16_t>(row + b * warp_lanes + warp.lane());
      found += count_bits(lanes);
    }
  }
  warp.sync();
  return found;
}

/// Follows the pointers of the words [first, first + count) that lead elsewhere. `waiting` is shared memory;
/// `read(i)` is pointer i, which other warps may shorten meanwhile. True for all lanes if some are left.
template <class Warp, class Read>
FLOE_DEVICE bool follow_pointers(Warp& warp, WaitingWords& waiting, std::uint32_t* pointers,
                                 const SegmentValues& values, std::uint32_t first, std::uint32_t count,
                                 const Read& read) {
  const std::uint32_t words = find_waiting(warp, waiting, first, count, read);
  constexpr std::uint32_t nobody = 0xFFFFFFFF;
  std::uint32_t word[resolve_batch], pointer[resolve_batch], steps[resolve_batch];
  FLOE_UNROLL
  for (unsigned b = 0; b < resolve_batch; ++b) word[b] = nobody;
  bool left = false;
  // Ways differ in length: a lane that has come to an end takes the next word.
  for (std::uint32_t next = 0;;) {
    bool any = false;
    FLOE_UNROLL
    for (unsigned b = 0; b < resolve_batch; ++b) {
      if (next < words) {
        const std::uint32_t idle = warp.ballot(word[b] == nobody), taken = next + count_before(warp, idle);
        if (word[b] == nobody && taken < words) {
          word[b] = first + waiting[taken];
          pointer[b] = word[b];  // its own pointer comes first
          steps[b] = 0;
        }
        next += count_bits(idle);
      }
      any = any || word[b] != nobody;
    }
    if (warp.ballot(any) == 0) break;
    FLOE_UNROLL
    for (unsigned b = 0; b < resolve_batch; ++b)
      if (word[b] != nobody) pointer[b] = read(pointer[b]);
    FLOE_UNROLL
    for (unsigned b = 0; b < resolve_batch; ++b) {
      if (word[b] == nobody || ((pointer[b] & has_value) == 0 && steps[b]++ < steps_per_round)) continue;
      pointers[word[b]] = pointer[b];
      left = left || (pointer[b] & has_value) == 0;
      word[b] = nobody;
    }
  }
  warp.sync();
  FLOE_NO_UNROLL
  for (std::uint32_t row = warp.lane(); row < words; row += resolve_batch * warp_lanes) {
    std::uint32_t from[resolve_batch];
    bool resolved[resolve_batch];
    FLOE_UNROLL
    for (unsigned b = 0; b < resolve_batch; ++b) {
      word[b] = row + b * warp_lanes < words ? first + waiting[row + b * warp_lanes] : 0;
      pointer[b] = row + b * warp_lanes < words ? read(word[b]) : 0;
    }
    FLOE_UNROLL
    for (unsigned b = 0; b < resolve_batch; ++b) {
      resolved[b] = (pointer[b] & has_value) != 0;
      from[b] = pointer[b] & ~has_value;
    }
    values.copy(resolved, word, from);
  }
  return warp.ballot(left) != 0;
}

}  // namespace floe::gpu
