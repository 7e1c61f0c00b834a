#include "gpu/host/columns/gather_windows.hpp"

#include "core/bits.hpp"

namespace floe::gpu {
namespace {

constexpr unsigned threads = 256;
/// Of a batch: each thread has one word to ask for.
constexpr unsigned blocks = trees::planning_windows * trees::planning_window_words / threads;

template <class W>
__device__ void gather(const WindowsJob& job, std::uint64_t batch, std::uint64_t words,
                       std::uint64_t stride_words) {
  const auto* const from = reinterpret_cast<const W*>(job.words) + batch * job.batch_words;
  auto* const to = reinterpret_cast<W*>(job.windows) + batch * stride_words;
  constexpr std::uint64_t all = trees::planning_windows * trees::planning_window_words;
  const std::uint64_t at_hand = words < all ? words : all;
  const std::uint64_t i = blockIdx.x % blocks * threads + threadIdx.x;
  if (i >= at_hand) return;
  std::uint64_t offset = i;
  if (words > all) {
    const std::uint64_t window = i / trees::planning_window_words;
    offset = trees::window_place(words, trees::planning_window_words, trees::planning_windows, window) +
             i % trees::planning_window_words;
  }
  to[i] = from[offset];
}

__global__ void gather_windows(const __grid_constant__ WindowsJob job) {
  constexpr std::uint64_t all = trees::planning_windows * trees::planning_window_words;
  const std::uint64_t batch = blockIdx.x / blocks, first = batch * job.batch_words;
  const std::uint64_t words = job.count - first < job.batch_words ? job.count - first : job.batch_words;
  const std::uint64_t stride = job.batch_words < all ? job.batch_words : all;
  if (job.word_bytes == 8) return gather<std::uint64_t>(job, batch, words, stride);
  if (job.word_bytes == 4) return gather<std::uint32_t>(job, batch, words, stride);
  if (job.word_bytes == 2) return gather<std::uint16_t>(job, batch, words, stride);
  gather<std::uint8_t>(job, batch, words, stride);
}

}  // namespace

void gather_windows_async(CudaCalls& calls, const WindowsJob& job, cudaStream_t stream) {
  const std::uint64_t batches = core::divide_up(job.count, job.batch_words);
  launch(calls, gather_windows, {static_cast<std::uint32_t>(batches * blocks), threads, 0}, job, stream);
}

}  // namespace floe::gpu
