// Tests of decoding columns of time series on a device, as the CPU does: random columns and trees, slices,
// and damaged bytes between canaries.
#include "floe/cuda.hpp"
#include "gpu/host/columns/decode_segments.hpp"
#include "tests/cuda/device_memory.hpp"
#include "tests/cuda/recorded_segments.hpp"

namespace floe::test {
namespace {

/// A column that the CPU has encoded in segments.
struct EncodedOnHost {
  Bytes data;
  std::vector<cuda::SegmentEntry> segments;
  std::uint64_t words = 0;
  std::uint32_t segment_words = 0;
  DType type{};
};

void append_segment(EncodedOnHost& all, const Bytes& bytes) {
  const std::uint64_t first = all.segments.size() * std::uint64_t{all.segment_words};
  const std::uint64_t count = std::min<std::uint64_t>(all.segment_words, all.words - first);
  all.segments.push_back(
      {all.data.size(), static_cast<std::uint32_t>(bytes.size()), static_cast<std::uint32_t>(count)});
  all.data.insert(all.data.end(), bytes.begin(), bytes.end());
  all.data.resize((all.data.size() + 15) / 16 * 16);
}

EncodedOnHost encode_on_host(const Column& column, ColumnEncoder& encoder, std::uint32_t segment_words) {
  EncodedOnHost all{{}, {}, column.count(), segment_words, column.type};
  for (std::uint64_t first = 0; first < column.count(); first += segment_words) {
    const std::uint64_t count = std::min<std::uint64_t>(segment_words, column.count() - first);
    append_segment(all,
                   encoder.encode({column.type, column.bytes.data() + first * size_of(column.type), count}));
  }
  return all;
}

/// Memory of a device for a column that is being decoded.
class DecodingColumn {
 public:
  DecodingColumn(const EncodedOnHost& from, Slice rows, std::uint64_t out_words)
      : data_(from.data.empty() ? Bytes(16) : from.data),
        segments_(as_bytes(from.segments)),
        out_(std::max<std::uint64_t>(1, out_words) * size_of(from.type)) {
    call_.column = {
        data_.data(), data_.size(),       reinterpret_cast<const cuda::SegmentEntry*>(segments_.data()),
        from.words,   from.segment_words, from.type};
    call_.rows = rows;
    call_.out = out_.data();
    call_.out_bytes = out_.size();
    call_.result = result_.pointer();
  }
  [[nodiscard]] const cuda::ColumnDecode& call() const { return call_; }
  [[nodiscard]] cuda::ItemResult result() const { return result_.get(); }
  [[nodiscard]] Bytes words() const { return out_.read(); }
  [[nodiscard]] bool is_intact() const {
    return data_.is_intact() && segments_.is_intact() && out_.is_intact();
  }

 private:
  static Bytes as_bytes(const std::vector<cuda::SegmentEntry>& segments) {
    Bytes bytes(std::max<std::size_t>(1, segments.size()) * sizeof(cuda::SegmentEntry));
    if (!segments.empty())
      std::memcpy(bytes.data(), segments.data(), segments.size() * sizeof(cuda::SegmentEntry));
    return bytes;
  }
  DeviceMemory data_, segments_, out_;
  DeviceValue<cuda::ItemResult> result_;
  cuda::ColumnDecode call_;
};

/// A random column, its tree, and its segments.
struct RandomColumn {
  Column column;
  EncodedOnHost encoded;
  std::string tree;

