// Tests of encoding columns of which nothing is known on a device: with the trees that it says, and with the
// bytes of the CPU's engine for them, whatever it began with.
#include <chrono>

#include "gpu/host/columns/batch_encoder.hpp"
#include "gpu/host/columns/gather_windows.hpp"
#include "plan/fingerprint.hpp"
#include "plan/search/guess.hpp"
#include "tests/cuda/encoding_column.hpp"

namespace floe::test {
namespace {

TEST(PlannedEncoding, PlansByItself) {
  FLOE_NEEDS_DEVICE();
  const std::uint32_t segment_words = 16384, batch_words = 65536;
  for (const DType type : {DType::i32, DType::i64, DType::f64, DType::u8}) {
    auto encoder = cuda::PlannedEncoder::create(type, 150000, segment_words, batch_words).value();
    for (const auto& [name, column] : difficult_columns(type, 150000)) {
      EncodingColumn memory(column, segment_words, 0);
      const Status status = encoder.encode(memory.call(), nullptr);
      ASSERT_TRUE(status.ok()) << status.detail;
      expect_cuda(cudaDeviceSynchronize());
      ASSERT_EQ(memory.result().code, 0u) << name;
      ASSERT_TRUE(memory.is_intact()) << name;
      ASSERT_EQ(encoder.trees().size(), 3u);
      const Bytes out = memory.out();
      const auto entries = memory.segments();
      for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::string& tree = encoder.trees()[i * segment_words / batch_words];
        const auto* const words = column.bytes.data() + i * segment_words * size_of(type);
        const auto bytes =
            ColumnEncoder(trees::plan_from_text(tree, type).value()).encode({type, words, entries[i].words});
        const auto* const begin = out.data() + entries[i].offset;
        ASSERT_EQ(Bytes(begin, begin + entries[i].bytes), bytes)
            << tree << " on " << name << ", segment " << i;
      }
    }
  }
}

/// An array in device memory whose frame an encoder makes.
DeviceOutcome planned_frame(cuda::PlannedEncoder& encoder, DType dtype, const Bytes& content,
                            const Extent& extent, std::uint64_t room) {
  const DeviceMemory in(content), out(room);
  DeviceValue<cuda::ItemResult> result;
  DeviceOutcome outcome;
  outcome.status = encoder.compress({in.data(), content.size(), out.data(), room}, dtype, extent, {},
                                    result.pointer(), nullptr);
  expect_cuda(cudaDeviceSynchronize());
  outcome.result = result.get();
  outcome.bytes = out.read(0, std::min(outcome.result.bytes, room));
  outcome.intact = in.is_intact() && out.is_intact();
  return outcome;
}

/// They have the trees that the encoder says, and the CPU and devices read them.
TEST(PlannedEncoding, MakesFrames) {
  FLOE_NEEDS_DEVICE();
  const std::uint32_t segment_words = 16384, batch_words = 65536;
  for (const DType type : {DType::i32, DType::i64, DType::f64, DType::f32, DType::u8}) {
    auto encoder = cuda::PlannedEncoder::create(type, 150000, segment_words, batch_words).value();
    for (const auto& [name, column] : difficult_columns(type, 150000)) {
      const Extent extent = Extent::linear(column.count());
      Options options;
      options.profile = Profile::gpu;
      options.segment_bytes = segment_words * size_of(type);
      const std::uint64_t room = max_compressed_size(type, extent, options).value();
      const DeviceOutcome made = planned_frame(encoder, type, column.bytes, extent, room);
      ASSERT_TRUE(made.status.ok()) << made.status.detail;
      ASSERT_EQ(made.code(), ErrorCode::ok) << name;
      ASSERT_TRUE(made.intact) << name;
      const auto trees = encoder.trees();
      ASSERT_EQ(trees.size(), 3u);
      options.tree = trees[0];
      if (trees[1] == trees[0] && trees[2] == trees[0]) {
        EXPECT_TRUE(made.bytes == frame_of(column.bytes, type, options)) << name << ", " << trees[0];
      }
      const Decoded cpu = decode_memory(made.bytes);
      EXPECT_TRUE(cpu.status.ok() && cpu.content == column.bytes) << name << ": " << cpu.status.message();
      const DeviceOutcome read =
          device_decompress(made.bytes, {type, {}, options.segment_bytes}, whole_array, column.bytes.size());
      EXPECT_EQ(read.code(), ErrorCode::ok) << name;
      EXPECT_TRUE(read.bytes == column.bytes) << name;
      for (const std::uint64_t narrow : {std::uint64_t{0}, made.bytes.size() / 2, made.bytes.size() - 16}) {
        const DeviceOutcome cut = planned_frame(encoder, type, column.bytes, extent, narrow);
        EXPECT_EQ(cut.code(), ErrorCode::output_too_small) << name << ", " << narrow;
        EXPECT_TRUE(cut.intact) << name << ", " << narrow;
      }
    }
    const DeviceOutcome empty = planned_frame(encoder, type, {}, {{0, 7}, 2}, 1000);
    EXPECT_EQ(empty.code(), ErrorCode::ok);
    EXPECT_TRUE(decode_memory(empty.bytes).status.ok());
    EXPECT_TRUE(encoder.trees().empty());
    const Bytes longer(150001 * size_of(type));
    EXPECT_EQ(planned_frame(encoder, type, longer, Extent::linear(150001), 1000).status.code,
              ErrorCode::invalid_argument);
    EXPECT_EQ(planned_frame(encoder, DType::i16, Bytes(2), Extent::linear(1), 1000).status.code,
              ErrorCode::invalid_argument);
  }
  auto odd = cuda::PlannedEncoder::create(DType::i32, 5000, 1000, 1000).value();
  EXPECT_EQ(planned_frame(odd, DType::i32, Bytes(4000), Extent::linear(1000), 9000).status.code,
            ErrorCode::invalid_argument);
}

/// Rows that are rough, and like those before them: of integers, floats, and decimals.
Column rows_of(DType type, std::uint64_t count, std::uint64_t row, bool are_decimals) {
  Column column(type, count);
  const std::uint64_t range = type == DType::i16 ? 20'000 : 400'000'000;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t rough = core::splitmix(i % row) % range + core::splitmix(i + 1) % (range / 2000);
    const double value =
        are_decimals ? static_cast<double>(rough / 1000) / 10 : static_cast<double>(rough) * 1.1e-7;
    column.set(i, type == DType::f64   ? std::bit_cast<std::uint64_t>(value)
                  : type == DType::f32 ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                                       : rough);
  }
  return column;
}

