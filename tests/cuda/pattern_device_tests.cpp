// Does every pattern of 32 bits come back from a device, as f32, in memory of the device all the way?
#include <cuda_runtime.h>

#include <cstdlib>
#include <string>

#include "tests/cuda/device_memory.hpp"
#include "tests/cuda/pattern_kernels.hpp"

namespace floe::test {
namespace {

constexpr const char* trees[] = {"spspeed", "spratio", "sortable,delta,bitpack", "sortable,delta,entropy",
                                 "decimal(2,4),delta,bitpack,bitpack,raw"};

/// The patterns (first + i) * factor for all i below `count`.
struct Piece {
  std::uint64_t count;
  std::uint32_t first, factor;
};

std::uint32_t* words_of(const DeviceMemory& memory) {
  return reinterpret_cast<std::uint32_t*>(memory.data());
}

/// Compresses `in` and decodes the frame to `out`.
void there_and_back(const char* tree, const DeviceMemory& in, const DeviceMemory& out) {
  const Extent extent = Extent::linear(in.size() / 4);
  Options options;
  options.tree = tree;
  options.profile = Profile::gpu;
  ASSERT_TRUE(cuda::supports(DType::f32, options));
  const cuda::FrameKind kind{DType::f32, tree};
  const DeviceMemory frame(max_compressed_size(DType::f32, extent, options).value()),
      workspace(std::max(cuda::compress_workspace_size(in.size(), 1, DType::f32, options).value(),
                         cuda::decompress_workspace_size(in.size(), 1, kind).value()));
  DeviceValue<cuda::ItemResult> made, read;
  Status status = cuda::compress_async({in.data(), in.size(), frame.data(), frame.size()}, DType::f32, extent,
                                       options, made.pointer(), workspace_of(workspace), nullptr);
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_EQ(made.get().code, 0u);
  status = cuda::decompress_async({frame.data(), made.get().bytes, out.data(), out.size()}, kind,
                                  read.pointer(), workspace_of(workspace), nullptr);
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_EQ(read.get().code, 0u);
  ASSERT_TRUE(frame.is_intact() && workspace.is_intact() && in.is_intact() && out.is_intact());
}

void expect_back(const Piece& piece, const DeviceMemory& in, const DeviceMemory& out) {
  write_patterns(words_of(in), piece.count, piece.first, piece.factor);
  for (const char* const tree : trees) {
    expect_cuda(cudaMemset(out.data(), 0x5A, out.size()));
    there_and_back(tree, in, out);
    DeviceValue<unsigned long long> others(0);
    count_other_patterns(words_of(out), piece.count, piece.first, piece.factor, others.pointer());
    ASSERT_EQ(others.get(), 0u) << tree << " from " << piece.first << " on, times " << piece.factor;
  }
}

/// A sample in ascending order and scattered; all of them, in both ways, if FLOE_EVERY_FLOAT is set.
TEST(DevicePatterns, OfFloats) {
  FLOE_NEEDS_DEVICE();
  const bool every = std::getenv("FLOE_EVERY_FLOAT") != nullptr;
  const std::size_t bits = every ? 32 : 16 + rounds(8);
  const std::uint64_t all = std::uint64_t{1} << bits, piece = every ? all / 16 : all;
  // Odd factors, with which no pattern comes twice; the first goes through all patterns in ascending order.
  const std::uint32_t ascending = every ? 1 : (1u << (32 - bits)) - 1, scattered = 2'654'435'761;
  const DeviceMemory in(piece * 4), out(piece * 4);
  std::uint64_t cases = 0;
  for (const std::uint32_t factor : {ascending, scattered}) {
    for (std::uint64_t first = 0; first < all; first += piece) {
      expect_back({piece, static_cast<std::uint32_t>(first), factor}, in, out);
      if (HasFatalFailure()) return;
      cases += piece * std::size(trees);
    }
  }
  RecordProperty("cases", std::to_string(cases));
}

}  // namespace
}  // namespace floe::test
