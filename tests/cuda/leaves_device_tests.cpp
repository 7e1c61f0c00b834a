// Tests of decoding leaves of entropy on a device, as the CPU does.
#include "floe/cuda.hpp"
#include "tests/cuda/decoding_column.hpp"

namespace floe::test {
namespace {

class LeavesOnDevice : public ::testing::TestWithParam<DType> {};

/// In segments of many lengths, in chains that need no block and in others; whole columns and rows of them.
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
                           "decimal(2,4),delta(2),entropy,raw,raw",
                           "decimal(2,8),delta(2),entropy,raw,raw",
                           "decimal(2,4),delta(1,3),entropy,raw,raw",
                           "decimal(2,4),int_mult,delta(1,4),entropy,raw,raw",
                           "decimal(2,8),delta(1,2),entropy,raw,raw",
                           "dict,raw,entropy,raw",
                           "rle,entropy,entropy",
                           "split,entropy,entropy,entropy",
                           "stride_split(2),entropy,delta,entropy",
                           "multi_entropy(1)",
                           "delta,multi_entropy",
                           "multi_entropy(3)",
                           "delta(1,1000),delta,multi_entropy",
                           "sortable,delta(1,1000),entropy",
                           "sortable,delta(2,777),delta(2),entropy",
                           "delta(1,1000),delta,entropy",
                           "delta(1,32),entropy",
                           "delta(2,3),entropy",
                           "delta(2,17),delta,entropy",
                           "sortable,delta(2,4),entropy",
                           "sortable,delta(1,12),delta(1,3),entropy",
                           "decimal(2,4),delta(1,1000),delta,entropy,raw,raw",
                           "decimal(2,4),delta(2,4),entropy,raw,raw",
                           "decimal(2,8),delta(1,32),delta(1,3),entropy,raw,raw",
                           "decimal(2,8),delta(2,100),delta(2),entropy,raw,raw",
                           "grid,delta(2,1440),delta,entropy,raw,bitpack,raw",
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

}  // namespace
}  // namespace floe::test