/// Of arrays whose shape is known, trees may begin with differences to words of another row.
TEST(PlannedEncoding, TakesDifferencesOfRows) {
  FLOE_NEEDS_DEVICE();
  const std::uint32_t segment_words = 16384, batch_words = 65536;
  for (const DType type : {DType::i16, DType::i32, DType::i64, DType::f32, DType::f64}) {
    auto encoder = cuda::PlannedEncoder::create(type, 150000, segment_words, batch_words).value();
    for (const std::uint64_t row : {10, 48, 125, 400}) {
      for (const bool are_decimals : {false, true}) {
        if (are_decimals && !is_wide_float(type)) continue;
        const std::uint64_t rows = 150000 / row, count = rows * row;
        const Column column = rows_of(type, count, row, are_decimals);
        const Extent extent{{rows, row}, 2};
        const std::string what = std::string(name_of(type)) + ", rows of " + std::to_string(row);
        Options options;
        options.profile = Profile::gpu;
        options.segment_bytes = segment_words * size_of(type);
        const DeviceOutcome made = planned_frame(encoder, type, column.bytes, extent,
                                                 max_compressed_size(type, extent, options).value());
        ASSERT_TRUE(made.status.ok() && made.code() == ErrorCode::ok) << what;
        ASSERT_TRUE(made.intact) << what;
        options.tree = encoder.trees()[0];
        EXPECT_NE(options.tree.find("delta(1," + std::to_string(row) + ")"), std::string::npos)
            << what << ": " << options.tree;
        const auto by_cpu = compress(std::as_bytes(std::span(column.bytes)), type, extent, options).value();
        const auto* const expected = reinterpret_cast<const std::uint8_t*>(by_cpu.data());
        if (std::ranges::equal(encoder.trees().subspan(1),
                               encoder.trees().first(encoder.trees().size() - 1))) {
          EXPECT_TRUE(made.bytes == Bytes(expected, expected + by_cpu.size()))
              << what << ": " << options.tree;
        }
        const DeviceOutcome read = device_decompress(made.bytes, {type, {}, options.segment_bytes},
                                                     whole_array, column.bytes.size());
        EXPECT_EQ(read.code(), ErrorCode::ok) << what;
        EXPECT_TRUE(read.bytes == column.bytes) << what;
        Bytes frame(encoder.max_compressed_size(type, extent).value());
        const auto of_host = encoder.compress_into(std::as_writable_bytes(std::span(frame)),
                                                   std::as_bytes(std::span(column.bytes)), type, extent);
        ASSERT_TRUE(static_cast<bool>(of_host)) << of_host.status().detail;
        frame.resize(*of_host);
        // A search without a guess may take steps of two words for rows as short as 10.
        if (row > 10) {
          EXPECT_NE(encoder.trees()[0].find("delta(1," + std::to_string(row) + ")"), std::string::npos)
              << what << ": " << encoder.trees()[0];
        }
        const Decoded cpu = decode_memory(frame);
        EXPECT_TRUE(cpu.status.ok() && cpu.content == column.bytes) << what;
        encoder.forget();
      }
    }
  }
}

