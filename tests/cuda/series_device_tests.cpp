// Tests of decoding columns of time series on a device, as the CPU does: random columns and trees, slices,
// and damaged bytes between canaries.
#include "floe/cuda.hpp"
#include "gpu/host/columns/decode_segments.hpp"
#include "tests/cuda/decoding_column.hpp"
#include "tests/cuda/recorded_segments.hpp"

namespace floe::test {
namespace {

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

TEST(SeriesOnDevice, SaysThatItHasNoRoomForLargeTrees) {
  FLOE_NEEDS_DEVICE();
  const DeviceMemory workspace(cuda::decode_workspace_size(1000, 8, 3).value());
  for (const DType type : word_types) {
    Column column(type, 2500);
    for (std::uint64_t i = 0; i < column.count(); ++i) column.set(i, core::splitmix(i));
    for (const trees::Plan& plan : trees_at_limits()) {
      ColumnEncoder encoder(plan);
      const DecodingColumn memory(encode_on_host(column, encoder, 1000), whole_array, column.count());
      ASSERT_TRUE(cuda::decode_columns_async({&memory.call(), 1}, workspace_of(workspace), nullptr).ok());
      expect_cuda(cudaDeviceSynchronize());
      const bool is_decoded = trees::has_device_form(plan);
      ASSERT_EQ(static_cast<ErrorCode>(memory.result().code),
                is_decoded ? ErrorCode::ok : ErrorCode::unsupported_codec)
          << trees::text_of(plan);
      ASSERT_EQ(memory.words(), is_decoded ? column.bytes : Bytes(column.bytes.size()))
          << trees::text_of(plan);
      ASSERT_TRUE(memory.is_intact());
    }
  }
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
