// Does the planner find the trees that the synthetic series ask for?
#include <gtest/gtest.h>

#include <array>

#include "plan/search/finalists.hpp"
#include "plan/search/search.hpp"
#include "plan/tree_time.hpp"
#include "tests/plan/batches.hpp"
#include "tests/series/generators.hpp"

namespace floe::test {
namespace {

TEST(Planner, FindsTheStaircase) {
  EXPECT_GE(ratio_of(Batches<std::int32_t>{pattern_a<std::int32_t>(segment, 0, 100, 5, 1, 1000000)}), 1000);
}

TEST(Planner, FindsTwoInterleavedLevels) {
  EXPECT_GE(
      ratio_of(Batches<std::int32_t>{pattern_b<std::int32_t>(segment, 0, segment, 3, 10000000, Random(1))}),
      12);
}

TEST(Planner, FindsTimes) {
  EXPECT_GE(ratio_of(Batches<std::int64_t>{time_column(segment, 100000, 10, Random(2))}), 44.9);
}

TEST(Planner, FindsDecimals) {
  // Entropy of the digits: 6.2 bits of 32, of which the thesis got 4.04 times.
  EXPECT_GE(ratio_of(Batches<float>{decimals<float>(segment, 3, Random(3))}), 4.6);
}

TEST(Planner, CompressesTheGeneratedTableThirtyfold) {
  constexpr std::uint64_t rows = 500'000;
  constexpr double csv_bytes_per_row = 67.8;  // of the table with a million rows
  ColumnEncoder encoders[6];
  std::uint64_t bytes =
      encode_all(Batches<std::int64_t>{time_column(rows, 1400000000, 5, Random(1))}, encoders[0]);
  bytes +=
      encode_all(Batches<std::int32_t>{pattern_a<std::int32_t>(rows, 0, 10, 10, 0, 1000000)}, encoders[1]);
  bytes += encode_all(Batches<std::int32_t>{pattern_b<std::int32_t>(rows, 0, 100000, 0, 1000000, Random(2))},
                      encoders[2]);
  bytes += encode_all(Batches<float>{decimals<float>(rows, 4, Random(3))}, encoders[3]);
  bytes += encode_all(Batches<float>{pattern_a<float>(rows, 0, 10, 0.01F, 0, 1000)}, encoders[4]);
  bytes += encode_all(Batches<float>{pattern_b<float>(rows, 0, 1000000, 0, 1e7F, Random(4))}, encoders[5]);
  EXPECT_GE(csv_bytes_per_row * rows / static_cast<double>(bytes), 30);
}

TEST(Planner, FindsClocksWithJitter) {
  // Differences of neighbours vary by less than those of differences, but are larger.
  std::vector<std::int64_t> times(segment);
  for (std::size_t i = 0; i < times.size(); ++i)
    times[i] = static_cast<std::int64_t>(1'000'000 * i + core::splitmix(i) % 512);
  EXPECT_GE(ratio_of(Batches<std::int64_t>{times}), 64 / 10.3);
}

/// Steps of milliseconds since a start, as differences of doubles that are rounded to 2^-22.
std::vector<double> times_since_a_start() {
  constexpr double start = 1.2e9;
  constexpr std::array milliseconds = {2046, 2047, 2050};
  std::vector<double> times(40'000);
  int time = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    times[i] = (start + time / 1000.0) - start;
    time += milliseconds[core::splitmix(i) % milliseconds.size()];
  }
  return times;
}

TEST(Planner, FindsWhatDividesTheIntegersOfALattice) {
  EXPECT_GE(ratio_of(Batches<double>{times_since_a_start()}), 20);
}

TEST(Planner, FindsHighDifferencesOfCurvesWithoutNoise) {
  std::vector<std::int64_t> curve(segment);
  for (std::size_t i = 0; i < curve.size(); ++i) {
    const auto x = static_cast<std::int64_t>(i);
    curve[i] = (x * x - 5 * x) * (x + 7);
  }
  EXPECT_GE(ratio_of(Batches<std::int64_t>{curve}), 1000);
}

/// An image of planes with wide black edges. Every eighth chunk of 16 KiB lies in an edge.
std::vector<float> planes_with_edges() {
  constexpr std::uint64_t plane = 34608, first = 4200, last = 21500;
  std::vector<float> column(1 << 18);
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (i % plane >= first && i % plane < last) column[i] = static_cast<float>(core::splitmix(i) % (1 << 20));
  }
  return column;
}

TEST(Planner, SamplesOfChunksDoNotFollowThePlanesOfAnArray) {
  const Column column(DType::f32, planes_with_edges());
  std::uint64_t min_cost = column.bytes.size();
  for (const trees::Choice& codec :
       trees::estimate_codecs(column.view(), trees::objective_of(Preset::balanced)))
    min_cost = std::min(min_cost, codec.cost / trees::cost_of_byte);
  // Half of the words have 20 bits.
  EXPECT_GT(min_cost * 5, column.bytes.size());
}

/// Identifiers without order, few of them frequent and most rare: 120 000 different ones, which is more than
/// a dict can number.
std::vector<std::int64_t> identifiers() {
  std::vector<std::int64_t> column(1 << 20);
  Random random(8);
  for (std::int64_t& value : column) {
    const std::uint64_t magnitude = random.below(20);
    value = static_cast<std::int64_t>(core::splitmix(random.below(std::uint64_t{1} << magnitude)));
  }
  return column;
}

TEST(Planner, NumbersMoreWordsThanADictionaryHas) {
  const Column column(DType::i64, identifiers());
  trees::Objective objective = trees::objective_of(Preset::balanced);
  objective.match_effort = -1;  // matches of single words are smaller still
  ColumnEncoder encoder(objective);
  const std::vector<std::uint8_t> bytes = encoder.encode(column.view());
  const auto plan = trees::plan_of(bytes, DType::i64);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->nodes[0].encoding, trees::EncodingId::unique) << text_of(*plan);
  EXPECT_LT(bytes.size() * 5, column.bytes.size() * 2);
  Column decoded(column.type, column.count());
  ASSERT_TRUE(decode(bytes, decoded).ok());
  EXPECT_EQ(decoded.bytes, column.bytes);