/// Of dictionaries that small blocks look up in, and of larger ones. The words of tables are near to each
/// other.
TEST(PlannedEncoding, TakesDifferencesOfEntries) {
  FLOE_NEEDS_DEVICE();
  const std::uint32_t segment_words = 65536;
  const std::uint64_t count = 300'000;
  for (const DType type : {DType::f32, DType::f64}) {
    auto encoder = cuda::PlannedEncoder::create(type, count, segment_words, 5 * segment_words).value();
    for (const std::uint64_t kinds : {400, 2000, 6000}) {
      const Column column = walk_through_table(type, count, kinds);
      const std::string what = std::string(name_of(type)) + ", " + std::to_string(kinds);
      Options options;
      options.profile = Profile::gpu;
      options.segment_bytes = segment_words * size_of(type);
      const Extent extent = Extent::linear(count);
      const DeviceOutcome made = planned_frame(encoder, type, column.bytes, extent,
                                               max_compressed_size(type, extent, options).value());
      ASSERT_TRUE(made.status.ok() && made.code() == ErrorCode::ok) << what;
      ASSERT_TRUE(made.intact) << what;
      options.tree = encoder.trees()[0];
      EXPECT_TRUE(options.tree.starts_with("dict(1),sortable,delta")) << what << ": " << options.tree;
      EXPECT_TRUE(made.bytes == frame_of(column.bytes, type, options)) << what << ": " << options.tree;
      const DeviceOutcome read =
          device_decompress(made.bytes, {type, {}, options.segment_bytes}, whole_array, column.bytes.size());
      EXPECT_EQ(read.code(), ErrorCode::ok) << what;
      EXPECT_TRUE(read.bytes == column.bytes) << what;
      encoder.forget();
    }
  }
}

