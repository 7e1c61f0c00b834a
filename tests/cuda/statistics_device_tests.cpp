// Does a device collect the statistics of the CPU and gather the words that the planner wants, and are the
// plans the same?
#include "gpu/host/column_sampler.hpp"
#include "plan/search/finalists.hpp"
#include "plan/search/sampled_planner.hpp"
#include "tests/cuda/device_memory.hpp"
#include "tests/cuda/recorded_statistics.hpp"

namespace floe::test {
namespace {

using series_cuda::ColumnSampler;
using series_cuda::SampleLayout;
using series_cuda::SegmentedColumn;

/// A column of a length and a kind that something can go wrong with.
Column random_column(Random& random, DType type, std::uint64_t most) {
  constexpr std::uint64_t around[] = {1, 16, 512, 1024, 8192, 12288, 65536, 262144};
  std::uint64_t count =
      random.below(2) == 0 ? 1 + random.below(most) : around[random.below(8)] + random.below(40);
  if (random.below(4) == 0) count = around[random.below(8)];
  auto columns = difficult_columns(type, std::clamp<std::uint64_t>(count, 1, most));
  Column column = std::move(columns[random.below(columns.size())].second);
  // A few words of another kind, anywhere.
  const auto difficult = difficult_words(type);
  for (std::uint64_t i = random.below(4); i > 0; --i)
    column.set(random.below(column.count()), difficult[random.below(difficult.size())]);
  return column;
}

ColumnView segment_of(const Column& column, std::uint64_t segment_words, std::uint64_t segment) {
  const std::uint64_t first = segment * segment_words;
  return {column.type, column.bytes.data() + first * size_of(column.type),
          std::min(segment_words, column.count() - first)};
}

void expect_sample(const Column& column, std::uint64_t segment_words, const Bytes& samples) {
  const SegmentedColumn shape{column.type, nullptr, column.count(), segment_words};
  ASSERT_EQ(samples.size(), sample_bytes(shape));
  for (std::uint64_t segment = 0; segment < shape.segments(); ++segment) {
    const ColumnView words = segment_of(column, segment_words, segment);
    const std::uint8_t* sample = samples.data() + segment * SampleLayout(shape).stride;
    trees::Statistics found;
    std::memcpy(&found, sample, sizeof found);
    ASSERT_TRUE(found == collect_statistics(words))
        << name_of(column.type) << " " << column.count() << " segment " << segment;
    sample += SampleLayout::record_bytes;
    for (const ColumnView& window :
         windows_of(words, trees::planning_window_words, trees::planning_windows)) {
      ASSERT_EQ(std::memcmp(sample, window.values, window.bytes()), 0)
          << name_of(column.type) << " " << column.count();
      sample += window.bytes();
    }
  }
}

/// Samples of all columns in one call.
std::vector<Bytes> sample_on_device(const std::vector<Column>& columns,
                                    const std::vector<std::uint64_t>& segment_words, bool shifted) {
  std::vector<std::unique_ptr<DeviceMemory>> memories;
  std::vector<SegmentedColumn> shapes;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    memories.push_back(
        std::make_unique<DeviceMemory>(columns[i].bytes, shifted ? size_of(columns[i].type) : 0));
    shapes.push_back({columns[i].type, memories.back()->data(), columns[i].count(), segment_words[i]});
    bytes += sample_bytes(shapes.back());
  }
  const DeviceMemory samples(bytes), workspace(series_cuda::sample_workspace_bytes(shapes));
  EXPECT_TRUE(series_cuda::sample_async(shapes, samples.data(), workspace.data(), nullptr).ok());
  expect_cuda(cudaDeviceSynchronize());
  EXPECT_TRUE(samples.is_intact() && workspace.is_intact());
  std::vector<Bytes> parts;
  std::uint64_t at = 0;
  for (const SegmentedColumn& shape : shapes) {
    parts.push_back(samples.read(at, sample_bytes(shape)));
    at += sample_bytes(shape);
  }
  return parts;
}

TEST(CudaStatistics, OfRandomColumnsAreThoseOfTheCpu) {
  FLOE_NEEDS_DEVICE();
  Random random(1);
  for (std::size_t round = 0; round < rounds(1000); ++round) {
    const DType type = word_types[round % std::size(word_types)];
    const Column column = random_column(random, type, round % 20 == 0 ? 600000 : 70000);
    const std::uint64_t segment_words =
        random.below(2) == 0 ? column.count() + random.below(100) : 1 + random.below(column.count());
    if (column.count() / segment_words > 200) continue;
    expect_sample(column, segment_words,
                  sample_on_device({column}, {segment_words}, random.below(3) == 0)[0]);
  }
}

TEST(CudaStatistics, OfManyColumnsInOneCall) {
  FLOE_NEEDS_DEVICE();
  Random random(2);
  for (std::size_t round = 0; round < rounds(6); ++round) {
    std::vector<Column> columns;
    std::vector<std::uint64_t> segment_words;
    for (std::size_t i = 0; i < 100; ++i) {
      columns.push_back(random_column(random, word_types[random.below(std::size(word_types))], 30000));
      segment_words.push_back(1000 + random.below(20000));
    }
    const std::vector<Bytes> samples = sample_on_device(columns, segment_words, round % 2 == 1);
    for (std::size_t i = 0; i < columns.size(); ++i) expect_sample(columns[i], segment_words[i], samples[i]);
  }
}

TEST(CudaStatistics, OfLongColumns) {
  FLOE_NEEDS_DEVICE();
  for (const DType type : {DType::u8, DType::i16, DType::f32, DType::i64}) {
    const auto columns = difficult_columns(type, 20'000'003);
    for (const std::size_t kind : {1, 4, 6}) {
      const Column& column = columns[kind].second;
      expect_sample(column, column.count(), sample_on_device({column}, {column.count()}, false)[0]);
    }
  }
}

TEST(CudaStatistics, AreTheRecordedOnes) {
  FLOE_NEEDS_DEVICE();
  EXPECT_EQ(hash_recorded_statistics([](const ColumnView& view) {
              Column column(view.type, view.count);
              std::memcpy(column.bytes.data(), view.values, view.bytes());
              const Bytes sample = sample_on_device({column}, {view.count}, false)[0];
              trees::Statistics statistics;
              std::memcpy(&statistics, sample.data(), sizeof statistics);
              return statistics;
            }),
            recorded_statistics_hash);
}

TEST(CudaStatistics, LeadToThePlansOfTheCpu) {
  FLOE_NEEDS_DEVICE();
  Random random(3);
  trees::Scratch scratch;
  const trees::Objective objective = trees::objective_of(trees::Preset::balanced);
  for (std::size_t round = 0; round < rounds(200); ++round) {
    const Column column = random_column(random, word_types[round % std::size(word_types)], 100000);
    const DeviceMemory memory(column.bytes);
    auto sampler = ColumnSampler::create(column.type, column.count(), column.count());
    ASSERT_TRUE(static_cast<bool>(sampler));
    ASSERT_TRUE(sampler->begin(memory.data(), column.count(), nullptr).ok());
    ASSERT_TRUE(sampler->wait().ok());
    EXPECT_TRUE(sampler->statistics(0) == collect_statistics(column.view()));
    trees::SampledPlanner planner(objective);
    const auto windows = windows_of(column.view(), trees::planning_window_words, trees::planning_windows);
    EXPECT_EQ(planner.plan_for(sampler->windows(0), scratch),
              plan_windows(windows, column.count(), objective, trees::max_plan_depth, scratch));
  }
}

}  // namespace
}  // namespace floe::test