  ColumnEncoder for_devices(Preset::gpu);
  const auto without = trees::plan_of(for_devices.encode(column.view()), DType::i64);
  ASSERT_TRUE(without);
  EXPECT_EQ(text_of(*without).find("unique"), std::string::npos) << text_of(*without);
}

/// What a planner of which speed is demanded makes of a column.
struct Demanded {
  std::vector<std::uint8_t> bytes;
  std::uint64_t picoseconds = 0;  ///< Of decoding, by the times of encodings.
  bool keeps_speed = false;
};
Demanded with_speed(const Column& column, Preset preset, std::uint32_t megabytes_per_second) {
  trees::Objective objective = objective_of(preset);
  objective.decode_megabytes_per_second = megabytes_per_second;
  Demanded made;
  made.bytes = ColumnEncoder(objective).encode(column.view());
  const auto plan = trees::plan_of(made.bytes, column.type);
  EXPECT_TRUE(plan);
  trees::Scratch scratch;
  const trees::EncodedTree tree = encode_tree(column.view(), *plan, scratch);
  made.picoseconds = time_of(tree, column.type, objective).decode_picoseconds;
  made.keeps_speed = keeps_speed(tree, column.view(), objective);
  Column decoded(column.type, column.count());
  EXPECT_TRUE(decode(made.bytes, decoded).ok());
  EXPECT_EQ(decoded.bytes, column.bytes);
  return made;
}

TEST(Planner, KnowsThatDigitsOfNarrowFloatsTakeTime) {
  const auto time_with = [](std::uint32_t digits, std::uint32_t which) {
    return time_of(trees::PlanNode{trees::EncodingId::narrow, {digits, which}},
                   objective_of(Preset::balanced));
  };
  const trees::EncodingTime all = time_with(0, 0), after_point = time_with(6, 1),
                            significant = time_with(9, 2);
  EXPECT_LT(all.encode_picoseconds, after_point.encode_picoseconds);
  EXPECT_LT(after_point.encode_picoseconds, significant.encode_picoseconds);
  EXPECT_LT(all.decode_picoseconds, after_point.decode_picoseconds);
  EXPECT_LT(after_point.decode_picoseconds, significant.decode_picoseconds);
}