/// Columns that guesses are right about, and others.
std::vector<std::pair<std::string, Column>> kinds_of(DType type, std::uint64_t count) {
  Random random(11);
  std::vector<std::pair<std::string, Column>> kinds;
  const auto add = [&]<class T>(const char* name, T, const auto& value) {
    std::vector<T> words(count);
    for (std::uint64_t i = 0; i < count; ++i) words[i] = static_cast<T>(value(i));
    kinds.emplace_back(name, Column(type, words));
  };
  if (type == DType::i32) {
    std::int32_t walk = 0;
    add("noise and slopes", std::int32_t{}, [&](std::uint64_t i) {
      const auto noise = static_cast<std::int32_t>(random.below(6));
      if (i / (count / 4) % 2 == 1) return static_cast<std::int32_t>(i % (count / 4)) * 60;
      return i % 2 == 0 ? 10'000'000 - noise : noise;
    });
    add("stairs", std::int32_t{},
        [](std::uint64_t i) { return i % 100 == 0 ? 1'000'000 : static_cast<std::int32_t>(i / 100) * 5; });
    add("few words", std::int32_t{},
        [&](std::uint64_t) { return static_cast<std::int32_t>(random.below(30)) * 62'710'561; });
    add("walk", std::int32_t{},
        [&](std::uint64_t) { return walk += static_cast<std::int32_t>(random.below(1001)) - 500; });
    add("runs of ten", std::int32_t{},
        [](std::uint64_t i) { return static_cast<std::int32_t>(core::splitmix(i / 10) % 10'000); });
    add("noise, then a slope", std::int32_t{}, [&](std::uint64_t i) {
      return i < count / 2 ? static_cast<std::int32_t>(random.below(1000)) : static_cast<std::int32_t>(i) * 7;
    });
    add("steps seldom", std::int32_t{},
        [&](std::uint64_t i) { return static_cast<std::int32_t>(i + random.below(50) / 49 * 100'000); });
  } else if (type == DType::i64) {
    std::int64_t series = 100'000, time = 0;
    add("times", std::int64_t{},
        [&](std::uint64_t) { return series += static_cast<std::int64_t>(random.below(3)); });
    add("numbers", std::int64_t{}, [](std::uint64_t i) { return static_cast<std::int64_t>(i) * 7; });
    std::int64_t there = 0;
    add("moves", std::int64_t{}, [&](std::uint64_t) {
      return there += random.below(20) == 0 ? static_cast<std::int64_t>(random.below(200)) : 0;
    });
    add("times in seconds", std::int64_t{},
        [&](std::uint64_t) { return time += 1000 * static_cast<std::int64_t>(random.below(3000)); });
  } else {
    const auto cents = [&](std::uint64_t) { return static_cast<double>(random.below(100'000)) / 100; };
    add("cents", double{}, cents);
    double price = 0;
    add("prices", double{},
        [&](std::uint64_t i) { return price = i == 0 || random.below(20) == 0 ? cents(i) : price; });
    // No window has it.
    add("cents and something else", double{},
        [&](std::uint64_t i) { return i == count / 4 ? 1e300 : cents(i); });
    add("noise", double{}, [&](std::uint64_t) { return static_cast<double>(random.next()) * 1e-19; });
  }
  return kinds;
}

std::uint64_t padded_bytes(std::span<const Bytes> segments) {
  std::uint64_t bytes = 0;
  for (const Bytes& segment : segments) bytes += core::align_up(segment.size(), 16);
  return bytes;
}

/// What the CPU makes of a column with the trees of its batches.
std::vector<Bytes> segments_of(const Column& column, std::span<const std::string> trees,
                               std::uint32_t segment_words, std::uint64_t batch_words) {
  std::vector<Bytes> segments;
  const std::uint64_t width = size_of(column.type);
  for (std::uint64_t first = 0; first < column.count(); first += segment_words) {
    const trees::Plan plan = trees::plan_from_text(trees[first / batch_words], column.type).value();
    const std::uint64_t count = std::min<std::uint64_t>(segment_words, column.count() - first);
    segments.push_back(ColumnEncoder(plan).encode({column.type, column.bytes.data() + first * width, count}));
  }
  return segments;
}

std::string guess_for(const Column& column, std::uint64_t batch_words) {
  trees::Scratch scratch;
  trees::SearchThreads nobody;
  const trees::ColumnView batch{column.type, column.bytes.data(), std::min(batch_words, column.count())};
  const auto guess =
      trees::guess_tree(windows_of(batch, trees::planning_window_words, trees::planning_windows), batch.count,
                        gpu::encode_objective(), nobody, scratch);
  return guess ? text_of(guess->plan) : "";
}

TEST(PlannedEncoding, GivesTheSameBytesWhateverItGuesses) {
  FLOE_NEEDS_DEVICE();
  const std::uint64_t count = rounds(600'000) < 600'000 ? 150'000 : 600'000;
  const std::uint32_t segment_words = 16384;
  struct Counts {
    std::size_t right = 0, wrong = 0;
  } chains, runs;
  std::size_t right_at_first = 0;  // for the first batches only, which are encoded once more
  for (const DType type : {DType::i32, DType::i64, DType::f64}) {
    const auto kinds = kinds_of(type, count);
    for (const std::uint64_t batch_words : {std::uint64_t{1} << 20, std::uint64_t{1} << 16}) {
      auto encoder = cuda::PlannedEncoder::create(type, count, segment_words, batch_words).value();
      for (const auto& [name, column] : kinds) {
        EncodingColumn memory(column, segment_words, 0);
        ASSERT_TRUE(encoder.encode(memory.call(), nullptr).ok());
        expect_cuda(cudaDeviceSynchronize());
        const std::vector<std::string> trees(encoder.trees().begin(), encoder.trees().end());
        if (const std::string guess = guess_for(column, batch_words); !guess.empty()) {
          Counts& kind = guess.starts_with("rle") ? runs : chains;
          ++(guess == trees[0] ? kind.right : kind.wrong);
          right_at_first += guess == trees[0] && guess != trees.back() ? 1 : 0;
        }
        const std::vector<Bytes> expected = segments_of(column, trees, segment_words, batch_words);
        expect_segments(memory, expected, name + " in batches of " + std::to_string(batch_words));
        // Of a known kind, then of a new one again, without enough room.
        ASSERT_TRUE(encoder.encode(memory.call(), nullptr).ok());
        expect_cuda(cudaDeviceSynchronize());
        expect_segments(memory, expected, name + ", again");
        encoder.forget();
        const std::uint64_t all = padded_bytes(expected);
        EncodingColumn narrow(column, segment_words, 0, all - 16);
        ASSERT_TRUE(encoder.encode(narrow.call(), nullptr).ok());
        expect_cuda(cudaDeviceSynchronize());
        EXPECT_EQ(narrow.result().code, static_cast<std::uint32_t>(ErrorCode::output_too_small)) << name;
        EXPECT_EQ(narrow.result().failed_chunks, 1u) << name;
        EXPECT_EQ(narrow.result().bytes, all) << name;
        EXPECT_TRUE(narrow.is_intact()) << name;
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GE(chains.right, 2u);
  EXPECT_GE(chains.wrong, 2u);
  EXPECT_GE(runs.right, 2u);
  EXPECT_GE(right_at_first, 1u);
}

void wait_for(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) continue;
}

/// Work with a wrong tree ends early, at any moment, and leaves nothing behind.
TEST(PlannedEncoding, GivesUpAtAnyTime) {
  FLOE_NEEDS_DEVICE();
  const std::size_t all_rounds = rounds(100);
  const std::uint64_t count = all_rounds < 100 ? 400'000 : 4'000'000;
  const std::uint32_t segment_words = 16384;
  const std::vector<std::pair<DType, std::vector<std::string>>> cases = {
      {DType::i32,
       {"delta,bitpack", "bitpack", "delta(2,1),bitpack", "rle,bitpack,bitpack",
        "dict(1),bitpack,bitpack,raw"}},
      {DType::f64,
       {"decimal(2),bitpack,bitpack,raw", "sortable,bitpack", "decimal(2),delta,bitpack,bitpack,raw",
        "raw"}}};
  for (const auto& [type, trees] : cases) {
    const auto kinds = kinds_of(type, count);
    const Column& column = kinds[1].second;
    EncodingColumn memory(column, segment_words, 0);
    gpu::BatchEncoder encoder;
    ASSERT_TRUE(encoder.allocate(type, {count, 2, segment_words}).ok());
    const auto encode = [&](const std::string& tree, std::uint64_t batches) {
      const std::uint64_t half = batches == 2 ? count / 2 / segment_words * segment_words : count;
      const trees::Plan plan = trees::plan_from_text(tree, type).value();
      ASSERT_TRUE(encoder.begin(memory.call(), nullptr).ok());
      ASSERT_TRUE(encoder.encode(memory.call(), {0, 0, half}, plan, nullptr).ok());
      if (batches == 2) {
        ASSERT_TRUE(encoder.encode(memory.call(), {1, half, count - half}, plan, nullptr).ok());
      }
    };
    const auto finish = [&] { ASSERT_TRUE(encoder.finish(memory.call(), nullptr).ok()); };
    std::vector<std::vector<Bytes>> expected;
    for (const std::string& tree : trees)
      expected.push_back(segments_of(column, {&tree, 1}, segment_words, count));
    for (std::uint64_t round = 0; round < all_rounds; ++round) {
      const std::uint64_t random = core::splitmix(round);
      const std::size_t guess = random % trees.size(), tree = random / 16 % trees.size();
      const std::uint64_t batches = 1 + round % 2;
      // The device may be late, as where processes share it.
      std::chrono::microseconds late(round % 3 == 0 ? random >> 20 & 63 : 0);
      const auto wait = [](void* time) { wait_for(*static_cast<std::chrono::microseconds*>(time)); };
      if (late.count() != 0) expect_cuda(cudaLaunchHostFunc(nullptr, wait, &late));
      encode(trees[guess], batches);
      wait_for(std::chrono::microseconds(random / 256 % 300));
      ASSERT_TRUE(encoder.give_up(batches, nullptr).ok());
      encode(trees[tree], 1);
      finish();
      expect_cuda(cudaDeviceSynchronize());
      expect_segments(memory, expected[tree], trees[guess] + ", then " + trees[tree]);
      if (HasFailure()) return;
    }
  }
}

/// Batches with dictionaries, which are parked, among others; also where there is room for few segments only.
TEST(PlannedEncoding, ParksSegmentsOfDictionaries) {
  FLOE_NEEDS_DEVICE();
  const std::uint32_t segment_words = 16384;
  const std::uint64_t batches = 23, batch_words = 5 * segment_words, count = batches * batch_words - 1000;
  Random random(5);
  std::vector<std::int64_t> words(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const bool is_long = i / segment_words % 8 == 3;
    words[i] = static_cast<std::int64_t>(core::splitmix(random.below(is_long ? 60'000 : 900)) >> 20);
  }
  const Column column(DType::i64, words);
  const std::string kinds[] = {"dict(2),bitpack,bitpack,bitpack", "dict(1),raw,entropy,raw", "bitpack",
                               "dict(1,700),delta,entropy,bitpack,bitpack"};
  for (const std::uint64_t room : {std::uint64_t{2} << 30, std::uint64_t{2} << 20, std::uint64_t{100'000}}) {
    gpu::BatchEncoder encoder;
    ASSERT_TRUE(encoder.allocate(column.type, {count, batches, segment_words, room}).ok());
    for (std::uint64_t round = 0; round < std::min<std::uint64_t>(rounds(20), 20); ++round) {
      EncodingColumn memory(column, segment_words, 0);
      std::vector<std::string> trees;
      ASSERT_TRUE(encoder.begin(memory.call(), nullptr).ok());
      for (std::uint64_t index = 0; index < batches; ++index) {
        const bool is_first_kind = round == 0 || random.below(3) != 0;
        trees.push_back(kinds[is_first_kind ? 0 : random.below(std::size(kinds))]);
        const trees::Plan plan = trees::plan_from_text(trees.back(), column.type).value();
        const std::uint64_t first = index * batch_words;
        ASSERT_TRUE(
            encoder.encode(memory.call(), {index, first, std::min(batch_words, count - first)}, plan, nullptr)
                .ok());
      }
      ASSERT_TRUE(encoder.finish(memory.call(), nullptr).ok());
      expect_cuda(cudaDeviceSynchronize());
      expect_segments(memory, segments_of(column, trees, segment_words, batch_words),
                      "room " + std::to_string(room) + ", round " + std::to_string(round));
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace floe::test
