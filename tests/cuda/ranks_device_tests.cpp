// Arrays whose parts belong to several ranks, one per GPU: every rank gets the frame of the CPU, and its part
// comes back.
#include <nccl.h>

#include <functional>
#include <thread>

#include "floe/cuda_host.hpp"
#include "tests/cuda/device_memory.hpp"
#include "tests/cuda/part_contents.hpp"

namespace floe {
namespace {

using test::Bytes;
using test::DeviceMemory;
using test::options_with;

/// A thread for each GPU, all in one communicator.
class Ranks {
 public:
  Ranks() {
    int count = 0;
    cudaGetDeviceCount(&count);
    communicators_.resize(static_cast<std::size_t>(count));
    EXPECT_EQ(ncclCommInitAll(communicators_.data(), count, nullptr), ncclSuccess);
  }
  ~Ranks() {
    for (ncclComm* const communicator : communicators_) ncclCommDestroy(communicator);
    cudaSetDevice(0);
  }
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(communicators_.size()); }
  void run(const std::function<void(std::uint32_t rank, ncclComm* communicator)>& work) const {
    std::vector<std::jthread> threads;
    for (std::uint32_t rank = 0; rank < count(); ++rank) {
      threads.emplace_back([&, rank] {
        cudaSetDevice(static_cast<int>(rank));
        work(rank, communicators_[rank]);
      });
    }
  }

 private:
  std::vector<ncclComm*> communicators_;
};

/// The memory of a rank, which has its share of the segments.
struct RankMemory {
  RankMemory(const Bytes& content, std::uint32_t rank, std::uint32_t ranks, DType dtype,
             const Options& options)
      : begin(cut(content.size(), rank, ranks, options)),
        bytes((rank + 1 == ranks ? content.size() : cut(content.size(), rank + 1, ranks, options)) - begin),
        elements(Bytes(content.begin() + static_cast<std::ptrdiff_t>(begin),
                       content.begin() + static_cast<std::ptrdiff_t>(begin + bytes))),
        frame(*cuda::part_frame_room(bytes, dtype, options)),
        workspace(*cuda::rank_workspace_size(bytes, content.size(), ranks, dtype, options)),
        pinned(cuda::PinnedMemory::allocate(
                   *cuda::rank_host_workspace_size(content.size(), ranks, dtype, options))
                   .value()) {
    mine.first_byte = begin;
    mine.part = {static_cast<int>(rank),
                 elements.data(),
                 bytes,
                 frame.data(),
                 frame.size(),
                 {workspace.data(), workspace.size()},
                 nullptr};
    if (rank % 2 == 0) mine.part.host_workspace = {pinned.bytes().data(), pinned.bytes().size()};
    cudaStreamCreate(&mine.part.stream);
  }
  RankMemory(const RankMemory&) = delete;
  RankMemory& operator=(const RankMemory&) = delete;
  ~RankMemory() { cudaStreamDestroy(mine.part.stream); }

  static std::uint64_t cut(std::uint64_t content_bytes, std::uint32_t rank, std::uint32_t ranks,
                           const Options& options) {
    return content_bytes / options.segment_bytes * rank / ranks * options.segment_bytes;
  }

  std::uint64_t begin, bytes;
  DeviceMemory elements, frame, workspace;
  cuda::PinnedMemory pinned;
  cuda::RankPart mine;
};

void expect_frame_of_cpu(const Ranks& ranks, const Bytes& content, DType dtype, const Options& options) {
  const Extent extent = Extent::linear(content.size() / size_of(dtype));
  const auto expected = compress(std::as_bytes(std::span(content)), dtype, extent, options).value();
  ranks.run([&](std::uint32_t rank, ncclComm* communicator) {
    const RankMemory memory(content, rank, ranks.count(), dtype, options);
    const auto frame = cuda::compress_rank(memory.mine, communicator, dtype, extent, options);
    ASSERT_TRUE(frame) << frame.status().message();
    ASSERT_EQ(frame->frame_bytes, expected.size());
    const std::uint32_t root = ranks.count() - 1;
    const DeviceMemory gathered(rank == root ? frame->frame_bytes : 0);
    const Status sent =
        cuda::gather_to_rank(memory.mine, communicator, *frame, root, gathered.data(), gathered.size());
    ASSERT_TRUE(sent.ok()) << sent.message();
    const Bytes at_root = gathered.read();
    EXPECT_TRUE(rank != root || std::ranges::equal(std::as_bytes(std::span(at_root)), expected))
        << options.tree;

    const Bytes before = memory.elements.read();
    memory.elements.write(Bytes(memory.bytes, 0x77));
    const Status decoded = cuda::decompress_rank(memory.mine, rank, *frame);
    EXPECT_TRUE(decoded.ok()) << decoded.message();
    EXPECT_TRUE(memory.elements.read() == before);
    EXPECT_TRUE(memory.elements.is_intact() && memory.frame.is_intact() && memory.workspace.is_intact() &&
                gathered.is_intact());
  });
}

TEST(Ranks, FrameOfTheCpu) {
  FLOE_NEEDS_DEVICE();
  const Ranks ranks;
  const std::uint64_t segment = 1 << 18, bytes = 13 * segment + 4808;
  expect_frame_of_cpu(ranks, test::walk(bytes), DType::f64, options_with("dpspeed", segment));
  expect_frame_of_cpu(ranks, test::walk(bytes), DType::f32, options_with("spratio", segment));
  for (const bool checksum : {true, false})
    expect_frame_of_cpu(ranks, test::repeats(bytes), DType::f64, options_with("dpratio", segment, checksum));
}

TEST(Ranks, LearnOfEachOthersFaults) {
  FLOE_NEEDS_DEVICE();
  const Ranks ranks;
  const Options options = options_with("dpspeed", 1 << 16);
  const Bytes content = test::walk(std::uint64_t{9} << 16);
  const Extent extent = Extent::linear(content.size() / 8);
  ranks.run([&](std::uint32_t rank, ncclComm* communicator) {
    RankMemory memory(content, rank, ranks.count(), DType::f64, options);
    const auto code = [&](const cuda::RankPart& part, const Extent& of) {
      return cuda::compress_rank(part, communicator, DType::f64, of, options).status().code;
    };
    cuda::RankPart part = memory.mine;
    if (rank == 0) part.part.frame_room = 1000;
    EXPECT_EQ(code(part, extent), ErrorCode::output_too_small) << rank;
    part = memory.mine;
    if (rank == 0)
      part.part.bytes -= std::uint64_t{1} << 16;  // the next part does not follow, or the last one ends early
    EXPECT_EQ(code(part, extent), ErrorCode::invalid_argument) << rank;
    EXPECT_EQ(code(memory.mine, extent), ErrorCode::ok) << rank;

    part = memory.mine;  // these are refused before anything is sent
    part.first_byte += 8;
    EXPECT_EQ(code(part, extent), ErrorCode::invalid_argument);
    EXPECT_EQ(code(memory.mine, Extent::linear(1)), ErrorCode::invalid_argument);
    part = memory.mine;
    part.part.workspace.bytes = *cuda::part_workspace_size(memory.bytes, DType::f64, options);
    EXPECT_EQ(code(part, extent), ErrorCode::invalid_argument);
    part = memory.mine;
    part.part.host_workspace = {memory.pinned.bytes().data(), memory.pinned.bytes().size() - 8};
    EXPECT_EQ(code(part, extent), ErrorCode::invalid_argument);
    EXPECT_EQ(cuda::compress_rank(memory.mine, nullptr, DType::f64, extent, options).status().code,
              ErrorCode::invalid_argument);
  });
}

}  // namespace
}  // namespace floe
