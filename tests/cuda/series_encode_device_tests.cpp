// Does a device encode columns of time series with the bytes of the CPU's engine? Random columns and trees, between canaries.
#include "floe/series_cuda_encode.hpp"
#include "tests/cuda/device_memory.hpp"
#include "tests/cuda/recorded_segments.hpp"
#include "tests/series_cuda/dictionary_columns.hpp"

namespace floe::test {
namespace {

/// A column in device memory, and room for its segments.
class EncodingColumn {
 public:
  EncodingColumn(const Column& column, std::uint32_t segment_words, std::uint32_t tree, std::uint64_t room = ~std::uint64_t{0})
      : width_(series::bytes_of(column.type)),
        segment_count_((column.count() + segment_words - 1) / segment_words),
        words_(column.bytes.empty() ? Bytes(16) : column.bytes),
        out_(std::max<std::uint64_t>(
            16, std::min(room, cuda::encoded_column_bound(column.count(), segment_words, static_cast<std::uint32_t>(width_))))),
        segments_(std::max<std::uint64_t>(1, segment_count_) * sizeof(cuda::SegmentEntry)) {
    call_.words = words_.data();
    call_.word_count = column.count();
    call_.segment_words = segment_words;
    call_.type = public_type(column.type);
    call_.tree = tree;
    call_.out = out_.data();
    call_.out_bytes = out_.size();
    call_.segments = reinterpret_cast<cuda::SegmentEntry*>(segments_.data());
    call_.result = result_.pointer();
  }
  [[nodiscard]] cuda::ColumnEncode& call() { return call_; }
  [[nodiscard]] cuda::ItemResult result() const { return result_.get(); }
  [[nodiscard]] std::vector<cuda::SegmentEntry> segments() const {
    std::vector<cuda::SegmentEntry> entries(segment_count_);
    const Bytes bytes = segments_.read();
    if (!entries.empty()) std::memcpy(entries.data(), bytes.data(), segment_count_ * sizeof(cuda::SegmentEntry));
    return entries;
  }
  [[nodiscard]] Bytes out() const { return out_.read(); }
  [[nodiscard]] bool is_intact() const { return words_.is_intact() && out_.is_intact() && segments_.is_intact(); }

 private:
  std::uint64_t width_, segment_count_;
  DeviceMemory words_, out_, segments_;
  DeviceValue<cuda::ItemResult> result_;
  cuda::ColumnEncode call_;
};

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

void expect_segments(const EncodingColumn& memory, std::span<const Bytes> expected, const std::string& what) {
  const cuda::ItemResult result = memory.result();
  ASSERT_EQ(result.code, 0u) << what;
  ASSERT_TRUE(memory.is_intact()) << what;
  const Bytes out = memory.out();
  std::uint64_t place = 0;
  const auto entries = memory.segments();
  ASSERT_EQ(entries.size(), expected.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    ASSERT_EQ(entries[i].offset, place) << what << ", segment " << i;
    ASSERT_EQ(entries[i].bytes, expected[i].size()) << what << ", segment " << i;
    const auto* const begin = out.data() + place;
    ASSERT_EQ(Bytes(begin, begin + entries[i].bytes), expected[i]) << what << ", segment " << i;
    place += (entries[i].bytes + 15) / 16 * 16;
  }
  ASSERT_EQ(result.bytes, place) << what;
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
      memory.push_back(
          std::make_unique<EncodingColumn>(expected.back().column, expected.back().segment_words, static_cast<std::uint32_t>(i - first)));
      trees.push_back(expected.back().tree);
    }
    encode(memory, trees);
    if (HasFatalFailure()) return;
    for (std::size_t i = 0; i < memory.size(); ++i) {
      expect_segments(*memory[i], expected[i].segments, expected[i].name + ", column " + std::to_string(first + i));
      if (HasFatalFailure()) return;
    }
  }
}

/// Tables in shared memory and in the scratch, words that crowd them, more words than there are codes, and more than a dictionary takes.
TEST(SeriesEncodingOnDevice, MakesTheDictionariesOfTheCpu) {
  FLOE_NEEDS_DEVICE();
  std::vector<DictionaryCase> cases(std::begin(dictionary_cases), std::end(dictionary_cases));
  cases.push_back({Type::f32, 200000, 200000, 1});
  cases.push_back({Type::u64, 300000, 300000, 0});
  cases.push_back({Type::i32, 1 << 20, 20000, 0});
  for (const DictionaryCase& with : cases) {
    const Column column = with.column();
    for (const std::string tree : dictionary_trees) {
      const std::vector<Bytes> expected = {series::ColumnEncoder(series::plan_from_text(tree, with.type).value()).encode(column.view())};
      std::vector<std::unique_ptr<EncodingColumn>> memory;
      memory.push_back(std::make_unique<EncodingColumn>(column, static_cast<std::uint32_t>(with.count), 0));
      encode(memory, {&tree, 1});
      if (HasFatalFailure()) return;
      expect_segments(*memory[0], expected, tree + " on " + std::to_string(with.distinct) + " of " + std::string(name_of(with.type)));
      if (HasFatalFailure()) return;
    }
  }
}

