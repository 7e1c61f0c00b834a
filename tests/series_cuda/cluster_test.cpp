// Tests of clusters of blocks, emulated by threads that hear of each other late: they pack columns into the
// CPU's segments, and end whatever happens.
#include <gtest/gtest.h>

#include "gpu/pack/cluster_packer.hpp"
#include "gpu/pack/pack_limits.hpp"
#include "tests/series/columns.hpp"
#include "tests/support/emulated_cluster.hpp"

namespace floe::test {
namespace {

using gpu::PackColumn;
using gpu::PackJob;

/// A column whose segments a launch packs, and what becomes of them.
struct Packed {
  PaddedBytes words;
  std::vector<std::uint8_t> out;
  std::vector<cuda::SegmentEntry> segments;
  std::vector<std::uint64_t> states;
  cuda::ItemResult result;
  std::uint32_t refused = 0;
  std::vector<gpu::SegmentDivisor> divisors;

  Packed(const Column& column, std::uint32_t segment_words, std::size_t room)
      : words(column.bytes),
        out(room, 0xA5),
        segments((column.count() + segment_words - 1) / segment_words),
        states(segments.size()),
        divisors(segments.size()) {}
};

struct Launch {
  std::vector<std::unique_ptr<Packed>> columns;
  PackJob job;
  std::uint32_t ticket = 0, failed = 0;

  /// All columns have the same chain.
  Launch(const gpu::PackChain& chain, const std::vector<Column>& all, std::uint32_t segment_words,
         std::size_t room, std::uint16_t lead_bytes = 0) {
    for (const Column& column : all) {
      columns.push_back(std::make_unique<Packed>(column, segment_words, room));
      Packed& packed = *columns.back();
      PackColumn& to = job.column[job.column_count++];
      to = chain.column;
      to.words = packed.words.data();
      to.word_count = column.count();
      to.out = packed.out.data();
      to.out_bytes = packed.out.size();
      to.segments = packed.segments.data();
      to.result = &packed.result;
      to.states = packed.states.data();
      to.refused = &packed.refused;
      to.divisors = packed.divisors.data();
      to.segment_words = segment_words;
      to.lead_bytes = lead_bytes;
      job.segment_count += static_cast<std::uint32_t>(packed.segments.size());
      to.end_segment = job.segment_count;
    }
    job.ticket = &ticket;
    job.failed = &failed;
  }

  /// What a kernel ahead of the clusters does.
  template <class Map>
  void guess() {
    for (std::uint32_t i = 0; i < job.segment_count; ++i) {
      gpu::TileOfSegment<Map> at;
      ASSERT_TRUE(find_tile(job, i, 0, at));
      EmulatedWarp::run([&](EmulatedWarp& warp) {
        using W = typename Map::W;
        const auto scale =
            gpu::guess_divisor<W>(warp, at.segment_start(), at.words, gpu::flip_of<W>(at.column->type));
        if (warp.lane() == 0) at.column->divisors[at.segment] = scale;
      });
    }
  }