TEST(Planner, KeepsTheDemandedSpeed) {
  const std::uint64_t count = sanitized ? 2000 : 8000;
  const Column columns[] = {Column(DType::i64, time_column(count, 100000, 10, Random(2))),
                            Column(DType::f64, decimals<double>(count, 3, Random(3))),
                            Column(DType::i32, random_numbers(count, 10, 10000, Random(4)))};
  for (const Column& column : columns) {
    for (const Preset preset : {Preset::max, Preset::ratio, Preset::balanced, Preset::fast}) {
      const Demanded unhurried = with_speed(column, preset, 0);
      std::uint64_t picoseconds = unhurried.picoseconds;
      for (const std::uint32_t speed : {1U, 1000U, 2000U, 4000U, 16000U}) {
        const Demanded made = with_speed(column, preset, speed);
        EXPECT_TRUE(made.keeps_speed) << speed;
        EXPECT_LE(made.picoseconds, picoseconds) << speed;  // more speed never leads to a slower tree
        EXPECT_EQ(made.bytes, with_speed(column, preset, speed).bytes);
        if (speed == 1) {
          EXPECT_EQ(made.bytes, unhurried.bytes);
        }
        picoseconds = made.picoseconds;
      }
      // Nothing is so fast; what is stored is as fast as can be, and no longer than the words.
      const Demanded fastest = with_speed(column, preset, 1000000);
      EXPECT_FALSE(fastest.keeps_speed);
      EXPECT_LE(fastest.picoseconds, picoseconds);
      EXPECT_LE(fastest.bytes.size(), column.bytes.size() + 16);
    }
  }
}

TEST(Planner, FollowsTheTimesThatItIsGiven) {
  const Column column(DType::i32, random_numbers(100000, 10, 1000, Random(4)));
  trees::Objective objective = objective_of(Preset::balanced);
  const auto root = [&] {
    ColumnEncoder encoder(objective);
    return trees::plan_of(encoder.encode(column.view()), DType::i32).value().nodes[0].encoding;
  };
  trees::EncodingTimes times{};
  for (const trees::Encoding& encoding : trees::all_encodings())
    times[static_cast<std::size_t>(encoding.id)] = encoding.time;
  const trees::EncodingId built_in = root();
  objective.times = times;
  EXPECT_EQ(root(), built_in);
  (*objective.times)[static_cast<std::size_t>(built_in)] = {1000000, 1000000};
  EXPECT_NE(root(), built_in);
}

TEST(Planner, GivesNoShortSegmentAPlanThatTakesMoreThanItSaves) {
  const std::vector<std::uint8_t> periodic = {0x72, 0xd9, 0x66, 0x66, 0x66, 0x3f, 0x66, 0x66, 0xaa, 0xaa,
                                              0xea, 0x9a, 0xa4, 0x8e, 0x0a, 0xf3, 0x66, 0x66, 0x25, 0xfe,
                                              0x80, 0xff, 0x00, 0x6a, 0xea, 0x9a, 0xa4, 0x8e, 0x0a, 0xf3,
                                              0x66, 0x66, 0x25, 0xfe, 0x80, 0xff, 0x00, 0x6a};
  std::vector<Column> columns = {Column(DType::boolean, periodic)};
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const DType type = word_types[seed % std::size(word_types)];
    const std::uint64_t count = 1 + core::splitmix(seed) % 80, period = 1 + core::splitmix(seed + 1000) % 12;
    Column& column = columns.emplace_back(type, count);
    const std::uint64_t width = size_of(type);
    for (std::uint64_t i = 0; i < column.bytes.size(); ++i) {
      const bool is_odd = core::splitmix(1000 * seed + i / width) % 10 == 0;
      column.bytes[i] =
          static_cast<std::uint8_t>(core::splitmix(seed + i % (period * width) + (is_odd ? i : 0)));
    }
  }
  for (const Column& column : columns) {
    const std::vector<std::uint8_t> bytes = ColumnEncoder().encode(column.view());
    EXPECT_LE(bytes.size(), column.bytes.size() + 3)
        << column.count() << " words, " << text_of(trees::plan_of(bytes, column.type).value());
    Column decoded(column.type, column.count());
    ASSERT_TRUE(decode(bytes, decoded).ok());
    EXPECT_EQ(decoded.bytes, column.bytes);
  }
}

