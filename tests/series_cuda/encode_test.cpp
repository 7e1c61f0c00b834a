// Does the encoder of devices, run by emulated lanes, write the bytes of the CPU's for the same plan?
#include <gtest/gtest.h>

#include "series_cuda/encode_segment.hpp"
#include "series_cuda/pack_ahead.hpp"
#include "series_cuda/pack_limits.hpp"
#include "series_cuda/pack_segment.hpp"
#include "tests/series_cuda/dictionary_columns.hpp"
#include "tests/support/emulated_team.hpp"
#include "tests/support/padded_bytes.hpp"

namespace floe::test {
namespace {

/// By one warp, or by as many as teams of devices have, which run at the same time.
std::vector<std::uint8_t> encode_emulated(const series::Plan& plan, const Column& column, unsigned warps = 1) {
  const PaddedBytes words(column.bytes);
  static const auto memory = std::make_unique<series_cuda::EncodeMemory>();
  const PaddedBytes scratch(series_cuda::encode_scratch_bytes(series_cuda::encode_plan_of(plan), column.type, column.count()));
  series::ByteWriter plan_bytes;
  write_plan(plan, plan_bytes);
  std::vector<std::uint8_t> out;
  const auto encode = [&](auto& team) {
    if (team.rank() == 0) series_cuda::read_encode_plan(plan_bytes.bytes().data(), memory->plan);
    const std::uint64_t bytes =
        series_cuda::encode_pieces(team, {words.data(), static_cast<std::uint32_t>(column.count()), column.type}, scratch.data());
    if (team.rank() == 0) out.resize(bytes);
    team.sync();
    series_cuda::gather_pieces(team, out.data());
  };
  if (warps == 1) {
    EmulatedWarp::run([&](EmulatedWarp& warp) {
      EmulatedTeam team(warp, *memory);
      encode(team);
    });
  } else {
    WideEmulatedTeam<series_cuda::EncodeMemory>::run(warps, *memory, encode);
  }
  EXPECT_LE(memory->scratch.used, scratch.size());
  return out;
}

/// A tile as a warp of a cluster has it.
struct HeldTile {
  bool is_held = false, is_good = true;
  std::vector<std::uint8_t> slot;
  std::uint32_t bytes = 0;
};

/// Looks at a tile and packs it, as warps of clusters do. All lanes share the outcome.
template <class Map>
void hold_emulated(EmulatedWarp& warp, const series_cuda::TileOfSegment<Map>& at, std::uint32_t count, series_cuda::PackTile& tile,
                   HeldTile& out) {
  using W = typename Map::W;
  if (warp.lane() == 0) out.slot.assign(series_cuda::held_slot_bytes<W>, 0xA5);
  warp.sync();
  series_cuda::HeldWords<Map> held;
  series_cuda::TileDistances<W> distances;
  series_cuda::HeldOutcome outcome;
  read_held(warp, at, held);
  at.with_order(
      [&]<class D>(D) { outcome = series_cuda::find_held_distances<Map, D::order>(warp, at, held, count, out.slot.data(), distances); });
  if (!outcome.is_near) return;
  const series_cuda::Packing packing = choose_packing(warp, distances, count);
  tile = {distances.base, series_cuda::PackTile::pack(packing.width, packing.full_width, packing.exceptions)};
  const std::uint32_t bytes = pack_held(warp, distances, count, packing, out.slot.data() + series_cuda::slot_head);
  if (warp.lane() == 0) {
    out.is_held = true;
    out.is_good = outcome.is_good;
    out.bytes = bytes;
  }
}

/// How tiles get from being looked at to being packed.
enum class Way : std::uint8_t { read_again, read_ahead, held_by_clusters };

/// Packs a tile from words that come to its slot before. False if they cannot.
template <class Map>
bool pack_ahead_emulated(EmulatedWarp& warp, const series_cuda::TileOfSegment<Map>& at, std::uint64_t goal,
                         const series_cuda::PackTile& tile, std::uint64_t last_base, std::uint8_t* slot) {
  if constexpr (series_cuda::ChainWords<Map, 0>::in_registers) {
    std::uint8_t* const end = slot + series_cuda::pack_slot_bytes(sizeof(typename Map::W));
    if (!series_cuda::suffices(goal, tile)) return false;
    const std::vector<std::uint8_t> before(end - series_cuda::pack_head_bytes<typename Map::W>, end);
    if (!begin_reading(warp, at, slot, series_cuda::pack_head_bytes<typename Map::W>)) return false;
    warp.sync();
    EXPECT_TRUE(std::equal(before.begin(), before.end(), end - series_cuda::pack_head_bytes<typename Map::W>));
    warp.sync();
    series_cuda::write_tile_read_ahead(warp, at, goal, tile, last_base, slot);
    return true;
  }
  return false;
}

/// Of a chain, tile by tile. Empty if some word does not map.
template <class Map>
std::vector<std::uint8_t> pack_emulated(series_cuda::PackColumn packed, const Column& column, Way way) {
  using W = typename Map::W;
  const PaddedBytes words(column.bytes), slot(series_cuda::pack_slot_bytes(sizeof(typename Map::W)));
  const std::uint64_t tile_count = series_cuda::tiles_of_words(column.count());
  std::vector<series_cuda::PackTile> tiles(tile_count);
  std::vector<std::uint64_t> goals(tile_count);
  std::vector<HeldTile> held(tile_count);
  std::vector<std::uint8_t> out;
  packed.words = words.data();
  packed.word_count = column.count();
  packed.segment_words = static_cast<std::uint32_t>(column.count());
  bool is_good = true;
  series_cuda::ScaleOfSegment scale;
  packed.scales = &scale;
  EmulatedWarp::run([&](EmulatedWarp& warp) {
    const auto read = [&](std::uint32_t v) { return tiles[v]; };
    series_cuda::TileOfSegment<Map> at{&packed, 0, 0, packed.segment_words, packed.reciprocal};
    if constexpr (series_cuda::scales_words<Map>) {
      const auto guess = series_cuda::guess_scale<W>(warp, words.data(), at.words, series_cuda::flip_of<W>(column.type));
      if (warp.lane() == 0) scale = guess;
      warp.sync();
    }
    for (at.tile = 0; at.tile < tile_count; ++at.tile) {
      const std::uint32_t count = at.words_here(at.chain_words());
      if (at.tile == 0 && !series_cuda::heads_map(warp, at)) is_good = false;
      if (count == 0) continue;
      series_cuda::PackTile tile;
      bool good = true;
      at.with_order([&]<class D>(D) {
        good =
            series_cuda::look_at_tile<Map, D::order>(warp, at.template chain<D::order>(at.tile), count, at.is_signed(), slot.data(), tile);
      });
      at.with_order([&]<class D>(D) {
        series_cuda::PackTile same;
        if (look_in_registers(warp, at.template chain<D::order>(at.tile), count, at.is_signed(), same)) {
          EXPECT_TRUE(same.base == tile.base && same.packing == tile.packing);
        }
      });
      if constexpr (sizeof(W) >= 4) {
        series_cuda::PackTile tile_held = tile;
        if (way == Way::held_by_clusters) hold_emulated(warp, at, count, tile_held, held[at.tile]);
        EXPECT_TRUE(!good || (tile_held.base == tile.base && tile_held.packing == tile.packing));
        EXPECT_TRUE(!held[at.tile].is_held || held[at.tile].is_good == good);
      }
      if (!good) is_good = false;
      if (warp.lane() == 0) tiles[at.tile] = tile;
    }
    warp.sync();
    if (!is_good) return;
    series_cuda::PackPrefix prefix = series_cuda::write_prefix(warp, at, slot.data());
    const series_cuda::PackSums sums = series_cuda::add_up_tiles(warp, at, read);
    finish_prefix(at, sums, prefix);
    const series_cuda::PackOutcome outcome = series_cuda::find_outcome(warp, at, sums, prefix, slot.data());
    if (outcome.mode == series_cuda::PackGoal::packed) complete_packed(warp, at, sums, prefix, tiles.data(), read, slot.data());
    if (warp.lane() == 0) {
      out.assign(outcome.head_bytes + outcome.body_bytes, 0xA5);
      std::copy_n(slot.data(), outcome.head_bytes, out.data());
      packed.out = out.data();
    }
    warp.sync();
    for (std::uint64_t tile = warp.lane(); tile < tile_count; tile += series_cuda::warp_lanes)
      goals[tile] = goal_in_segment(at, tiles.data(), outcome, static_cast<std::uint32_t>(tile));
    warp.sync();
    for (at.tile = 0; at.tile < tile_count; ++at.tile) {
      const std::uint64_t last_base = at.tile == 0 ? outcome.origin : tiles[at.tile - 1].base;
      HeldTile& own = held[at.tile];
      if (own.is_held && write_held_tile(warp, at, goals[at.tile], tiles[at.tile], last_base, own.slot.data(), own.bytes)) continue;
      if (way != Way::read_ahead || !pack_ahead_emulated(warp, at, goals[at.tile], tiles[at.tile], last_base, slot.data())) {
        series_cuda::write_tile(warp, at, goals[at.tile], tiles[at.tile], last_base, slot.data());
      }
    }
  });
  return is_good ? out : std::vector<std::uint8_t>{};
}

/// Nothing if the plan is no chain, or some word does not map.
std::vector<std::uint8_t> pack_emulated(const series::Plan& plan, const Column& column, Way way) {
  using series_cuda::PackKind;
  const auto chain = series_cuda::pack_chain_of(series_cuda::encode_plan_of(plan), column.type);
  if (!chain) return {};
  switch (chain->kind) {
    case PackKind::same8:
      return pack_emulated<series_cuda::MapSame<std::uint8_t>>(chain->column, column, way);
    case PackKind::same16:
      return pack_emulated<series_cuda::MapSame<std::uint16_t>>(chain->column, column, way);
    case PackKind::same32:
      return pack_emulated<series_cuda::MapSame<std::uint32_t>>(chain->column, column, way);
    case PackKind::same64:
      return pack_emulated<series_cuda::MapSame<std::uint64_t>>(chain->column, column, way);
    case PackKind::turn32:
      return pack_emulated<series_cuda::MapTurn<std::uint32_t>>(chain->column, column, way);
    case PackKind::turn64:
      return pack_emulated<series_cuda::MapTurn<std::uint64_t>>(chain->column, column, way);
    case PackKind::f64_as_i64:
      return pack_emulated<series_cuda::MapDecimal<double, std::uint64_t>>(chain->column, column, way);
    case PackKind::f64_as_i32:
      return pack_emulated<series_cuda::MapDecimal<double, std::uint32_t>>(chain->column, column, way);
    case PackKind::scale32:
      return pack_emulated<series_cuda::MapScale<std::uint32_t>>(chain->column, column, way);
    case PackKind::scale64:
      return pack_emulated<series_cuda::MapScale<std::uint64_t>>(chain->column, column, way);
    default:
      return pack_emulated<series_cuda::MapDecimal<float, std::uint32_t>>(chain->column, column, way);
  }
}

void expect_bytes(const std::vector<std::uint8_t>& bytes, const std::vector<std::uint8_t>& ours, Type type, const std::string& what) {
  if (bytes == ours) return;
  std::size_t at = 0;
  while (at < bytes.size() && at < ours.size() && bytes[at] == ours[at]) ++at;
  FAIL() << what << ": byte " << at << " of " << bytes.size() << " (" << ours.size() << "), plan "
         << text_of(series::plan_of(bytes, type).value());
}

void expect_same_bytes(const series::Plan& plan, const Column& column, const std::string& what) {
  const std::vector<std::uint8_t> bytes = series::ColumnEncoder(plan).encode(column.view());
  expect_bytes(bytes, encode_emulated(plan, column), column.type, what);
  for (const Way way : {Way::read_again, Way::read_ahead, Way::held_by_clusters}) {
    const std::vector<std::uint8_t> packed = pack_emulated(plan, column, way);
    if (!packed.empty()) expect_bytes(bytes, packed, column.type, what + ", packed straight to its place, way " + std::to_string(int(way)));
  }
}

class DeviceEncoderOf : public testing::TestWithParam<Type> {};

TEST_P(DeviceEncoderOf, WritesTheBytesOfEveryTree) {
  for (const std::string& tree : device_trees(GetParam())) {
    const auto plan = series::plan_from_text(tree, GetParam());
    ASSERT_TRUE(plan.status().ok()) << tree;
    for (const std::uint64_t count : {2, 33, 1900}) {
      for (const auto& [name, column] : difficult_columns(GetParam(), count)) {
        expect_same_bytes(*plan, column, tree + " on " + name + " of " + std::to_string(count));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(DeviceEncoderOf, WritesTheBytesOfRandomTrees) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const series::Plan plan = random_plan(core::splitmix(1000 * seed + static_cast<unsigned>(GetParam())), GetParam());
    for (const auto& [name, column] : difficult_columns(GetParam(), 1 + core::splitmix(seed) % 2100)) {
      expect_same_bytes(plan, column, text_of(plan) + " on " + name);
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, DeviceEncoderOf, testing::ValuesIn(series::all_types),
                         [](const auto& type) { return std::string(name_of(type.param)); });

TEST(DeviceEncoder, CopiesFromAndToAnyAddress) {
  for (std::uint32_t size = 0; size < 150; size += size < 70 ? 1 : 9) {
    for (unsigned from_offset = 0; from_offset < 16; ++from_offset) {
      // Nothing is readable behind the source.
      std::vector<std::uint8_t> source(from_offset + size);
      for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::uint8_t>(core::splitmix(i));
      for (unsigned to_offset = 0; to_offset < 16; ++to_offset) {
        const PaddedBytes out(to_offset + size + 16);
        EmulatedWarp::run(
            [&](EmulatedWarp& warp) { series_cuda::copy_by_warp(warp, out.data() + to_offset, source.data() + from_offset, size); });
        ASSERT_TRUE(std::equal(source.begin() + from_offset, source.end(), out.data() + to_offset)) << size;
        for (unsigned i = 0; i < 16; ++i) ASSERT_EQ(out.data()[to_offset + size + i], 0xA5);
      }
    }
  }
}

/// Exceptions of bit packing of every width, and vectors of every width.
TEST(DeviceEncoder, PacksEveryWidth) {
  for (const Type type : {Type::i8, Type::u16, Type::i32, Type::u64}) {
    const unsigned bits = 8 * static_cast<unsigned>(series::bytes_of(type));
    for (unsigned width = 0; width <= bits; ++width) {
      for (unsigned rare = 0; rare < 3; ++rare) {
        Column column(type, 2048 + 77);
        for (std::uint64_t i = 0; i < column.count(); ++i) {
          const std::uint64_t random = core::splitmix(i + 10000 * width);
          const bool is_rare = rare > 0 && core::splitmix(random) % (rare == 1 ? 12 : 300) == 0;
          column.set(i, 1000 + (is_rare ? core::splitmix(random + 1) : width == 0 ? 0 : random >> (64 - width)));
        }
        expect_same_bytes(series::plan_from_text("afl", type).value(), column, "width " + std::to_string(width));
        if (HasFatalFailure()) return;
      }
    }
  }
}

/// Words on both sides of where their order begins again, and distances from the first word that just fit into 32 bits, or just do not.
TEST(DeviceEncoder, PacksWordsOnBothSidesOfTheirOrdersEnd) {
  for (const Type type : {Type::i64, Type::u64, Type::i32, Type::u32}) {
    const unsigned bits = 8 * static_cast<unsigned>(series::bytes_of(type));
    for (const std::uint64_t middle : {std::uint64_t{0}, std::uint64_t{1} << (bits - 1), std::uint64_t{12345} << 20}) {
      for (const unsigned width : {3u, 20u, 30u, 31u, 32u, 33u}) {
        for (unsigned first = 0; first < 3; ++first) {
          const std::uint64_t reach = std::uint64_t{1} << width;
          Column column(type, 2 * 1024 + 9);
          for (std::uint64_t i = 0; i < column.count(); ++i)
            column.set(i, middle - reach / 2 + (i % 1024 == 0 ? first * (reach / 2) - (first > 1 ? 1 : 0) : core::splitmix(i) % reach));
          for (const char* tree : {"afl", "delta,afl"}) {
            expect_same_bytes(series::plan_from_text(tree, type).value(), column,
                              std::string(tree) + " around " + std::to_string(middle) + ", width " + std::to_string(width));
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

/// Multiples of divisors, odd ones and even ones, from anywhere on in the order of the type; words all equal, or of no divisor; and words
/// of which one is no multiple, or leaves the rest only where the order has begun again: those are not packed so unless that shows
/// beforehand.
TEST(DeviceEncoder, PacksMultiplesStraightToTheirPlaces) {
  unsigned packed = 0, given_up = 0;
  for (const Type type : {Type::i32, Type::u32, Type::i64, Type::u64}) {
    const unsigned bits = 8 * static_cast<unsigned>(series::bytes_of(type));
    const series::Plan plan = series::plan_from_text("scale,afl", type).value();
    for (const std::uint64_t divisor : {0, 1, 2, 7, 60, 1000, 4096, 86400, 99999999}) {
      for (const std::uint64_t origin : {std::uint64_t{0}, std::uint64_t{12345}, std::uint64_t{1} << (bits - 1), ~std::uint64_t{0} - 70}) {
        for (const std::uint64_t count : {1, 2, 1024, 3000}) {
          for (unsigned odd = 0; odd < 3; ++odd) {
            Column column(type, count);
            const std::uint64_t reach =
                divisor == 0 ? 1 : std::min((~std::uint64_t{0} >> (65 - bits)) / divisor, std::uint64_t{1} << (7 + odd * 8));
            for (std::uint64_t i = 0; i < count; ++i) column.set(i, origin + divisor * (core::splitmix(i + divisor) % reach));
            if (odd == 1) column.set(count / 2, origin + divisor * 3 + 1);
            if (odd == 2) column.set(count / 3, origin - 5 * divisor);
            const std::vector<std::uint8_t> bytes = pack_emulated(plan, column, Way::held_by_clusters);
            (bytes.empty() ? given_up : packed) += 1;
            expect_same_bytes(plan, column,
                              "divisor " + std::to_string(divisor) + " from " + std::to_string(origin) + ", " + std::to_string(odd) +
                                  " on " + std::to_string(count) + " of " + std::string(name_of(type)));
            if (HasFatalFailure()) return;
            EXPECT_FALSE(odd == 0 && origin < 99999 && bytes.empty());
          }
        }
      }
    }
  }
  EXPECT_GT(packed, 2 * given_up);
  EXPECT_GT(given_up, 10u);
}

/// Chains as the planner makes them: decimals that all map, strides, steps that are equal, words that do not shrink.
TEST(DeviceEncoder, PacksChainsStraightToTheirPlaces) {
  unsigned packed = 0;
  for (const Type type : {Type::f32, Type::f64, Type::i64, Type::u32, Type::u16, Type::i8}) {
    for (unsigned kind = 0; kind < 6; ++kind) {
      for (const std::uint64_t count : {1, 70, 1024, 1025, 5000}) {
        Column column(type, count);
        for (std::uint64_t i = 0; i < count; ++i) {
          const std::uint64_t random = core::splitmix(i + kind), least = kind == 3 ? core::splitmix(i % 3) : 0;
          const std::uint64_t number = kind == 0   ? random % 1000
                                       : kind == 1 ? 7 * i
                                       : kind == 2 ? 5
                                       : kind == 3 ? least
                                       : kind == 4 ? i / 70
                                                   : random;
          if (type == Type::f64 && kind != 5) {
            column.set(i, std::bit_cast<std::uint64_t>(static_cast<double>(number % 100000) / 100));
          } else if (type == Type::f32 && kind != 5) {
            column.set(i, std::bit_cast<std::uint32_t>(static_cast<float>(number % 10000) / 100));
          } else {
            column.set(i, number);
          }
        }
        const std::vector<std::string> chains =
            series::is_float(type)
                ? std::vector<std::string>{"decimal(2,4),afl,afl,raw", "decimal(2,4),delta,afl,raw,raw",
                                           "decimal(2,4),delta(2,3),afl,afl,raw", "ordered,afl", "ordered,delta(1,2),afl"}
                : std::vector<std::string>{
                      "afl", "delta,afl", "delta(2),afl", "delta(1,3),afl", "delta(1,32),afl", "delta(2,16),afl", "delta(2,64),afl"};
        for (const std::string& tree : chains) {
          const series::Plan plan = series::plan_from_text(tree, type).value();
          packed += pack_emulated(plan, column, Way::held_by_clusters).empty() ? 0 : 1;
          expect_same_bytes(plan, column, tree + " of kind " + std::to_string(kind) + " on " + std::to_string(count));
          if (HasFatalFailure()) return;
        }
      }
    }
  }
  EXPECT_GT(packed, 800u);
}

/// A warp per tile, eight in a block: not for segments of which most warps would have nothing, nor for more tiles than eight blocks have.
TEST(DeviceEncoder, TakesSegmentsByClustersWhereThatIsFaster) {
  using series_cuda::PackKind;
  const auto blocks = [](PackKind kind, std::uint8_t order, std::uint32_t segment_words, std::uint32_t other_words) {
    series_cuda::PackJob job;
    job.column_count = 2;
    for (series_cuda::PackColumn& column : job.column) column.order = order;
    job.column[0].segment_words = segment_words;
    job.column[1].segment_words = other_words;
    return cluster_blocks_of(job, kind);
  };
  EXPECT_EQ(blocks(PackKind::same64, 1, 65536, 65536), 8u);
  EXPECT_EQ(blocks(PackKind::same64, 1, 57344, 57344), 7u);
  EXPECT_EQ(blocks(PackKind::same64, 1, 65536, 65537), 0u);
  EXPECT_EQ(blocks(PackKind::same64, 1, 65536, 40000), 8u);
  EXPECT_EQ(blocks(PackKind::same64, 1, 65536, 20000), 0u);
  EXPECT_EQ(blocks(PackKind::same32, 1, 9000, 9000), 2u);
  EXPECT_EQ(blocks(PackKind::same32, 1, 8192, 8192), 0u);
  EXPECT_EQ(blocks(PackKind::same64, 0, 65536, 65536), 0u);
  EXPECT_EQ(blocks(PackKind::same32, 0, 65536, 65536), 8u);
  EXPECT_EQ(blocks(PackKind::f32_as_i32, 0, 16384, 16384), 2u);
}

/// What warps tell each other, round by round: counts, bases, the last decimals, places of runs and of words that are chosen.
TEST(DeviceEncoder, WritesTheSameBytesByWarpsAtTheSameTime) {
  for (unsigned kind = 0; kind < 4; ++kind) {
    constexpr std::uint64_t lengths[] = {1, 5, 50, 3000};
    Column integers(Type::i32, 10000), floats(Type::f64, 10000);
    std::uint64_t value = 0;
    for (std::uint64_t i = 0; i < integers.count(); ++i) {
      if (core::splitmix(i) % lengths[kind] == 0) value = core::splitmix(i + kind) % 3000;
      integers.set(i, value);
      floats.set(i, std::bit_cast<std::uint64_t>(value % 97 == 0 ? 1.0 / 3 : static_cast<double>(value) / 100));
    }
    const auto expect_same = [](const Column& column, std::initializer_list<const char*> trees) {
      for (const char* tree : trees) {
        const series::Plan plan = series::plan_from_text(tree, column.type).value();
        expect_bytes(series::ColumnEncoder(plan).encode(column.view()), encode_emulated(plan, column, series_cuda::most_encode_warps),
                     column.type, tree);
        if (testing::Test::HasFatalFailure()) return;
      }
    };
    expect_same(integers, {"afl", "delta(2),afl", "scale,afl", "rle,afl,delta,afl", "freq,afl,afl", "split,afl,afl,afl", "dict,raw,afl,raw",
                           "dict(1,1000),delta,afl,afl,raw", "stride_split(3),afl,afl,afl", "divide(49,1),afl,afl"});
    expect_same(floats, {"decimal(2,4),afl,afl,raw", "decimal(2,4),delta,afl,afl,raw", "dict(2),raw,afl,raw"});
    if (HasFatalFailure()) return;
  }
}

/// Runs that begin and end with tiles and with rounds of tiles, runs longer than a round, runs of one word, and a single one.
TEST(DeviceEncoder, TakesRunsApartWhereverTheyBegin) {
  for (const Type type : {Type::u8, Type::i32, Type::f64}) {
    const series::Plan plan = series::plan_from_text(type == Type::f64 ? "rle,afl,raw" : "rle,afl,afl", type).value();
    for (const std::uint64_t length : {1, 2, 31, 512, 1023, 1024, 1025, 4096, 8191, 8192, 16385, 16399, 20000}) {
      Column column(type, 16400);
      for (std::uint64_t i = 0; i < column.count(); ++i) column.set(i, core::splitmix(i / length));
      const std::vector<std::uint8_t> bytes = series::ColumnEncoder(plan).encode(column.view());
      for (const unsigned warps : {1u, series_cuda::most_encode_warps}) {
        expect_bytes(bytes, encode_emulated(plan, column, warps), type, "runs of " + std::to_string(length));
        if (HasFatalFailure()) return;
      }
    }
  }
}

/// Tables and entries that shared memory does not hold, and entries that are left out.
TEST(DeviceEncoder, MakesLargeDictionaries) {
  for (const Type type : {Type::u16, Type::f64}) {
    Column column(type, 12000);
    for (std::uint64_t i = 0; i < column.count(); ++i) column.set(i, core::splitmix(core::splitmix(i) % 7000));
    for (const char* tree :
         {"dict,raw,afl,raw", "dict(0,3000),raw,afl,raw", "dict(1,3000),raw,afl,raw", "dict(2,3000),raw,afl,raw", "dict(1),raw,afl,raw"}) {
      expect_same_bytes(series::plan_from_text(tree, type).value(), column, tree);
      if (HasFatalFailure()) return;
    }
  }
}

/// Words that crowd a table in shared memory or in the scratch, words that are all different, and two words.
TEST(DeviceEncoder, MakesDictionariesOfWordsThatCrowdTables) {
  for (const DictionaryCase& with : dictionary_cases) {
    const Column column = with.column();
    unsigned warps = series_cuda::most_encode_warps;
    for (const char* tree : dictionary_trees) {
      const series::Plan plan = series::plan_from_text(tree, with.type).value();
      expect_bytes(series::ColumnEncoder(plan).encode(column.view()), encode_emulated(plan, column, warps), with.type, tree);
      if (HasFatalFailure()) return;
      warps = 1;
    }
  }
}

}  // namespace
}  // namespace floe::test
