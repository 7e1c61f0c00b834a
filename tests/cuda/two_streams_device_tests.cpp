// Tests of segments of two streams that blocks of a few warps decode on a device: quotients and remainders,
// codes and dictionaries, values and lengths of runs; with memory for all of these blocks, and for few. And
// of quotients that such blocks pack.
#include "floe/cuda.hpp"
#include "tests/cuda/decoding_column.hpp"
#include "tests/cuda/encoding_column.hpp"
#include "tests/series_cuda/two_stream_columns.hpp"

namespace floe::test {
namespace {

TEST(SeriesOnDevice, DecodesSegmentsOfTwoStreams) {
  FLOE_NEEDS_DEVICE();
  constexpr DType types[] = {DType::i32, DType::i64, DType::f32, DType::f64};
  for (std::uint64_t seed = 0; seed < rounds(200); ++seed) {
    const DType type = types[seed % std::size(types)];
    const std::uint64_t random = core::splitmix(seed), count = seed % 3 == 0 ? 300'000 : 1 + random % 100'000;
    const std::uint32_t segment_words =
        seed % 2 == 0 ? 65'536 : static_cast<std::uint32_t>(4096 + random / 7 % 60'000);
    const auto cases = cases_of(type, count);
    const auto& [tree, column] = cases[(7 * seed + random / 11) % cases.size()];
    ColumnEncoder encoder(trees::plan_from_text(tree, type).value());
    const EncodedOnHost encoded = encode_on_host(column, encoder, segment_words);
    // Of segments, as many blocks have memory.
    for (const std::uint64_t segments : {1, 3, 64}) {
      const DeviceMemory workspace(
          cuda::decode_workspace_size(segment_words, static_cast<std::uint32_t>(size_of(type)), segments)
              .value());
      const DecodingColumn memory(encoded, whole_array, column.count());
      ASSERT_TRUE(cuda::decode_columns_async({&memory.call(), 1}, workspace_of(workspace), nullptr).ok());
      expect_cuda(cudaDeviceSynchronize());
      ASSERT_EQ(memory.result().code, 0u) << tree << ", seed " << seed;
      ASSERT_TRUE(memory.words() == column.bytes) << tree << ", seed " << seed << ", " << segments;
      ASSERT_TRUE(memory.is_intact());
      ASSERT_TRUE(workspace.is_intact());
    }
  }
}

/// Columns of quotients in one call, some beside others, which have a kernel of their own, and as frames.
/// Remainders are the same, seldom not, or all different.
TEST(SeriesEncodingOnDevice, PacksQuotientsAboveEntropy) {
  FLOE_NEEDS_DEVICE();
  constexpr DType types[] = {DType::f64, DType::f32, DType::f16, DType::bf16};
  constexpr const char* quotients[] = {"delta,entropy,constant", "entropy,bitpack",
                                       "delta(2),entropy,bitpack"};
  for (std::uint64_t round = 0; round < rounds(40); ++round) {
    const std::uint32_t segment_words = round % 2 == 0 ? 65'536 : 8192;
    std::vector<std::unique_ptr<EncodingColumn>> memory;
    std::vector<std::vector<Bytes>> expected;
    std::vector<cuda::ColumnEncode> calls;
    std::vector<std::string> trees;
    for (unsigned i = 0; i < 1 + round % 6; ++i) {
      const std::uint64_t random = core::splitmix(round * 11 + i), count = 1 + random % 200'000,
                          rare[] = {1, 50, 3000, 1'000'000'000};
      const DType type = types[(round + i) % std::size(types)];
      const unsigned shift = type == DType::f64 ? 29 : 7;
      const Column column = almost_multiples(type, count, std::uint64_t{1} << shift, rare[random / 8 % 4]);
      const std::string tree = (round + i) % 5 == 4 ? "sortable,delta,entropy"
                                                    : "divide(1," + std::to_string(shift) + ")," +
                                                          quotients[random / 64 % std::size(quotients)];
      ColumnEncoder encoder(trees::plan_from_text(tree, type).value());
      std::vector<Bytes>& segments = expected.emplace_back();
      for (std::uint64_t first = 0; first < count; first += segment_words)
        segments.push_back(encoder.encode({type, column.bytes.data() + first * size_of(type),
                                           std::min<std::uint64_t>(segment_words, count - first)}));
      memory.push_back(std::make_unique<EncodingColumn>(column, segment_words, i));
      calls.push_back(memory.back()->call());
      trees.push_back(tree);
      Options options;
      options.profile = Profile::gpu;
      options.tree = tree;
      options.segment_bytes = segment_words * size_of(type);
      const Extent extent = Extent::linear(count);
      const DeviceOutcome made = device_compress(column.bytes, type, extent, options,
                                                 max_compressed_size(type, extent, options).value());
      ASSERT_EQ(made.code(), ErrorCode::ok) << tree;
      ASSERT_TRUE(made.bytes == frame_of(column.bytes, type, options)) << tree << ", round " << round;
    }
    const std::vector<std::string_view> texts(trees.begin(), trees.end());
    const DeviceMemory workspace(cuda::encode_workspace_size(calls, texts).value());
    ASSERT_TRUE(cuda::encode_columns_async(calls, texts, workspace_of(workspace), nullptr).ok());
    expect_cuda(cudaDeviceSynchronize());
    EXPECT_TRUE(workspace.is_intact());
    for (std::size_t i = 0; i < memory.size(); ++i) {
      expect_segments(*memory[i], expected[i], trees[i] + ", round " + std::to_string(round));
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace floe::test