/// Products of random numbers, of so many sizes, each for 1024 words.
Column gusts(std::uint64_t sizes) {
  std::vector<std::int32_t> words(1 << 16);
  for (std::uint64_t i = 0; i < words.size(); ++i) {
    const std::uint64_t product = core::splitmix(2 * i) % 1000 * (core::splitmix(2 * i + 1) % 1000) / 100;
    words[i] = static_cast<std::int32_t>(product << 2 * (i / 1024 % sizes));
  }
  return {DType::i32, words};
}

TEST(Planner, GivesNoiseThatComesAndGoesSeveralTablesForRatio) {
  const auto has_tables = [](Preset preset, const Column& column) {
    ColumnEncoder encoder(preset);
    const trees::Plan plan = trees::plan_of(encoder.encode(column.view()), column.type).value();
    return std::any_of(plan.nodes.begin(), plan.nodes.end(), [](const trees::PlanNode& node) {
      return node.encoding == trees::EncodingId::multi_entropy;
    });
  };
  const Column comes_and_goes = gusts(4), steady = gusts(1);
  EXPECT_TRUE(has_tables(Preset::ratio, comes_and_goes));
  EXPECT_FALSE(has_tables(Preset::ratio, steady));
  for (const Preset preset : {Preset::balanced, Preset::fast})
    EXPECT_FALSE(has_tables(preset, comes_and_goes)) << name_of(preset);
}

TEST(Planner, TakesTheFastestCodecForSpeedWhereOthersSaveLittle) {
  std::vector<float> words(1 << 16);
  Random random(8);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto slope = static_cast<float>(i % 2048) / 4096;
    words[i] = 5 + slope + static_cast<float>(random.below(1U << 20)) / (1U << 26);
  }
  const Column column(DType::f32, words);
  ColumnEncoder fast(Preset::fast);
  const auto bytes = [&](const char* tree) {
    return ColumnEncoder(trees::plan_from_text(tree, DType::f32).value()).encode(column.view()).size();
  };
  EXPECT_LT(bytes("spratio"), bytes("spspeed"));
  EXPECT_EQ(trees::text_of(trees::plan_of(fast.encode(column.view()), DType::f32).value()), "spspeed");
}

std::size_t depth_of(const trees::Plan& plan, std::size_t node = 0) {
  const trees::PlanNode& at = plan.nodes[node];
  std::size_t deepest = 0, child = node + 1;
  for (unsigned k = 0; k < trees::encoding_of(at.encoding).children_of(at.parameters); ++k) {
    deepest = std::max(deepest, depth_of(plan, child));
    child = trees::next_sibling(plan, child);
  }
  return deepest + 1;
}

TEST(Planner, FindsTreesThatAreNoDeeperThanAsked) {
  trees::Scratch scratch;
  for (const DType type : word_types) {
    std::vector<std::pair<std::string, Column>> columns;
    for (const auto& [name, column] : sampled_columns(type, 20000)) columns.emplace_back(name, column);
    // Samples show no change.
    Column rare(type, 20000);
    for (std::uint64_t i = 9000; i < rare.count(); ++i) rare.set(i, 1 + i / 18000);
    columns.emplace_back("rare changes", rare);
    for (const auto& [name, column] : columns) {
      for (std::size_t depth = 1; depth <= 3; ++depth) {
        const auto found =
            trees::find_finalists(column.view(), trees::objective_of(Preset::balanced), depth, scratch);
        for (const trees::Choice& choice : found.choices)
          EXPECT_LE(depth_of({choice.nodes}), depth)
              << name_of(type) << " " << name << " " << trees::text_of({choice.nodes});
      }
    }
  }
}

