// Packs a tile with a warp, whose words come to shared memory while it looks at another one. They are read
// from memory once and from the L2 cache once, the second time without registers and without waiting.
#pragma once

#include "gpu/pack/pack_held.hpp"

namespace floe::gpu {

/// Begins to copy what a full tile is packed from into its slot: its words, and those behind it that
/// differences need. Leaves the last `kept` bytes of the slot alone. False if that is too much, if words do
/// not begin at a multiple of 16, and where tiles of such differences are not looked at in registers.
template <class Map, class Warp>
FLOE_DEVICE bool begin_reading(Warp& warp, const TileOfSegment<Map>& at, std::uint8_t* slot,
                               std::uint32_t kept) {
  using W = typename Map::W;
  static_assert(sizeof(W) == sizeof(typename Map::From));
  constexpr unsigned max_order = ChainWords<Map, 1>::in_registers ? 1 : 0;
  const std::uint8_t* const from = at.segment_start() + std::uint64_t{at.tile} * tile_words * sizeof(W);
  const auto behind = static_cast<std::uint32_t>(at.lost() * sizeof(W));
  constexpr std::uint32_t tile_bytes = tile_words * sizeof(W), step = 16 * warp_lanes;
  const bool fits = slot_head + tile_bytes + behind + 15 + kept <= pack_slot_bytes(sizeof(W));
  const bool is_full = at.words_here(at.chain_words()) == tile_words,
             is_aligned = reinterpret_cast<std::uintptr_t>(from) % 16 == 0;
  if (at.column->order > max_order || !is_full || !fits || !is_aligned) return false;
  std::uint8_t* const to = slot + slot_head;
  FLOE_UNROLL
  for (std::uint32_t i = 0; i < tile_bytes; i += step)
    begin_last_copy(to + i + 16 * warp.lane(), from + i + 16 * warp.lane(), 16);
  for (std::uint32_t i = 16 * warp.lane(); i < behind; i += step)
    begin_last_copy(to + tile_bytes + i, from + tile_bytes + i, behind - i < 16 ? behind - i : 16);
  return true;
}

/// Whether a slot has what a tile's segment needs: packed fields of up to 32 bits, or the words.
FLOE_DEVICE bool suffices(std::uint64_t goal, const PackTile& tile) {
  const PackGoal::Mode mode = PackGoal::mode_of(goal);
  return mode == PackGoal::words || (mode == PackGoal::packed && tile.full_width() <= max_field_bits);
}

/// Writes a tile that begin_reading() has brought to its slot; all lanes have waited for their copies.
template <class Map, class Warp>
FLOE_DEVICE void write_tile_read_ahead(Warp& warp, const TileOfSegment<Map>& at, std::uint64_t goal,
                                       const PackTile& tile, std::uint64_t last_base, std::uint8_t* slot) {
  using W = typename Map::W;
  std::uint8_t* const to = at.column->out + (goal & PackGoal::place);
  std::uint8_t* const words = slot + slot_head;
  if (PackGoal::mode_of(goal) == PackGoal::words) {
    copy_from_slot(warp, to, words, tile_words * sizeof(W));
    return warp.sync();
  }
  TileDistances<W> distances;
  const auto low_base = static_cast<std::uint32_t>(tile.base);
  const auto low_word = [&](std::uint32_t i) { return load_aligned<std::uint32_t>(words + i * sizeof(W)); };
  FLOE_UNROLL
  for (unsigned k = 0; k < lane_words; ++k) distances.above[k] = low_word(held_place<W>(warp.lane(), k));
  if (at.column->order > 0) {
    FLOE_UNROLL
    for (unsigned k = 0; k < lane_words; ++k)
      distances.above[k] = low_word(held_place<W>(warp.lane(), k) + at.column->stride) - distances.above[k];
  }
  FLOE_UNROLL
  for (unsigned k = 0; k < lane_words; ++k) distances.above[k] -= low_base;
  warp.sync();
  const std::uint32_t bytes = pack_held(warp, distances, tile_words, tile.as_packing(), words);
  const std::uint32_t head = put_vector_head<W>(
      warp, tile.as_packing(), static_cast<W>(static_cast<W>(tile.base) - static_cast<W>(last_base)), slot);
  warp.sync();
  copy_from_slot(warp, to, words - head, head + bytes);
  warp.sync();
}

}  // namespace floe::gpu
