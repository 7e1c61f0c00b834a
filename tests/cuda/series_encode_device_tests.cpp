// Tests of encoding columns of time series on a device: the bytes are those of the CPU's engine. Random
// columns and trees, between canaries.
#include <array>

#include "tests/cuda/encoding_column.hpp"
#include "tests/cuda/recorded_segments.hpp"
#include "tests/series_cuda/dictionary_columns.hpp"

namespace floe::test {
namespace {

/// Encodes columns, each with its own tree, at once.
void encode(std::span<const std::unique_ptr<EncodingColumn>> columns, std::span<const std::string> trees) {
  std::vector<cuda::ColumnEncode> calls;
  for (const auto& column : columns) calls.push_back(column->call());
  const std::vector<std::string_view> texts(trees.begin(), trees.end());
  const auto size = cuda::encode_workspace_size(calls, texts);
  ASSERT_TRUE(size.status().ok()) << size.status().detail;
  const DeviceMemory workspace(*size);
  const Status status = cuda::encode_columns_async(calls, texts, workspace_of(workspace), nullptr);
  ASSERT_TRUE(status.ok()) << status.detail;
  expect_cuda(cudaDeviceSynchronize());
  EXPECT_TRUE(workspace.is_intact());
}

TEST(SeriesEncodingOnDevice, WritesTheBytesOfTheCpu) {
  FLOE_NEEDS_DEVICE();
  const std::size_t all = rounds(10000);
  constexpr std::size_t batch = 16;
  for (std::size_t first = 0; first < all; first += batch) {
    std::vector<RandomTree> expected;
    std::vector<std::unique_ptr<EncodingColumn>> memory;
    std::vector<std::string> trees;
    for (std::size_t i = first; i < std::min(all, first + batch); ++i) {
      expected.emplace_back(i);
      memory.push_back(std::make_unique<EncodingColumn>(expected.back().column, expected.back().segment_words,
                                                        static_cast<std::uint32_t>(i - first)));
      trees.push_back(expected.back().tree);
    }
    encode(memory, trees);
    if (HasFatalFailure()) return;
    for (std::size_t i = 0; i < memory.size(); ++i) {
      expect_segments(*memory[i], expected[i].segments,
                      expected[i].name + ", column " + std::to_string(first + i));
      if (HasFatalFailure()) return;
    }
  }
}

/// Tables in shared memory and in the scratch, words that crowd them, more words than there are codes, and
/// more than a dictionary takes.
TEST(SeriesEncodingOnDevice, MakesTheDictionariesOfTheCpu) {
  FLOE_NEEDS_DEVICE();
  std::vector<DictionaryCase> cases(std::begin(dictionary_cases), std::end(dictionary_cases));
  cases.push_back({DType::f32, 200000, 200000, 1});
  cases.push_back({DType::u64, 300000, 300000, 0});
  cases.push_back({DType::i32, 1 << 20, 20000, 0});
  cases.resize(rounds(cases.size()));
  for (const DictionaryCase& with : cases) {
    const Column column = with.column();
    for (const std::string tree : dictionary_trees) {
      const std::vector<Bytes> expected = {
          ColumnEncoder(trees::plan_from_text(tree, with.type).value()).encode(column.view())};
      std::vector<std::unique_ptr<EncodingColumn>> memory;
      memory.push_back(std::make_unique<EncodingColumn>(column, static_cast<std::uint32_t>(with.count), 0));
      encode(memory, {&tree, 1});
      if (HasFatalFailure()) return;
      expect_segments(
          *memory[0], expected,
          tree + " on " + std::to_string(with.distinct) + " of " + std::string(name_of(with.type)));
      if (HasFatalFailure()) return;
    }
  }
}

/// Multiples of a divisor, from some word on, of which the word `odd` is none; a divisor of 0 makes all words
/// equal. Of floats: decimals.
Column multiples(DType type, std::uint64_t count, std::uint64_t divisor, std::uint64_t origin,
                 std::uint64_t odd) {
  Column column(type, count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t random = core::splitmix(i) % 20000;
    const bool is_float = type == DType::f64;
    column.set(i, is_float ? std::bit_cast<std::uint64_t>(static_cast<double>(random) / 100)
                           : origin + divisor * random + (i == odd ? 1 : 0));
  }
  return column;
}

/// By clusters and by tiles, from divisors that are those of all words, or, in a column beside others, are
/// not.
TEST(SeriesEncodingOnDevice, DividesByTheDivisorsOfTheCpu) {
  FLOE_NEEDS_DEVICE();
  const std::size_t all = rounds(60);
  for (std::size_t round = 0; round < all; ++round) {
    const std::uint64_t random = core::splitmix(round);
    const std::uint32_t segment_words =
        round % 3 == 0 ? 100000 : 9500 + static_cast<std::uint32_t>(random % 50000);
    std::vector<std::unique_ptr<EncodingColumn>> memory;
    std::vector<std::vector<Bytes>> expected;
    std::vector<std::string> trees;
    for (const DType type : {DType::i32, DType::u32, DType::i64, DType::u64, DType::f64, DType::u16}) {
      const std::uint64_t count = 1 + core::splitmix(random + memory.size()) % 300000,
                          divisors[] = {0, 1, 60, 1000, 4096, 99991};
      const std::uint64_t odd =
          round % 4 == 0 && type != DType::u32 ? core::splitmix(random + 1) % count : count;
      const std::uint64_t origin = round % 2 == 0 ? core::splitmix(random + 2) : 0 - random % 99999;
      const Column column = multiples(type, count, divisors[random / 7 % 6], origin, odd);
      trees.emplace_back(type == DType::f64 ? "decimal(2,4),bitpack,bitpack,raw" : "int_mult,bitpack");
      ColumnEncoder encoder(trees::plan_from_text(trees.back(), type).value());
      std::vector<Bytes>& segments = expected.emplace_back();
      const std::size_t width = size_of(type);
      for (std::uint64_t first = 0; first < count; first += segment_words)
        segments.push_back(encoder.encode({type, column.bytes.data() + first * width,
                                           std::min<std::uint64_t>(segment_words, count - first)}));
      memory.push_back(
          std::make_unique<EncodingColumn>(column, segment_words, static_cast<std::uint32_t>(memory.size())));
    }
    encode(memory, trees);
    if (HasFatalFailure()) return;
    for (std::size_t i = 0; i < memory.size(); ++i) {
      expect_segments(*memory[i], expected[i],
                      "round " + std::to_string(round) + ", column " + std::to_string(i));
      if (HasFatalFailure()) return;
    }
  }
}

using TypedTree = std::pair<DType, std::string>;

/// Encodes columns of numbers, each with its own tree, in one call, and as frames.
void expect_packed_above_entropy(std::span<const TypedTree> kinds) {
  const std::size_t all = rounds(24);
  for (std::size_t round = 0; round < all; ++round) {
    const std::uint32_t segment_words = round % 2 == 0 ? 65536 : 8192;
    std::vector<std::unique_ptr<EncodingColumn>> memory;
    std::vector<std::vector<Bytes>> expected;
    std::vector<std::string> trees;
    for (const auto& [type, tree] : kinds) {
      if (round % 4 == 1 && tree.find("(1,") != std::string::npos && memory.size() > 1) continue;
      const std::uint64_t random = core::splitmix(round * 7 + memory.size()), count = 1 + random % 200000,
                          odd = round % 3 == 0 ? random / 7 % count : count, width = size_of(type);
      Column column(type, count);
      std::uint64_t number = random % 1000;
      for (std::uint64_t i = 0; i < count; ++i) {
        number = (number + core::splitmix(random + i) % 17) % 40000;
        const double value = i == odd ? 0.1234567 : static_cast<double>(number) / 10;
        column.set(i, type == DType::f32   ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                      : type == DType::f64 ? std::bit_cast<std::uint64_t>(value)
                                           : number);
      }
      ColumnEncoder encoder(trees::plan_from_text(tree, type).value());
      std::vector<Bytes>& segments = expected.emplace_back();
      for (std::uint64_t first = 0; first < count; first += segment_words)
        segments.push_back(encoder.encode({type, column.bytes.data() + first * width,
                                           std::min<std::uint64_t>(segment_words, count - first)}));
      const std::uint64_t room = round % 5 == 4 && trees.size() == 1 ? 64 : ~std::uint64_t{0};
      const auto index = static_cast<std::uint32_t>(memory.size());
      memory.push_back(room == 64 ? std::make_unique<EncodingColumn>(column, segment_words, index, room)
                                  : std::make_unique<EncodingColumn>(column, segment_words, index));
      trees.push_back(tree);
      Options options;
      options.profile = Profile::gpu;
      options.tree = tree;
      options.segment_bytes = segment_words * width;
      const Extent extent = Extent::linear(count);
      const DeviceOutcome made = device_compress(column.bytes, type, extent, options,
                                                 max_compressed_size(type, extent, options).value());
      ASSERT_EQ(made.code(), ErrorCode::ok) << tree;
      ASSERT_TRUE(made.bytes == frame_of(column.bytes, type, options)) << tree << ", round " << round;
    }
    encode(memory, trees);
    if (testing::Test::HasFatalFailure()) return;
    for (std::size_t i = 0; i < memory.size(); ++i) {
      if (memory[i]->call().out_bytes == 64) {
        const std::size_t refused = expected[i].size();
        EXPECT_EQ(memory[i]->result().code, static_cast<std::uint32_t>(ErrorCode::output_too_small));
        EXPECT_EQ(memory[i]->result().failed_chunks, refused);
        continue;
      }
      expect_segments(*memory[i], expected[i], trees[i] + ", round " + std::to_string(round));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// Decimals and strides above entropy are packed by small blocks; where a word is no decimal, or there is too
/// little room, all columns of the call are encoded by others. Frames have the ranges and digests that small
/// blocks tell.
TEST(SeriesEncodingOnDevice, PacksDecimalsAndStridesAboveEntropy) {
  FLOE_NEEDS_DEVICE();
  expect_packed_above_entropy(
      std::to_array<TypedTree>({{DType::f32, "decimal(1,4),delta,entropy,raw,raw"},
                                {DType::f64, "decimal(2,4),entropy,entropy,raw"},
                                {DType::f64, "decimal(2,8),delta,entropy,raw,raw"},
                                {DType::f64, "decimal(3,4),delta(2),entropy,raw,entropy"},
                                {DType::i64, "delta,entropy"},
                                {DType::i32, "delta(1,3),entropy"},
                                {DType::u16, "delta(1,4),entropy"},
                                {DType::f64, "sortable,delta(1,2),entropy"},
                                {DType::f32, "decimal(1,4),delta(1,2),entropy,raw,raw"}}));
}

/// So are grids and other deltas, whose words these blocks store.
TEST(SeriesEncodingOnDevice, PacksGridsAndFarDeltasAboveEntropy) {
  FLOE_NEEDS_DEVICE();
  expect_packed_above_entropy(
      std::to_array<TypedTree>({{DType::f32, "sortable,delta(1,100),delta,entropy"},
                                {DType::f64, "sortable,delta(2,1440),entropy"},
                                {DType::f32, "grid,delta(2,300),delta(2),entropy,raw,bitpack,raw"},
                                {DType::f64, "grid,delta,entropy,raw,bitpack,raw"},
                                {DType::i64, "delta(1,3),entropy"},
                                {DType::i32, "delta(1,32),delta,entropy"},
                                {DType::i32, "delta(1,3),entropy"},
                                {DType::u16, "delta(2,5),entropy"},
                                {DType::f64, "decimal(1,4),delta(1,200),entropy,raw,raw"}}));
}

/// One of three trees for each segment, and none for one of them.
void expect_trees_of_segments(const std::vector<std::string>& trees) {
  const DType type = DType::i64;
  const auto columns = difficult_columns(type, 30000);
  const std::vector<std::string_view> texts(trees.begin(), trees.end());
  const std::uint32_t segment_words = 4000;
  for (const auto& [name, column] : columns) {
    EncodingColumn memory(column, segment_words, 0);
    Bytes indices(8);
    for (std::size_t i = 0; i < indices.size(); ++i)
      indices[i] = i == 5 ? 3 : static_cast<std::uint8_t>(i % 3);
    const DeviceMemory on_device(indices);
    memory.call().tree_of_segment = on_device.data();
    const DeviceMemory workspace(cuda::min_encode_workspace_size({&memory.call(), 1}, texts).value());
    ASSERT_TRUE(
        cuda::encode_columns_async({&memory.call(), 1}, texts, workspace_of(workspace), nullptr).ok());
    expect_cuda(cudaDeviceSynchronize());
    EXPECT_EQ(memory.result().code, static_cast<std::uint32_t>(ErrorCode::invalid_argument));
    EXPECT_EQ(memory.result().failed_chunks, 1u);
    const Bytes out = memory.out();
    const auto entries = memory.segments();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (i == 5) {
        EXPECT_EQ(entries[i].bytes, 0u);
        continue;
      }
      const std::uint64_t first = i * segment_words,
                          count = std::min<std::uint64_t>(segment_words, column.count() - first);
      const auto bytes = ColumnEncoder(trees::plan_from_text(trees[indices[i]], type).value())
                             .encode({type, column.bytes.data() + 8 * first, count});
      const auto* const begin = out.data() + entries[i].offset;
      ASSERT_EQ(Bytes(begin, begin + entries[i].bytes), bytes) << name << ", segment " << i;
    }
  }
}

TEST(SeriesEncodingOnDevice, TakesATreePerSegment) {
  FLOE_NEEDS_DEVICE();
  expect_trees_of_segments({"delta,bitpack", "rle,bitpack,bitpack", "dict,raw,bitpack,raw"});
  expect_trees_of_segments({"delta,entropy", "entropy", "delta,entropy"});
  expect_trees_of_segments({"delta,entropy", "entropy", "delta,bitpack"});
}

TEST(SeriesEncodingOnDevice, NeverWritesBeyondTheRoom) {
  FLOE_NEEDS_DEVICE();
  for (std::uint64_t seed = 0; seed < rounds(200); ++seed) {
    const RandomTree expected(seed);
    std::uint64_t all = 0;
    for (const Bytes& segment : expected.segments) all += (segment.size() + 15) / 16 * 16;
    std::vector<std::unique_ptr<EncodingColumn>> memory;
    memory.push_back(std::make_unique<EncodingColumn>(expected.column, expected.segment_words, 0,
                                                      core::splitmix(seed) % (all + 1)));
    encode(memory, {&expected.tree, 1});
    const cuda::ItemResult result = memory[0]->result();
    EXPECT_EQ(result.bytes, all);
    EXPECT_EQ(result.code, memory[0]->call().out_bytes >= all
                               ? 0u
                               : static_cast<std::uint32_t>(ErrorCode::output_too_small));
    ASSERT_TRUE(memory[0]->is_intact()) << expected.name;
  }
}

TEST(SeriesEncodingOnDevice, IsCapturedIntoGraphs) {
  FLOE_NEEDS_DEVICE();
  const RandomTree expected(16);
  EncodingColumn memory(expected.column, expected.segment_words, 0);
  const std::string_view tree = expected.tree;
  const DeviceMemory workspace(cuda::encode_workspace_size({&memory.call(), 1}, {&tree, 1}).value());
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  expect_cuda(cudaStreamCreate(&stream));
  expect_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  ASSERT_TRUE(
      cuda::encode_columns_async({&memory.call(), 1}, {&tree, 1}, workspace_of(workspace), stream).ok());
  expect_cuda(cudaStreamEndCapture(stream, &graph));
  expect_cuda(cudaGraphInstantiate(&replay, graph, 0));
  for (int i = 0; i < 2; ++i) expect_cuda(cudaGraphLaunch(replay, stream));
  expect_cuda(cudaStreamSynchronize(stream));
  expect_segments(memory, expected.segments, expected.name);
  expect_cuda(cudaGraphExecDestroy(replay));
  expect_cuda(cudaGraphDestroy(graph));
  expect_cuda(cudaStreamDestroy(stream));
}

TEST(SeriesEncodingOnDevice, TellsTheRecordedHash) {
  FLOE_NEEDS_DEVICE();
  std::vector<Bytes> segments;
  for (std::uint64_t seed = 0; seed < recorded_columns; ++seed) {
    const RandomTree expected(seed);
    std::vector<std::unique_ptr<EncodingColumn>> memory;
    memory.push_back(std::make_unique<EncodingColumn>(expected.column, expected.segment_words, 0));
    encode(memory, {&expected.tree, 1});
    const Bytes out = memory[0]->out();
    for (const cuda::SegmentEntry& entry : memory[0]->segments())
      segments.emplace_back(out.begin() + static_cast<std::ptrdiff_t>(entry.offset),
                            out.begin() + static_cast<std::ptrdiff_t>(entry.offset + entry.bytes));
  }
  EXPECT_EQ(hash_of(segments), recorded_segments_hash);
}

TEST(SeriesEncodingArguments, AreCheckedBeforeAnyWork) {
  cuda::ColumnEncode call;
  cuda::ItemResult result;
  const std::string_view trees[] = {"bitpack", "raw", "delta,entropy"};
  const auto code = [&] { return cuda::encode_columns_async({&call, 1}, trees, {}, nullptr).code; };
  call.result = &result;
  call.type = DType::text;
  EXPECT_EQ(code(), ErrorCode::invalid_argument);
  call.type = DType::f64;  // bitpack does not take floats
  EXPECT_EQ(code(), ErrorCode::invalid_argument);
  call.tree = 3;
  EXPECT_EQ(code(), ErrorCode::invalid_argument);
  call.type = DType::i64;
  call.tree = 2;
  EXPECT_EQ(code(), ErrorCode::invalid_argument);
  call.tree = 0;
  call.word_count = 10;
  EXPECT_EQ(code(), ErrorCode::invalid_argument);  // no addresses
  call.segment_words = 0;
  EXPECT_EQ(code(), ErrorCode::invalid_argument);
  EXPECT_TRUE(cuda::encode_columns_async({}, trees, {}, nullptr).ok());
}

}  // namespace
}  // namespace floe::test
