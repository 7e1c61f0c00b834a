// Tests of segments of two streams that blocks of a few warps decode on a device: quotients and remainders,
// codes and dictionaries, values and lengths of runs; with memory for all of these blocks, and for few.
#include "floe/cuda.hpp"
#include "tests/cuda/decoding_column.hpp"
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

}  // namespace
}  // namespace floe::test