  template <class Map>
  void run(unsigned cluster_count, unsigned blocks, unsigned seed) {
    if constexpr (gpu::is_int_mult_map<Map>) guess<Map>();
    constexpr unsigned warps = gpu::cluster_threads / gpu::warp_lanes;
    std::vector<std::unique_ptr<EmulatedCluster>> clusters;
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < cluster_count; ++i) {
      clusters.push_back(std::make_unique<EmulatedCluster>(
          blocks, warps, gpu::cluster_shared_bytes<typename Map::W>, 100 * seed + i));
      threads.emplace_back([this, &cluster = *clusters.back()] {
        EmulatedClusterBlock::run(cluster, warps, [&](const EmulatedClusterBlock& block) {
          gpu::pack_by_cluster<Map>(block, job);
        });
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const auto& cluster : clusters) EXPECT_FALSE(cluster->was_misused());
  }
};

gpu::PackChain chain_of(const trees::Plan& plan, DType type) {
  return gpu::pack_chain_of(gpu::encode_plan_of(plan), type).value();
}

void expect_segments(const trees::Plan& plan, const Column& column, std::uint32_t segment_words,
                     const Packed& packed, std::uint16_t lead_bytes) {
  std::uint64_t offset = 0;
  const std::size_t width = column.bytes.size() / column.count();
  for (std::size_t s = 0; s < packed.segments.size(); ++s) {
    const std::uint64_t first = s * segment_words,
                        count = std::min<std::uint64_t>(segment_words, column.count() - first);
    Column segment(column.type, count);
    std::copy_n(column.bytes.begin() + static_cast<std::ptrdiff_t>(first * width), count * width,
                segment.bytes.begin());
    const std::vector<std::uint8_t> bytes = ColumnEncoder(plan).encode(segment.view());
    const auto lead = packed.out.begin() + static_cast<std::ptrdiff_t>(offset);
    EXPECT_EQ(std::count(lead, lead + lead_bytes, 0xA5), lead_bytes) << "segment " << s;
    offset += lead_bytes;
    ASSERT_EQ(packed.segments[s].offset, offset) << "segment " << s;
    ASSERT_EQ(packed.segments[s].bytes, bytes.size()) << "segment " << s;
    EXPECT_EQ(packed.segments[s].words, count);
    ASSERT_TRUE(
        std::equal(bytes.begin(), bytes.end(), packed.out.begin() + static_cast<std::ptrdiff_t>(offset)))
        << "segment " << s;
    offset += (bytes.size() + 15) / 16 * 16;
  }
  EXPECT_EQ(packed.result.bytes, offset);
  EXPECT_EQ(packed.refused, 0u);
}

template <class Value>
Column column_of(DType type, std::uint64_t count, const Value& value) {
  Column column(type, count);
  for (std::uint64_t i = 0; i < count; ++i) column.set(i, value(i));
  return column;
}

std::uint64_t cents(std::uint64_t i) {
  return std::bit_cast<std::uint64_t>(static_cast<double>(core::splitmix(i) % 100000) / 100);
}

constexpr std::uint32_t segment_words = 9500;  // ten tiles: two blocks, whose last warps have none

TEST(Clusters, PackColumnsOfManySegments) {
  using namespace gpu;
  const auto expect = [&]<class Map>(Map, DType type, const char* tree, const auto& value) {
    const trees::Plan plan = trees::plan_from_text(tree, type).value();
    const std::vector<Column> columns = {column_of(type, 6 * segment_words + 1, value),
                                         column_of(type, 3 * segment_words - 700, value)};
    for (unsigned clusters = sanitized ? 2 : 1; clusters <= 3; ++clusters) {
      const std::uint16_t lead_bytes = clusters == 2 ? 112 : 0;
      Launch launch(chain_of(plan, type), columns, segment_words, columns[0].bytes.size() + 2000, lead_bytes);
      launch.run<Map>(clusters, 2, clusters);
      EXPECT_EQ(launch.failed, 0u);
      for (std::size_t i = 0; i < columns.size(); ++i)
        expect_segments(plan, columns[i], segment_words, *launch.columns[i], lead_bytes);
      if (testing::Test::HasFatalFailure()) return;
    }
  };
  const auto short_words = [](std::uint64_t i) {
    return i % 97 == 0 ? core::splitmix(i) : core::splitmix(i) % 3000;
  };
  expect(MapSame<std::uint32_t>(), DType::u32, "bitpack", short_words);
  expect(MapSame<std::uint32_t>(), DType::u32, "bitpack", [](std::uint64_t i) { return core::splitmix(i); });
  expect(MapSame<std::uint32_t>(), DType::i32, "delta(1,2),bitpack",
         [](std::uint64_t i) { return 7 * i + core::splitmix(i) % 5; });
  expect(MapSame<std::uint64_t>(), DType::i64, "delta(2),bitpack",
         [](std::uint64_t i) { return i * i + core::splitmix(i) % 50; });
  expect(MapDecimal<double, std::uint32_t>(), DType::f64, "decimal(2,4),bitpack,bitpack,raw", cents);
  expect(MapIntMult<std::uint32_t>(), DType::i32, "int_mult,bitpack",
         [](std::uint64_t i) { return 60 * (core::splitmix(i) % 4000) - 99; });
  expect(MapIntMult<std::uint32_t>(), DType::u32, "int_mult,bitpack",
         [](std::uint64_t i) { return core::splitmix(i); });
  expect(MapIntMult<std::uint64_t>(), DType::i64, "int_mult,bitpack",
         [](std::uint64_t i) { return 1000 * (core::splitmix(i) % 100000) - 99; });
  // Some tiles are more than 32 bits apart, and wait for their positions before the next one is looked at.
  expect(MapSame<std::uint64_t>(), DType::i64, "delta,bitpack",
         [](std::uint64_t i) { return i / 2000 % 3 == 0 ? core::splitmix(i) >> 2 : 1000 * i; });
}

/// The last segments are published that they have no room, and nothing is written beyond it.
TEST(Clusters, KeepToTheRoom) {
  using Map = gpu::MapSame<std::uint32_t>;
  const trees::Plan plan = trees::plan_from_text("delta,bitpack", DType::u32).value();
  const Column column =
      column_of(DType::u32, 5 * segment_words, [](std::uint64_t i) { return core::splitmix(i) % 500 + i; });
  Launch all(chain_of(plan, DType::u32), {column}, segment_words, column.bytes.size());
  all.run<Map>(2, 2, 1);
  const std::vector<cuda::SegmentEntry>& whole = all.columns[0]->segments;
  Launch less(chain_of(plan, DType::u32), {column}, segment_words, whole[3].offset + 8);
  less.run<Map>(2, 2, 2);
  EXPECT_EQ(less.columns[0]->refused, 2u);
  for (std::size_t s = 0; s < whole.size(); ++s) {
    EXPECT_EQ(less.columns[0]->segments[s].offset, whole[s].offset);
    EXPECT_EQ(less.columns[0]->segments[s].bytes, s < 3 ? whole[s].bytes : 0);
  }
  EXPECT_TRUE(std::equal(less.columns[0]->out.begin(),
                         less.columns[0]->out.begin() + static_cast<std::ptrdiff_t>(whole[3].offset),
                         all.columns[0]->out.begin()));
}

/// A word that no decimal is ends the launch for all clusters, wherever it is and however far they have come.
TEST(Clusters, StopAtAWordThatDoesNotMap) {
  const auto expect_stop = [&]<class Map>(Map, const char* tree, bool has_far_tiles) {
    const trees::Plan plan = trees::plan_from_text(tree, DType::f64).value();
    const gpu::PackChain chain = chain_of(plan, DType::f64);
    for (std::uint64_t at : {0, 9499, 9500, 20000, 37000, 47499}) {
      const Column column = column_of(DType::f64, 5 * segment_words, [&](std::uint64_t i) {
        if (i == at) return std::bit_cast<std::uint64_t>(0.1234567890123);
        return has_far_tiles && i % 3000 == 1 ? std::bit_cast<std::uint64_t>(40e9) : cents(i);
      });
      for (unsigned clusters = sanitized ? 3 : 1; clusters <= 3; ++clusters) {
        Launch launch(chain, {column}, segment_words, column.bytes.size());
        launch.run<Map>(clusters, 2, clusters);
        EXPECT_NE(launch.failed, 0u);
      }
    }
  };
  expect_stop(gpu::MapDecimal<double, std::uint32_t>(), "decimal(2,4),bitpack,bitpack,raw", false);
  expect_stop(gpu::MapDecimal<double, std::uint64_t>(), "decimal(2,8),delta,bitpack,bitpack,raw", true);
}

/// So does a word that is no multiple of what the others are, unless the divisor was found with it.
TEST(Clusters, StopAtAWordThatIsNoMultiple) {
  using Map = gpu::MapIntMult<std::uint64_t>;
  const trees::Plan plan = trees::plan_from_text("int_mult,bitpack", DType::i64).value();
  for (std::uint64_t at : {100, 9499, 20000, 37000, 47499}) {
    const Column column = column_of(DType::i64, 5 * segment_words, [&](std::uint64_t i) {
      return 60 * (core::splitmix(i) % 999) + (i == at ? 1 : 0);
    });
    for (unsigned clusters = sanitized ? 3 : 1; clusters <= 3; ++clusters) {
      Launch launch(chain_of(plan, DType::i64), {column}, segment_words, column.bytes.size());
      launch.run<Map>(clusters, 2, clusters);
      EXPECT_NE(launch.failed, 0u) << at;
    }
  }
}

}  // namespace
}  // namespace floe::test