  explicit RandomColumn(std::uint64_t seed) {
    const DType type = word_types[core::splitmix(seed) % std::size(word_types)];
    const std::uint64_t count = 1 + core::splitmix(seed + 1) % (seed % 16 == 0 ? 60000 : 5000);
    auto columns = difficult_columns(type, count);
    auto& [name, chosen] = columns[core::splitmix(seed + 2) % columns.size()];
    column = std::move(chosen);
    const trees::Plan plan = random_plan(core::splitmix(seed + 3), type, Drawn::decoded_by_devices);
    tree = text_of(plan) + " on " + name + " of " + std::to_string(count) + " " + std::string(name_of(type));
    ColumnEncoder encoder(plan);
    encoded =
        encode_on_host(column, encoder, 700 + static_cast<std::uint32_t>(core::splitmix(seed + 4) % 40000));
  }
};

TEST(SeriesOnDevice, DecodesRandomColumnsAndTrees) {
  FLOE_NEEDS_DEVICE();
  const DeviceMemory workspace(cuda::decode_workspace_size(60000, 8, 64).value());
  const std::size_t all = rounds(10000);
  for (std::size_t first = 0; first < all; first += cuda::max_columns) {
    std::vector<RandomColumn> columns;
    std::vector<std::unique_ptr<DecodingColumn>> memory;
    std::vector<cuda::ColumnDecode> calls;
    for (std::size_t i = first; i < std::min(all, first + cuda::max_columns); ++i) {
      columns.emplace_back(i);
      memory.push_back(std::make_unique<DecodingColumn>(columns.back().encoded, whole_array,
                                                        columns.back().column.count()));
      calls.push_back(memory.back()->call());
    }
    ASSERT_TRUE(cuda::decode_columns_async(calls, workspace_of(workspace), nullptr).ok());
    expect_cuda(cudaDeviceSynchronize());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const cuda::ItemResult result = memory[i]->result();
      ASSERT_EQ(result.code, 0u) << columns[i].tree << ", column " << first + i;
      ASSERT_EQ(memory[i]->words(), columns[i].column.bytes) << columns[i].tree << ", column " << first + i;
      ASSERT_TRUE(memory[i]->is_intact());
    }
  }
  EXPECT_TRUE(workspace.is_intact());
}

/// Leaves of entropy in segments of many lengths, in chains that need no block and in others; whole columns
/// and rows of them.
class LeavesOnDevice : public ::testing::TestWithParam<DType> {};

TEST_P(LeavesOnDevice, AreDecodedAsByTheCpu) {
  FLOE_NEEDS_DEVICE();
  const DeviceMemory workspace(cuda::decode_workspace_size(140'000, 8, 300).value());
  const DType type = GetParam();
  auto turn = static_cast<std::size_t>(type);
  for (const char* tree : {"entropy",
                           "delta,entropy",
                           "int_mult,delta,entropy",
                           "delta,int_mult,entropy",
                           "sortable,entropy",
                           "sortable,delta,entropy",
                           "delta(2),entropy",
                           "delta(1,2),entropy",
                           "sortable,delta(1,3),entropy",
                           "int_mult,delta(1,4),entropy",
                           "decimal(2,4),entropy,entropy,raw",
                           "decimal(2,4),delta,entropy,raw,raw",
                           "decimal(2,8),delta,entropy,raw,raw",
                           "dict,raw,entropy,raw",
                           "rle,entropy,entropy",
                           "split,entropy,entropy,entropy",
                           "stride_split(2),entropy,delta,entropy",
                           "multi_entropy(1)",
                           "delta,multi_entropy",
                           "multi_entropy(3)",
                           "delta(1,1000),delta,multi_entropy",
                           "grid,delta,multi_entropy,raw,raw,raw",
                           "affine(1,4),delta,multi_entropy,entropy,raw,raw,raw"}) {
    const auto plan = trees::plan_from_text(tree, type);
    if (!plan) continue;
    constexpr std::uint32_t sizes[] = {4096, 65'536, 1000, 10'000, 140'000};
    for (const std::uint32_t segment_words : std::span(sizes).first(rounds(std::size(sizes)))) {
      auto columns = difficult_columns(type, 280'000);
      const auto& [name, column] = columns[turn++ % columns.size()];
      ColumnEncoder encoder(*plan);
      const EncodedOnHost encoded = encode_on_host(column, encoder, segment_words);
      const std::uint64_t first = turn % 3 == 0 ? core::splitmix(turn) % column.count() : 0;
      const Slice rows{first, column.count() - first - (turn % 5 == 0 ? (column.count() - first) / 2 : 0)};
      const DecodingColumn memory(encoded, rows, rows.count);
      const cuda::ColumnDecode call = memory.call();
      ASSERT_TRUE(cuda::decode_columns_async({&call, 1}, workspace_of(workspace), nullptr).ok());
      expect_cuda(cudaDeviceSynchronize());
      const std::string what = std::string(tree) + " on " + name + ", " + std::string(name_of(type)) + ", " +
                               std::to_string(segment_words);
      ASSERT_EQ(memory.result().code, 0u) << what;
      const auto* const begin = column.bytes.data() + rows.first * size_of(type);
      ASSERT_EQ(memory.words(), Bytes(begin, begin + rows.count * size_of(type))) << what;
      ASSERT_TRUE(memory.is_intact()) << what;
    }
  }
  EXPECT_TRUE(workspace.is_intact());
}

INSTANTIATE_TEST_SUITE_P(Types, LeavesOnDevice, ::testing::ValuesIn(word_types));

/// Damaged leaves of entropy: decoded as by the CPU, or refused, and nothing around is touched.
TEST(SeriesOnDevice, SurvivesDamagedLeavesOfEntropy) {
  FLOE_NEEDS_DEVICE();
  const DeviceMemory workspace(cuda::decode_workspace_size(66'000, 8, 64).value());
  std::size_t refused = 0;
  for (std::uint64_t round = 0; round < rounds(1000); ++round) {
    const DType type = round % 3 == 0 ? DType::i32 : round % 3 == 1 ? DType::f64 : DType::u16;
    const std::uint64_t count = round % 2 == 0 ? 3000 : 20'000;
    auto columns = difficult_columns(type, count);
    const auto& column = columns[core::splitmix(round) % columns.size()].second;
    ColumnEncoder encoder(trees::plan_from_text(is_float(type)  ? "sortable,delta,entropy"
                                                : round % 4 < 2 ? "delta,entropy"
                                                                : "entropy",
                                                type)
                              .value());
    EncodedOnHost encoded = encode_on_host(column, encoder, static_cast<std::uint32_t>(count));
    const std::size_t size = encoded.segments[0].bytes,
                      range = round % 5 < 3 ? std::min<std::size_t>(size, 400) : size;
    encoded.data[core::splitmix(round + 1) % range] = static_cast<std::uint8_t>(core::splitmix(round + 2));
    Column there(type, count);
    const Status status = decode({encoded.data.data(), size}, there);
    const DecodingColumn memory(encoded, whole_array, count);
    const cuda::ColumnDecode call = memory.call();
    ASSERT_TRUE(cuda::decode_columns_async({&call, 1}, workspace_of(workspace), nullptr).ok());
    expect_cuda(cudaDeviceSynchronize());
    const auto code = static_cast<ErrorCode>(memory.result().code);
    ASSERT_TRUE(memory.is_intact()) << round;
    refused += code != ErrorCode::ok ? 1 : 0;
    if (code == ErrorCode::unsupported_codec || code == ErrorCode::out_of_memory) continue;
    ASSERT_EQ(code == ErrorCode::ok, status.ok()) << round;
    if (status.ok()) {
      ASSERT_EQ(memory.words(), there.bytes) << round;
    }
  }
  EXPECT_GT(refused, 0u);
  EXPECT_TRUE(workspace.is_intact());
}

/// Words of `kinds` kinds.
Column words_of_kinds(DType type, std::uint64_t count, std::uint64_t kinds) {
  Column column(type, count);
  for (std::uint64_t i = 0; i < count; ++i) column.set(i, core::splitmix(core::splitmix(i) % kinds) >> 35);
  return column;
}

/// Chains that need no block, in many segments and beside columns that need some; blocks have `shared_bytes`
/// of shared memory.
void expect_chains_of_many_segments(std::uint32_t shared_bytes, std::size_t turns) {
  const std::vector<std::pair<DType, std::string>> trees = {
      {DType::i32, "bitpack"},
      {DType::i32, "delta,bitpack"},
      {DType::i32, "int_mult,delta,int_mult,bitpack"},
      {DType::u64, "bitpack"},
      {DType::i64, "delta,bitpack"},
      {DType::i64, "delta(1,3),int_mult,bitpack"},
      {DType::i32, "dict,raw,bitpack,raw"},
      {DType::f64, "dict,raw,bitpack,raw"},
      {DType::u16, "bitpack"},
      {DType::u16, "delta,bitpack"},
      {DType::i32, "rle,bitpack,bitpack"},
      {DType::f64, "rle,bitpack,sortable,bitpack"},
      {DType::i64, "rle,delta(1,2),bitpack,delta,bitpack"},
      {DType::u16, "rle,bitpack,bitpack"},
      {DType::f32, "rle,bitpack,decimal(1,4),bitpack,bitpack,raw"},
      {DType::i32, "delta(1,2),bitpack"},
      {DType::i32, "delta(1,2),constant"},
      {DType::i64, "delta(1,4),bitpack"},
      {DType::f64, "sortable,delta,bitpack"},
      {DType::f32, "sortable,bitpack"},
      {DType::f64, "decimal(2,4),delta,bitpack,bitpack,raw"},
      {DType::f32, "decimal(1,4),bitpack,bitpack,raw"}};
  const DeviceMemory workspace(cuda::decode_workspace_size(5000, 8, trees.size() * 60).value());
  for (std::size_t turn = 0; turn < turns; ++turn) {
    std::vector<Column> columns;
    std::vector<std::unique_ptr<DecodingColumn>> memory;
    std::vector<cuda::ColumnDecode> calls;
    for (std::size_t i = 0; i < trees.size(); ++i) {
      const auto& [type, tree] = trees[(turn + i) % trees.size()];
      auto some = difficult_columns(type, turn % 2 == 0 ? 300000 - turn : 20000 + 997 * turn);
      columns.push_back(std::move(some[(turn * 7 + i) % some.size()].second));
      ColumnEncoder encoder(trees::plan_from_text(tree, type).value());
      const EncodedOnHost encoded = encode_on_host(columns.back(), encoder, turn % 3 == 0 ? 5000 : 4096);
      memory.push_back(std::make_unique<DecodingColumn>(encoded, whole_array, columns.back().count()));
      calls.push_back(memory.back()->call());
    }
    // The second time the lists in the workspace have been used before.
    for (unsigned time = 0; time < 2; ++time)
      ASSERT_TRUE(gpu::decode_columns_within(calls, workspace_of(workspace), shared_bytes, nullptr).ok());
    expect_cuda(cudaDeviceSynchronize());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      ASSERT_EQ(memory[i]->result().code, 0u) << trees[(turn + i) % trees.size()].second << ", turn " << turn;
      ASSERT_TRUE(memory[i]->words() == columns[i].bytes)
          << trees[(turn + i) % trees.size()].second << ", turn " << turn;
      ASSERT_TRUE(memory[i]->is_intact());
    }
  }
  EXPECT_TRUE(workspace.is_intact());
}

constexpr std::uint32_t all_shared_bytes = ~0u;

TEST(SeriesOnDevice, DecodesChainsOfManySegments) {
  FLOE_NEEDS_DEVICE();
  expect_chains_of_many_segments(all_shared_bytes, rounds(40));
}

/// As on devices whose blocks have room for two groups of warps, one, or none.
TEST(SeriesOnDevice, DecodesChainsWithLessSharedMemory) {
  FLOE_NEEDS_DEVICE();
  for (const std::uint32_t shared_bytes : {163u << 10, 99u << 10, 48u << 10})
    expect_chains_of_many_segments(shared_bytes, rounds(10));
}

/// Dictionaries that a group of warps has, all warps of a block, or a block.
TEST(SeriesOnDevice, DecodesLongDictionaries) {
  FLOE_NEEDS_DEVICE();
  constexpr std::uint32_t segment_words = 30000;
  const DeviceMemory workspace(cuda::decode_workspace_size(segment_words, 8, 64).value());
  for (const std::uint32_t shared_bytes : {all_shared_bytes, 163u << 10, 99u << 10, 48u << 10}) {
    for (const DType type : {DType::i32, DType::f64}) {
      for (const std::uint64_t kinds : {5000, 9000, 11000, 14000, 17000, 20000}) {
        const Column column = words_of_kinds(type, 200000, kinds);
        ColumnEncoder encoder(trees::plan_from_text("dict,raw,bitpack,raw", type).value());
        const DecodingColumn memory(encode_on_host(column, encoder, segment_words), whole_array,
                                    column.count());
        ASSERT_TRUE(
            gpu::decode_columns_within({&memory.call(), 1}, workspace_of(workspace), shared_bytes, nullptr)
                .ok());
        expect_cuda(cudaDeviceSynchronize());
        ASSERT_EQ(memory.result().code, 0u) << kinds << " kinds, " << shared_bytes;
        ASSERT_TRUE(memory.words() == column.bytes) << kinds << " kinds, " << shared_bytes;
        ASSERT_TRUE(memory.is_intact());
      }
    }
  }
}

TEST(SeriesOnDevice, DecodesRows) {
  FLOE_NEEDS_DEVICE();
  const DeviceMemory workspace(cuda::decode_workspace_size(60000, 8, 64).value());
  for (std::uint64_t seed = 0; seed < rounds(400); ++seed) {
    const RandomColumn column(seed);
    const std::uint64_t first = core::splitmix(seed + 7) % (column.column.count() + 1);
    const std::uint64_t count = core::splitmix(seed + 8) % (column.column.count() - first + 1);
    const std::size_t width = size_of(column.column.type);
    const DecodingColumn memory(column.encoded, {first, count}, count);
    ASSERT_TRUE(cuda::decode_columns_async({&memory.call(), 1}, workspace_of(workspace), nullptr).ok());
    expect_cuda(cudaDeviceSynchronize());
    ASSERT_EQ(memory.result().code, 0u) << column.tree;
    ASSERT_EQ(memory.result().bytes, count * width);
    const auto* const begin = column.column.bytes.data() + first * width;
    Bytes words = memory.words();
    words.resize(count * width);
    ASSERT_EQ(words, Bytes(begin, begin + count * width))
        << column.tree << " from " << first << ", " << count;
    ASSERT_TRUE(memory.is_intact());
  }
}

TEST(SeriesOnDevice, DecodesARecordedColumnToItsWords) {
  FLOE_NEEDS_DEVICE();
  const DeviceMemory workspace(cuda::decode_workspace_size(60000, 8, 64).value());
  std::vector<Bytes> words;
  for (std::uint64_t seed = 0; seed < recorded_columns; ++seed) {
    const RandomTree random(seed);
    EncodedOnHost encoded{{}, {}, random.column.count(), random.segment_words, random.column.type};
    for (const Bytes& bytes : random.segments) append_segment(encoded, bytes);
    const DecodingColumn memory(encoded, whole_array, random.column.count());
    ASSERT_TRUE(cuda::decode_columns_async({&memory.call(), 1}, workspace_of(workspace), nullptr).ok());
    expect_cuda(cudaDeviceSynchronize());
    ASSERT_EQ(memory.result().code, 0u) << random.name;
    const Bytes all = memory.words();
    const std::size_t segment_bytes = random.segment_words * size_of(random.column.type);
    for (std::size_t at = 0; at < all.size(); at += segment_bytes)
      words.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(at),
                         all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), at + segment_bytes)));
  }
  EXPECT_EQ(hash_of(words), recorded_words_hash);
}

/// Segments do not depend on each other: each device decodes the rows of its own ones.
TEST(SeriesOnDevice, SharesAColumnAmongAllDevices) {
  FLOE_NEEDS_DEVICE();
  int devices = 0;
  expect_cuda(cudaGetDeviceCount(&devices));
  constexpr std::uint32_t segment_words = 5000;
  Column column(DType::i64, 200000);
  for (std::uint64_t i = 0; i < column.count(); ++i) column.set(i, 1000 * i + core::splitmix(i) % 64);
  ColumnEncoder encoder(trees::plan_from_text("delta,bitpack", DType::i64).value());
  const EncodedOnHost encoded = encode_on_host(column, encoder, segment_words);
  std::vector<std::unique_ptr<DeviceMemory>> workspaces;
  std::vector<std::unique_ptr<DecodingColumn>> shares;
  const std::uint64_t segments = encoded.segments.size(), all = static_cast<std::uint64_t>(devices);
  for (std::uint64_t device = 0; device < all; ++device) {
    expect_cuda(cudaSetDevice(static_cast<int>(device)));
    const std::uint64_t first = std::min(column.count(), segments * device / all * segment_words),
                        end = std::min(column.count(), segments * (device + 1) / all * segment_words);
    workspaces.push_back(
        std::make_unique<DeviceMemory>(cuda::decode_workspace_size(segment_words, 8, segments).value()));
    shares.push_back(std::make_unique<DecodingColumn>(encoded, Slice{first, end - first}, end - first));
    ASSERT_TRUE(
        cuda::decode_columns_async({&shares.back()->call(), 1}, workspace_of(*workspaces.back()), nullptr)
            .ok());
  }
  Bytes words;
  for (std::uint64_t device = 0; device < all; ++device) {
    expect_cuda(cudaSetDevice(static_cast<int>(device)));
    expect_cuda(cudaDeviceSynchronize());
    ASSERT_EQ(shares[device]->result().code, 0u);
    const Bytes share = shares[device]->words();
    words.insert(words.end(), share.begin(), share.end());
  }
  expect_cuda(cudaSetDevice(0));
  EXPECT_TRUE(words == column.bytes);
}

TEST(SeriesOnDevice, SurvivesDamagedBytes) {
  FLOE_NEEDS_DEVICE();
  const DeviceMemory workspace(cuda::decode_workspace_size(60000, 8, 64).value());
  for (std::uint64_t seed = 0; seed < rounds(4000); ++seed) {
    RandomColumn column(16 * seed + 1 + seed % 15);
    Bytes& data = column.encoded.data;
    if (data.empty()) continue;
    const std::uint64_t random = core::splitmix(seed + 9);
    for (unsigned i = 0; i < 1 + seed % 3; ++i)
      data[core::splitmix(random + i) %
           (seed % 2 == 0 ? std::min<std::size_t>(40, data.size()) : data.size())] =
          static_cast<std::uint8_t>(random >> (8 * i));
    if (seed % 50 == 0) column.encoded.segments[0].offset = random % 2 == 0 ? random : 16;
    if (seed % 50 == 1) column.encoded.segments[0].bytes = static_cast<std::uint32_t>(random);
    const DecodingColumn memory(column.encoded, whole_array, column.column.count());
    ASSERT_TRUE(cuda::decode_columns_async({&memory.call(), 1}, workspace_of(workspace), nullptr).ok());
    expect_cuda(cudaDeviceSynchronize());
    ASSERT_TRUE(memory.is_intact()) << column.tree;
    const auto code = static_cast<ErrorCode>(memory.result().code);
    ASSERT_TRUE(code == ErrorCode::ok || code == ErrorCode::corrupt_frame ||
                code == ErrorCode::unsupported_codec || code == ErrorCode::out_of_memory);
  }
  EXPECT_TRUE(workspace.is_intact());
}

TEST(SeriesOnDevice, DecodesWhatThePlannerChoosesForGpus) {
  FLOE_NEEDS_DEVICE();
  const DeviceMemory workspace(cuda::decode_workspace_size(1 << 16, 8, 8).value());
  for (const DType type : word_types) {
    for (const auto& [name, column] : difficult_columns(type, 150000)) {
      ColumnEncoder encoder(trees::Preset::gpu);
      const DecodingColumn memory(encode_on_host(column, encoder, 1 << 16), whole_array, column.count());
      ASSERT_TRUE(cuda::decode_columns_async({&memory.call(), 1}, workspace_of(workspace), nullptr).ok());
      expect_cuda(cudaDeviceSynchronize());
      ASSERT_EQ(memory.result().code, 0u) << name << " of " << name_of(type);
      ASSERT_EQ(memory.words(), column.bytes) << name << " of " << name_of(type);
    }
  }
}

TEST(SeriesArguments, AreCheckedBeforeAnyWork) {
  cuda::ColumnDecode call;
  cuda::ItemResult result;
  call.column.type = DType::text;
  call.result = &result;
  EXPECT_EQ(cuda::decode_columns_async({&call, 1}, {}, nullptr).code, ErrorCode::invalid_argument);
  call.column.type = DType::f64;
  call.column.word_count = 10;
  EXPECT_EQ(cuda::decode_columns_async({&call, 1}, {}, nullptr).code, ErrorCode::output_too_small);
  call.out_bytes = 80;
  EXPECT_EQ(cuda::decode_columns_async({&call, 1}, {}, nullptr).code, ErrorCode::invalid_argument);
  call.rows = {5, 6};
  EXPECT_EQ(cuda::decode_columns_async({&call, 1}, {}, nullptr).code, ErrorCode::invalid_argument);
  EXPECT_FALSE(cuda::decode_workspace_size(0, 8, 1).status().ok());
  EXPECT_TRUE(cuda::decode_columns_async({}, {}, nullptr).ok());
}

}  // namespace
}  // namespace floe::test