TEST(Planner, EndsASearchWithTheBestThatItsBudgetShowed) {
  const Column column(DType::i64, time_column(segment, 100000, 10, Random(2)));
  trees::Scratch scratch;
  std::size_t before = ~std::size_t{0};
  for (const std::uint64_t words : {0U, 1U << 12, 1U << 14, 1U << 16, 1U << 18}) {
    trees::Objective objective = trees::objective_of(Preset::balanced);
    objective.search_work = words;
    const auto find_best = [&] {
      return trees::Plan{
          trees::find_finalists(column.view(), objective, trees::max_plan_depth, scratch).choices[0].nodes};
    };
    const trees::Plan plan = find_best();
    EXPECT_EQ(plan, find_best());
    const std::size_t bytes = ColumnEncoder(plan).encode(column.view()).size();
    EXPECT_LE(static_cast<double>(bytes), 1.02 * static_cast<double>(before)) << words;
    before = std::min(before, bytes);
  }
}

TEST(Planner, AnyBudgetGivesATreeAndMoreOfItNoWorseOne) {
  trees::Scratch scratch;
  for (const Preset preset : {Preset::balanced, Preset::fast}) {
    trees::Objective objective = trees::objective_of(preset);
    for (const DType type : word_types) {
      for (const auto& [name, column] : sampled_columns(type, 3000)) {
        std::uint64_t before = ~std::uint64_t{0};
        for (const std::uint64_t words : {0U, 1U, 1U << 8, 1U << 12, 1U << 16, 1U << 20}) {
          objective.search_work = words;
          const std::vector<trees::Choice> choices =
              trees::search_trees(column.view(), column.count(), objective, objective.search_depth, scratch);
          ASSERT_FALSE(choices.empty());
          EXPECT_LE(choices[0].cost, before) << name_of(type) << " " << name << " " << words;
          before = std::min(before, choices[0].cost);
          const trees::Plan plan{choices[0].nodes};
          ASSERT_TRUE(trees::check_plan(plan, type).ok()) << trees::text_of(plan);
          Column decoded(type, column.count());
          ASSERT_TRUE(decode(ColumnEncoder(plan).encode(column.view()), decoded).ok());
          ASSERT_EQ(decoded.bytes, column.bytes) << name_of(type) << " " << name << " " << words;
        }
      }
    }
  }
}

TEST(Planner, AlwaysDecidesTheSame) {
  for (const Preset preset : {Preset::max, Preset::ratio, Preset::balanced, Preset::fast, Preset::gpu}) {
    ColumnEncoder once(preset), again(preset);
    for (const std::vector<std::int32_t>& batch : adaptation_trace()) {
      const Column column(DType::i32, batch);
      ASSERT_EQ(once.encode(column.view()), again.encode(column.view()));
    }
  }
}

TEST(Planner, ChoosesForGpusWhatGpusHave) {
  ColumnEncoder encoder(Preset::gpu);
  for (const std::vector<std::int32_t>& batch : adaptation_trace()) {
    const Column column(DType::i32, batch);
    for (const trees::StreamPart& part :
         trees::parts_of(encoder.encode(column.view()), DType::i32, column.count()).value()) {
      for (const trees::PlanNode& node : part.plan.nodes)
        EXPECT_TRUE(trees::is_decoded_by_devices(node.encoding));
    }
  }
}

TEST(Planner, PresetsTradeRatioForSpeed) {
  const Batches<std::int64_t> times = {time_column(segment, 100000, 10, Random(2))};
  const double ratio = ratio_of(times, Preset::ratio), balanced = ratio_of(times, Preset::balanced),
               fast = ratio_of(times, Preset::fast);
  EXPECT_GE(ratio * 1.01, balanced);  // estimates from samples are not exact
  EXPECT_GE(balanced, fast);
  EXPECT_GT(fast, 8);

  // Where entropy saves a bit of thirteen, it is not worth its time to `fast`.
  Batches<std::int16_t> noise(1);
  Random random(3);
  for (std::uint64_t i = 0; i < segment; ++i)
    noise[0].push_back(static_cast<std::int16_t>(1000 * random.bell()));
  EXPECT_GT(ratio_of(noise, Preset::balanced), 1.05 * ratio_of(noise, Preset::fast));
}

}  // namespace
}  // namespace floe::test
