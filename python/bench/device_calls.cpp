// How long do the calls of floe/cuda.hpp take that floe.cuda makes? device_calls FILE DTYPE CODEC COPIES
// RUNS: the array is the file, so many times; CODEC may be "planned". Prints the best seconds of compress and
// decompress, with memory that is there, until their results are known on the host.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "floe/cuda.hpp"

namespace {

using floe::cuda::ItemResult;

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

void* device_memory(std::uint64_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes + 256));
  return memory;
}

template <class Call>
double best_seconds(int runs, Call&& call) {
  double best = 1e9;
  for (int run = -2; run < runs; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    if (run >= 0) best = std::min(best, time.count());
  }
  return best;
}

}  // namespace

int main(int count, char** words) {
  if (count != 6) return 2;
  std::ifstream file(words[1], std::ios::binary);
  const std::vector<char> part{std::istreambuf_iterator<char>(file), {}};
  const floe::DType dtype = floe::dtype_from_name(words[2]).value();
  const std::string codec = words[3];
  const std::uint64_t copies = std::strtoull(words[4], nullptr, 10), bytes = copies * part.size();
  const int runs = std::atoi(words[5]);
  const floe::Extent extent = floe::Extent::linear(bytes / floe::size_of(dtype));
  floe::Options options;
  options.profile = floe::Profile::gpu;
  if (codec != "planned") options.tree = codec;

  auto* const array = static_cast<char*>(device_memory(bytes));
  for (std::uint64_t i = 0; i < copies; ++i)
    check(cudaMemcpy(array + i * part.size(), part.data(), part.size(), cudaMemcpyHostToDevice));
  const std::uint64_t room = floe::max_compressed_size(dtype, extent, options).value();
  void* const frame = device_memory(room);
  auto* const result = static_cast<ItemResult*>(device_memory(sizeof(ItemResult)));
  ItemResult* told = nullptr;
  check(cudaHostAlloc(reinterpret_cast<void**>(&told), sizeof *told, cudaHostAllocDefault));
  const auto finish = [&] {
    check(cudaMemcpyAsync(told, result, sizeof *told, cudaMemcpyDeviceToHost, nullptr));
    check(cudaStreamSynchronize(nullptr));
    if (told->code != 0) throw std::runtime_error(floe::name_of(static_cast<floe::ErrorCode>(told->code)));
  };

  std::optional<floe::cuda::PlannedEncoder> encoder;
  floe::cuda::Workspace workspace;
  if (codec == "planned") {
    const std::uint64_t batch = (std::uint64_t{256} << 20) / floe::size_of(dtype);
    encoder.emplace(
        floe::cuda::PlannedEncoder::create(dtype, extent.size[0], floe::cuda::usual_segment_words, batch)
            .value());
  } else {
    workspace.bytes = floe::cuda::compress_workspace_size(bytes, 1, dtype, options).value();
    workspace.data = device_memory(workspace.bytes);
  }
  const double compress = best_seconds(runs, [&] {
    if (encoder) {
      encoder->forget();
      encoder->compress({array, bytes, frame, room}, dtype, extent, options, result, nullptr).or_throw();
    } else {
      floe::cuda::compress_async({array, bytes, frame, room}, dtype, extent, options, result, workspace,
                                 nullptr)
          .or_throw();
    }
    finish();
  });
  const std::uint64_t frame_bytes = told->bytes;
  const floe::cuda::FrameKind kind{dtype, options.tree, 0};
  workspace.bytes = floe::cuda::decompress_workspace_size(bytes, 1, kind).value();
  workspace.data = device_memory(workspace.bytes);
  const double decompress = best_seconds(runs, [&] {
    floe::cuda::decompress_async({frame, frame_bytes, array, bytes}, kind, result, workspace, nullptr)
        .or_throw();
    finish();
  });
  std::printf("%.7f %.7f\n", compress, decompress);
  return 0;
}