TEST(SeriesEncodingOnDevice, TakesATreePerSegment) {
  FLOE_NEEDS_DEVICE();
  const Type type = Type::i64;
  const auto columns = difficult_columns(type, 30000);
  const std::vector<std::string> trees = {"delta,afl", "rle,afl,afl", "dict,raw,afl,raw"};
  const std::vector<std::string_view> texts(trees.begin(), trees.end());
  const std::uint32_t segment_words = 4000;
  for (const auto& [name, column] : columns) {
    EncodingColumn memory(column, segment_words, 0);
    Bytes indices(8);
    for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = i == 5 ? 3 : static_cast<std::uint8_t>(i % 3);
    const DeviceMemory on_device(indices);
    memory.call().tree_of_segment = on_device.data();
    const DeviceMemory workspace(cuda::encode_workspace_least({&memory.call(), 1}, texts).value());
    ASSERT_TRUE(cuda::encode_columns_async({&memory.call(), 1}, texts, workspace_of(workspace), nullptr).ok());
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
      const std::uint64_t first = i * segment_words, count = std::min<std::uint64_t>(segment_words, column.count() - first);
      const auto bytes = series::ColumnEncoder(series::plan_from_text(trees[indices[i]], type).value())
                             .encode({type, column.bytes.data() + 8 * first, count});
      const auto* const begin = out.data() + entries[i].offset;
      ASSERT_EQ(Bytes(begin, begin + entries[i].bytes), bytes) << name << ", segment " << i;
    }
  }
}

TEST(SeriesEncodingOnDevice, NeverWritesBeyondTheRoom) {
  FLOE_NEEDS_DEVICE();
  for (std::uint64_t seed = 0; seed < rounds(200); ++seed) {
    const RandomTree expected(seed);
    std::uint64_t all = 0;
    for (const Bytes& segment : expected.segments) all += (segment.size() + 15) / 16 * 16;
    std::vector<std::unique_ptr<EncodingColumn>> memory;
    memory.push_back(std::make_unique<EncodingColumn>(expected.column, expected.segment_words, 0, core::splitmix(seed) % (all + 1)));
    encode(memory, {&expected.tree, 1});
    const cuda::ItemResult result = memory[0]->result();
    EXPECT_EQ(result.bytes, all);
    EXPECT_EQ(result.code, memory[0]->call().out_bytes >= all ? 0u : static_cast<std::uint32_t>(ErrorCode::output_too_small));
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
  ASSERT_TRUE(cuda::encode_columns_async({&memory.call(), 1}, {&tree, 1}, workspace_of(workspace), stream).ok());
  expect_cuda(cudaStreamEndCapture(stream, &graph));
  expect_cuda(cudaGraphInstantiate(&replay, graph, 0));
  for (int i = 0; i < 2; ++i) expect_cuda(cudaGraphLaunch(replay, stream));
  expect_cuda(cudaStreamSynchronize(stream));
  expect_segments(memory, expected.segments, expected.name);
  expect_cuda(cudaGraphExecDestroy(replay));
  expect_cuda(cudaGraphDestroy(graph));
  expect_cuda(cudaStreamDestroy(stream));
}

TEST(SeriesEncodingOnDevice, PlansByItself) {
  FLOE_NEEDS_DEVICE();
  const std::uint32_t segment_words = 16384, portion_words = 65536;
  for (const Type type : {Type::i32, Type::i64, Type::f64, Type::u8}) {
    auto encoder = cuda::PlannedEncoder::create(public_type(type), 150000, segment_words, portion_words).value();
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
        const std::string& tree = encoder.trees()[i * segment_words / portion_words];
        const auto* const words = column.bytes.data() + i * segment_words * series::bytes_of(type);
        const auto bytes = series::ColumnEncoder(series::plan_from_text(tree, type).value()).encode({type, words, entries[i].words});
        const auto* const begin = out.data() + entries[i].offset;
        ASSERT_EQ(Bytes(begin, begin + entries[i].bytes), bytes) << tree << " on " << name << ", segment " << i;
      }
    }
  }
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
  const std::string_view trees[] = {"afl", "raw", "delta,entropy"};
  const auto code = [&] { return cuda::encode_columns_async({&call, 1}, trees, {}, nullptr).code; };
  call.result = &result;
  call.type = tables::ColumnType::text;
  EXPECT_EQ(code(), ErrorCode::invalid_argument);
  call.type = tables::ColumnType::f64;  // afl does not take floats
  EXPECT_EQ(code(), ErrorCode::invalid_argument);
  call.tree = 3;
  EXPECT_EQ(code(), ErrorCode::invalid_argument);
  call.type = tables::ColumnType::i64;
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
