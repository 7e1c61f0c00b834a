// Packs chains by an emulated warp, tile by tile, in every way that kernels do. Compiled once: it has the
// code of every kind of words.
#include <gtest/gtest.h>

#include "gpu/pack/pack_held.hpp"
#include "gpu/pack/pack_limits.hpp"
#include "gpu/pack/pack_segment.hpp"
#include "tests/series_cuda/emulated_encoder.hpp"
#include "tests/support/emulated_warp.hpp"
#include "tests/support/padded_bytes.hpp"

namespace floe::test {
namespace {

/// A tile as a warp of a cluster has it.
struct HeldTile {
  bool is_held = false, is_good = true;
  std::vector<std::uint8_t> slot;
  std::uint32_t bytes = 0;
};

/// Looks at a tile and packs it, as warps of clusters do. All lanes share the outcome.
template <class Map>
void hold_emulated(EmulatedWarp& warp, const gpu::TileOfSegment<Map>& at, std::uint32_t count,
                   gpu::PackTile& tile, HeldTile& out) {
  using W = typename Map::W;
  if (warp.lane() == 0) out.slot.assign(gpu::held_slot_bytes<W>, 0xA5);
  warp.sync();
  gpu::HeldWords<Map> held;
  gpu::TileDistances<W> distances;
  gpu::HeldOutcome outcome;
  read_held(warp, at, held);
  at.with_order([&]<class D>(D) {
    outcome = gpu::find_held_distances<Map, D::order>(warp, at, held, count, out.slot.data(), distances);
  });
  if (!outcome.is_near) return;
  const gpu::Packing packing = choose_packing(warp, distances, count);
  tile = {distances.base, gpu::PackTile::pack(packing)};
  const std::uint32_t bytes = pack_held(warp, distances, count, packing, out.slot.data() + gpu::slot_header);
  if (warp.lane() == 0) {
    out.is_held = true;
    out.is_good = outcome.is_good;
    out.bytes = bytes;
  }
}

/// Packs a tile from words that come to its slot before. False if they cannot.
template <class Map>
bool pack_ahead_emulated(EmulatedWarp& warp, const gpu::TileOfSegment<Map>& at, std::uint64_t goal,
                         const gpu::PackTile& tile, std::uint64_t last_base, std::uint8_t* slot) {
  if constexpr (gpu::ChainWords<Map, 0>::in_registers) {
    std::uint8_t* const end = slot + gpu::pack_slot_bytes(sizeof(typename Map::W));
    if (!gpu::suffices(goal, tile)) return false;
    const std::vector<std::uint8_t> before(end - gpu::pack_header_bytes<typename Map::W>, end);
    if (!begin_reading(warp, at, slot, gpu::pack_header_bytes<typename Map::W>)) return false;
    warp.sync();
    EXPECT_TRUE(std::equal(before.begin(), before.end(), end - gpu::pack_header_bytes<typename Map::W>));
    warp.sync();
    gpu::write_tile_read_ahead(warp, at, goal, tile, last_base, slot);
    return true;
  }
  return false;
}

/// Of a chain, tile by tile. Empty if some word does not map.
template <class Map>
std::vector<std::uint8_t> pack_emulated(gpu::PackColumn packed, const Column& column, Way way) {
  using W = typename Map::W;
  const PaddedBytes words(column.bytes), slot(gpu::pack_slot_bytes(sizeof(typename Map::W)));
  const std::uint64_t tile_count = gpu::tiles_of_words(column.count());
  std::vector<gpu::PackTile> tiles(tile_count);
  std::vector<std::uint64_t> goals(tile_count);
  std::vector<HeldTile> held(tile_count);
  std::vector<std::uint8_t> out;
  packed.words = words.data();
  packed.word_count = column.count();
  packed.segment_words = static_cast<std::uint32_t>(column.count());
  bool is_good = true;
  gpu::SegmentDivisor scale;
  packed.divisors = &scale;
  EmulatedWarp::run([&](EmulatedWarp& warp) {
    const auto read = [&](std::uint32_t v) { return tiles[v]; };
    gpu::TileOfSegment<Map> at{&packed, 0, 0, packed.segment_words, packed.reciprocal};
    if constexpr (gpu::is_int_mult_map<Map>) {
      const auto guess = gpu::guess_divisor<W>(warp, words.data(), at.words, gpu::flip_of<W>(column.type));
      if (warp.lane() == 0) scale = guess;
      warp.sync();
    }
    for (at.tile = 0; at.tile < tile_count; ++at.tile) {
      const std::uint32_t count = at.words_here(at.chain_words());
      if (at.tile == 0 && !gpu::heads_map(warp, at)) is_good = false;
      if (count == 0) continue;
      gpu::PackTile tile;
      bool good = true;
      at.with_order([&]<class D>(D) {
        good = gpu::look_at_tile<Map, D::order>(warp, at.template chain<D::order>(at.tile), count,
                                                at.is_signed(), slot.data(), tile);
      });
      at.with_order([&]<class D>(D) {
        gpu::PackTile same;
        if (look_in_registers(warp, at.template chain<D::order>(at.tile), count, at.is_signed(), same)) {
          EXPECT_TRUE(same.base == tile.base && same.packing == tile.packing);
        }
      });
      if constexpr (sizeof(W) >= 4) {
        gpu::PackTile tile_held = tile;
        if (way == Way::held_by_clusters) hold_emulated(warp, at, count, tile_held, held[at.tile]);
        EXPECT_TRUE(!good || (tile_held.base == tile.base && tile_held.packing == tile.packing));
        EXPECT_TRUE(!held[at.tile].is_held || held[at.tile].is_good == good);
      }
      if (!good) is_good = false;
      if (warp.lane() == 0) tiles[at.tile] = tile;
    }
    warp.sync();
    if (!is_good) return;
    gpu::PackPrefix prefix = gpu::write_prefix(warp, at, slot.data());
    const gpu::PackSums sums = gpu::add_up_tiles(warp, at, read);
    finish_prefix(at, sums, prefix);
    const gpu::PackOutcome outcome = gpu::find_outcome(warp, at, sums, prefix, slot.data());
    if (outcome.mode == gpu::PackGoal::packed)
      complete_packed(warp, at, sums, prefix, tiles.data(), read, slot.data());
    if (warp.lane() == 0) {
      out.assign(outcome.header_bytes + outcome.body_bytes, 0xA5);
      std::copy_n(slot.data(), outcome.header_bytes, out.data());
      packed.out = out.data();
    }
    warp.sync();
    for (std::uint64_t tile = warp.lane(); tile < tile_count; tile += gpu::warp_lanes)
      goals[tile] = goal_in_segment(at, tiles.data(), outcome, static_cast<std::uint32_t>(tile));
    warp.sync();
    for (at.tile = 0; at.tile < tile_count; ++at.tile) {
      const std::uint64_t last_base = at.tile == 0 ? outcome.origin : tiles[at.tile - 1].base;
      HeldTile& own = held[at.tile];
      if (own.is_held &&
          write_held_tile(warp, at, goals[at.tile], tiles[at.tile], last_base, own.slot.data(), own.bytes))
        continue;
      if (way != Way::read_ahead ||
          !pack_ahead_emulated(warp, at, goals[at.tile], tiles[at.tile], last_base, slot.data())) {
        gpu::write_tile(warp, at, goals[at.tile], tiles[at.tile], last_base, slot.data());
      }
    }
  });
  return is_good ? out : std::vector<std::uint8_t>{};
}

}  // namespace

std::vector<std::uint8_t> pack_emulated(const trees::Plan& plan, const Column& column, Way way) {
  using gpu::PackKind;
  const auto chain = gpu::pack_chain_of(gpu::encode_plan_of(plan), column.type);
  if (!chain) return {};
  switch (chain->kind) {
    case PackKind::same8:
      return pack_emulated<gpu::MapSame<std::uint8_t>>(chain->column, column, way);
    case PackKind::same16:
      return pack_emulated<gpu::MapSame<std::uint16_t>>(chain->column, column, way);
    case PackKind::same32:
      return pack_emulated<gpu::MapSame<std::uint32_t>>(chain->column, column, way);
    case PackKind::same64:
      return pack_emulated<gpu::MapSame<std::uint64_t>>(chain->column, column, way);
    case PackKind::sortable32:
      return pack_emulated<gpu::MapSortable<std::uint32_t>>(chain->column, column, way);
    case PackKind::sortable64:
      return pack_emulated<gpu::MapSortable<std::uint64_t>>(chain->column, column, way);
    case PackKind::f64_as_i64:
      return pack_emulated<gpu::MapDecimal<double, std::uint64_t>>(chain->column, column, way);
    case PackKind::f64_as_i32:
      return pack_emulated<gpu::MapDecimal<double, std::uint32_t>>(chain->column, column, way);
    case PackKind::int_mult32:
      return pack_emulated<gpu::MapIntMult<std::uint32_t>>(chain->column, column, way);
    case PackKind::int_mult64:
      return pack_emulated<gpu::MapIntMult<std::uint64_t>>(chain->column, column, way);
    default:
      return pack_emulated<gpu::MapDecimal<float, std::uint32_t>>(chain->column, column, way);
  }
}

}  // namespace floe::test
