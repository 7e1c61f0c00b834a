// Tests of the promises of calls on a device: room, batches, sizes on the device, graphs, arguments.
#include "core/chunk.hpp"
#include "tests/cuda/device_batch.hpp"

namespace floe::test {
namespace {

Options options_of(std::string_view tree, std::uint64_t segment_bytes = 3 * core::chunk_bytes) {
  Options options;
  options.tree = tree;
  options.segment_bytes = segment_bytes;
  return options;
}

void expect_nothing_beyond_the_room(const std::string& tree) {
  const Options options = options_of(tree);
  const Bytes content = make_bytes(32, 5, 7 * core::chunk_bytes + 100, 1);
  const Extent extent = Extent::linear(content.size() / 4);
  const Bytes frame = frame_of(content, DType::f32, extent, options);
  for (const std::uint64_t room :
       {std::size_t{0}, std::size_t{1}, std::size_t{31}, std::size_t{32}, std::size_t{1000}, frame.size() / 2,
        frame.size() - 100, frame.size() - 1, frame.size(), frame.size() + 1}) {
    const DeviceOutcome made = device_compress(content, DType::f32, extent, options, room);
    EXPECT_TRUE(made.intact) << room;
    EXPECT_EQ(made.code(), room < frame.size() ? ErrorCode::output_too_small : ErrorCode::ok) << room;
    if (room >= frame.size()) {
      EXPECT_TRUE(made.bytes == frame) << room;
    }
  }
  for (const std::uint64_t room : {std::size_t{0}, std::size_t{1}, content.size() / 2, content.size() - 1,
                                   content.size(), content.size() + 1}) {
    const DeviceOutcome read =
        device_decompress(frame, {DType::f32, tree, options.segment_bytes}, whole_array, room);
    EXPECT_TRUE(read.intact) << room;
    EXPECT_EQ(read.code(), room < content.size() ? ErrorCode::output_too_small : ErrorCode::ok) << room;
  }
}

TEST(CudaCalls, NothingIsWrittenBeyondTheRoom) {
  FLOE_NEEDS_DEVICE();
  for (const char* tree : {"spspeed", "sortable,bitpack", "decimal(2,4),bitpack,bitpack,raw", "rle,raw,raw"})
    expect_nothing_beyond_the_room(tree);
}

TEST(CudaCalls, BatchesOfArraysOfAllSizes) {
  FLOE_NEEDS_DEVICE();
  Random random(8);
  for (const ArrayCase& c : supported_cases()) {
    Options options = c.options();
    options.segment_bytes = 2 * core::chunk_bytes;
    Batch arrays, frames;
    std::vector<Bytes> contents, expected;
    for (std::size_t i = 0; i < 700; ++i) {
      const std::size_t size =
          random.below(4) == 0 ? 0
                               : random.below(i % 50 == 0 ? 200000 : 3000) / c.word_bytes() * c.word_bytes();
      contents.push_back(c.sample(random.below(content_names().size()), size, i));
      expected.push_back(frame_of(contents.back(), c.dtype, options));
      const bool small = i % 97 == 5;
      arrays.add(contents.back(), small ? expected.back().size() - 1 : expected.back().size());
    }
    arrays.compress(c.dtype, options);
    for (std::size_t i = 0; i < contents.size(); ++i) {
      if (i % 97 == 5) {
        ASSERT_EQ(arrays.results[i].code, static_cast<std::uint32_t>(ErrorCode::output_too_small)) << i;
      } else {
        ASSERT_EQ(arrays.results[i].code, 0u) << i;
        ASSERT_TRUE(arrays.out[i] == expected[i]) << c.name() << " " << i << " " << contents[i].size();
      }
      frames.add(expected[i], contents[i].size());
    }
    frames.decompress({c.dtype, c.tree, options.segment_bytes});
    for (std::size_t i = 0; i < contents.size(); ++i) {
      ASSERT_EQ(frames.results[i].code, 0u) << i;
      ASSERT_TRUE(frames.out[i] == contents[i]) << c.name() << " " << i;
    }
  }
}

TEST(CudaCalls, ATotalThatIsTooSmallIsReported) {
  FLOE_NEEDS_DEVICE();
  Batch batch;
  for (int i = 0; i < 3; ++i) batch.add(make_bytes(32, 4, 100000, 1), 200000);
  batch.run([&](const cuda::BatchItem* items, cuda::ItemResult* results) {
    const DeviceMemory workspace(*cuda::compress_workspace_size(1000, 3, DType::f32, options_of("spspeed")));
    const Status status = cuda::compress_batch_async(items, 3, 1000, DType::f32, options_of("spspeed"),
                                                     results, workspace_of(workspace), nullptr);
    expect_cuda(cudaDeviceSynchronize());
    ASSERT_TRUE(status.ok() && workspace.is_intact());
  });
  for (const auto& result : batch.results)
    EXPECT_EQ(result.code, static_cast<std::uint32_t>(ErrorCode::out_of_memory));
}

/// Compresses and decompresses in one go: the frame's size stays on the device. Captured once, replayed with
/// other contents.
void expect_graphs_of(const std::string& tree) {
  const Options options = options_of(tree);
  const cuda::FrameKind kind{DType::f32, tree, options.segment_bytes};
  const std::size_t max_bytes = 20 * core::chunk_bytes + 60;
  const Extent extent = Extent::linear(max_bytes / 4);
  const std::uint64_t room = *max_compressed_size(DType::f32, extent, options);
  const DeviceMemory in(max_bytes), frame(room), out(max_bytes),
      compress_workspace(*cuda::compress_workspace_size(max_bytes, 1, DType::f32, options)),
      decompress_workspace(*cuda::decompress_workspace_size(max_bytes, 1, kind));
  DeviceValue<std::uint64_t> size(max_bytes);
  DeviceValue<cuda::ItemResult> made, read;

  cudaStream_t stream = nullptr;
  expect_cuda(cudaStreamCreate(&stream));
  expect_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  ASSERT_TRUE(cuda::compress_async({in.data(), max_bytes, frame.data(), room}, DType::f32, extent, options,
                                   made.pointer(), workspace_of(compress_workspace), stream, size.pointer())
                  .ok());
  ASSERT_TRUE(cuda::decompress_async({frame.data(), room, out.data(), max_bytes}, kind, read.pointer(),
                                     workspace_of(decompress_workspace), stream, &made.pointer()->bytes)
                  .ok());
  cudaGraph_t graph = nullptr;
  expect_cuda(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t replay = nullptr;
  expect_cuda(cudaGraphInstantiate(&replay, graph, 0));

  for (std::size_t round = 0; round < 30; ++round) {
    const Bytes content =
        make_bytes(32, round % 13, round % 5 == 0 ? max_bytes : 4 * (round * 2777 % (max_bytes / 4)), round);
    in.write(content);
    size.set(content.size());
    expect_cuda(cudaGraphLaunch(replay, stream));
    expect_cuda(cudaStreamSynchronize(stream));
    ASSERT_EQ(made.get().code, 0u) << round;
    ASSERT_EQ(read.get().code, 0u) << round;
    EXPECT_TRUE(frame.read(0, made.get().bytes) == frame_of(content, DType::f32, options)) << round;
    EXPECT_TRUE(out.read(0, read.get().bytes) == content) << round;
  }
  for (const std::uint64_t wrong : {std::uint64_t{max_bytes + 4}, std::uint64_t{3}, ~std::uint64_t{0}}) {
    size.set(wrong);
    expect_cuda(cudaGraphLaunch(replay, stream));
    expect_cuda(cudaStreamSynchronize(stream));
    EXPECT_EQ(made.get().code, static_cast<std::uint32_t>(ErrorCode::invalid_argument)) << wrong;
    EXPECT_NE(read.get().code, 0u);
  }
  expect_cuda(cudaGraphExecDestroy(replay));
  expect_cuda(cudaGraphDestroy(graph));
  expect_cuda(cudaStreamDestroy(stream));
}

TEST(CudaCalls, GraphsCanBeReplayed) {
  FLOE_NEEDS_DEVICE();
  expect_graphs_of("spratio");
  expect_graphs_of("sortable,delta,bitpack");
}

/// Where the host knows the size, chains are packed straight to their positions: also in graphs.
TEST(CudaCalls, GraphsOfTreesCanBeReplayed) {
  FLOE_NEEDS_DEVICE();
  for (const ArrayCase& c : device_tree_cases()) {
    Options options = c.options();
    options.segment_bytes = 2 * core::chunk_bytes;
    const std::uint64_t bytes = 9 * core::chunk_bytes + 8 * c.word_bytes();
    const Extent extent = Extent::linear(bytes / c.word_bytes());
    const std::uint64_t room = *max_compressed_size(c.dtype, extent, options);
    const DeviceMemory in(bytes), frame(room),
        workspace(*cuda::compress_workspace_size(bytes, 1, c.dtype, options));
    DeviceValue<cuda::ItemResult> made;
    cudaStream_t stream = nullptr;
    expect_cuda(cudaStreamCreate(&stream));
    expect_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    ASSERT_TRUE(cuda::compress_async({in.data(), bytes, frame.data(), room}, c.dtype, extent, options,
                                     made.pointer(), workspace_of(workspace), stream)
                    .ok());
    cudaGraph_t graph = nullptr;
    expect_cuda(cudaStreamEndCapture(stream, &graph));
    cudaGraphExec_t replay = nullptr;
    expect_cuda(cudaGraphInstantiate(&replay, graph, 0));
    for (std::size_t round = 0; round < 5; ++round) {
      const Bytes content = c.sample(round * 5 % content_names().size(), bytes, round);
      in.write(content);
      expect_cuda(cudaGraphLaunch(replay, stream));
      expect_cuda(cudaStreamSynchronize(stream));
      ASSERT_EQ(made.get().code, 0u) << c.name() << " " << round;
      EXPECT_TRUE(frame.read(0, made.get().bytes) == frame_of(content, c.dtype, options)) << c.name();
    }
    EXPECT_TRUE(frame.is_intact() && workspace.is_intact());
    expect_cuda(cudaGraphExecDestroy(replay));
    expect_cuda(cudaGraphDestroy(graph));
    expect_cuda(cudaStreamDestroy(stream));
  }
}

TEST(CudaCalls, ArgumentsAreChecked) {
  FLOE_NEEDS_DEVICE();
  const DeviceMemory memory(1 << 20), workspace(1 << 16);
  DeviceValue<cuda::ItemResult> result;
  const cuda::BatchItem item{memory.data(), 4000, memory.data() + 8192, 100000};
  const Extent extent = Extent::linear(1000);
  const auto code = [&](const cuda::BatchItem& what, DType dtype, const Options& options,
                        cuda::Workspace where) {
    return cuda::compress_async(what, dtype, extent, options, result.pointer(), where, nullptr).code;
  };
  const Options good = options_of("spspeed");
  EXPECT_EQ(code(item, DType::f32, good, workspace_of(workspace)), ErrorCode::ok);
  EXPECT_EQ(code(item, DType::f32, good, {}), ErrorCode::invalid_argument);
  EXPECT_EQ(code(item, DType::f32, good, {workspace.data(), 100}), ErrorCode::invalid_argument);
  EXPECT_EQ(code(item, DType::f32, good, {workspace.data() + 8, 10000}), ErrorCode::invalid_argument);
  EXPECT_EQ(code(item, DType::f64, good, workspace_of(workspace)), ErrorCode::invalid_argument);
  EXPECT_EQ(code(item, DType::i32, options_of("no_codec"), workspace_of(workspace)),
            ErrorCode::invalid_argument);
  for (const char* tree : {"", "unique,raw,bitpack", "linear(5),bitpack"})
    EXPECT_EQ(code(item, DType::i32, options_of(tree), workspace_of(workspace)), ErrorCode::unsupported_codec)
        << tree;
  EXPECT_EQ(code(item, DType::f32, options_of("sortable,bitpack"), {workspace.data(), 1000}),
            ErrorCode::invalid_argument);
  EXPECT_EQ(code({memory.data() + 2, 4000, item.out, item.out_bytes}, DType::f32,
                 options_of("sortable,bitpack"), workspace_of(workspace)),
            ErrorCode::invalid_argument);
  EXPECT_EQ(code({item.in, 4001, item.out, item.out_bytes}, DType::f32, good, workspace_of(workspace)),
            ErrorCode::invalid_argument);
  EXPECT_EQ(code({item.in, 4000, memory.data() + 8, 1000}, DType::f32, good, workspace_of(workspace)),
            ErrorCode::invalid_argument);
  const std::byte prefix[3]{};
  Options with_prefix = good;
  with_prefix.prefix = prefix;
  EXPECT_EQ(code(item, DType::f32, with_prefix, workspace_of(workspace)), ErrorCode::invalid_argument);
  expect_cuda(cudaDeviceSynchronize());
  const Bytes frame = frame_of(make_bytes(32, 4, 4000, 1), DType::f32, good);
  EXPECT_EQ(device_decompress(frame, {DType::i32, "spspeed"}, whole_array, 4000).code(),
            ErrorCode::unsupported_codec);
  EXPECT_EQ(device_decompress(frame, {DType::f32, "spratio"}, whole_array, 4000).code(),
            ErrorCode::unsupported_codec);
}

}  // namespace
}  // namespace floe::test
