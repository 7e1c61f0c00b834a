// Kernels of the host's own: what the code was compiled for, results that the host waits for, windows that
// planners look at, and headers of segments that change frames.
#include <algorithm>

#include "core/bits.hpp"
#include "gpu/host/columns/gather_windows.hpp"
#include "gpu/host/launch.hpp"
#include "gpu/host/parts/part_jobs.hpp"
#include "gpu/warp/memory_access.hpp"

namespace floe::gpu {
namespace {

constexpr unsigned block_threads = 256, patch_threads = 128;

/// Windows of a column's batches, by the first blocks, and what lies before these.
struct GatherJob {
  const std::uint8_t* words;
  std::uint8_t *windows, *before;
  std::uint64_t count, batch_words;
  std::uint32_t word_bytes, window_blocks, stride_count;
  std::uint32_t stride[trees::max_window_strides];
};
/// Words that are gathered of a batch, of which each thread asks for one.
constexpr std::uint64_t gathered_words = trees::planning_windows * trees::planning_window_words;
constexpr unsigned batch_blocks = gathered_words / block_threads;

__global__ void publish_words(const std::uint64_t* from, std::uint64_t* to, std::uint64_t count) {
  for (std::uint64_t i = threadIdx.x; i < count; i += blockDim.x) to[i] = from[i];
  __threadfence_system();
}

/// The same of what lies before windows; each stride's words are a multiple of a block's threads.
constexpr std::uint64_t before_words = trees::SegmentWindows::words_before(1);
constexpr unsigned before_blocks = before_words / block_threads;
static_assert(before_words % block_threads == 0);

__device__ void gather_word_before(const GatherJob& job, std::uint32_t block) {
  const std::uint64_t batch = block / (before_blocks * job.stride_count),
                      of_batch = block % (before_blocks * job.stride_count),
                      number = of_batch / before_blocks,
                      i = of_batch % before_blocks * block_threads + threadIdx.x;
  const std::uint64_t first = batch * job.batch_words,
                      words = job.count - first < job.batch_words ? job.count - first : job.batch_words,
                      stride = job.stride[number];
  if (!trees::SegmentWindows::has_before(words, stride)) return;
  const std::uint64_t from = first + trees::SegmentWindows::position_before(words, stride, i),
                      to = (batch * job.stride_count + number) * before_words + i;
  with_word_of(job.word_bytes, [&]<class W>(W) {
    reinterpret_cast<W*>(job.before)[to] = reinterpret_cast<const W*>(job.words)[from];
  });
}

__device__ void gather_word(const GatherJob& job, std::uint32_t block) {
  const std::uint64_t batch = block / batch_blocks, first = batch * job.batch_words;
  const std::uint64_t words = job.count - first < job.batch_words ? job.count - first : job.batch_words,
                      i = block % batch_blocks * block_threads + threadIdx.x;
  if (i >= words || i >= gathered_words) return;
  const std::uint64_t window = i / trees::planning_window_words,
                      to = batch * (job.batch_words < gathered_words ? job.batch_words : gathered_words) + i;
  std::uint64_t from = first + i;
  if (words > gathered_words)
    from = first +
           trees::window_position(words, trees::planning_window_words, trees::planning_windows, window) +
           i % trees::planning_window_words;
  with_word_of(job.word_bytes, [&]<class W>(W) {
    reinterpret_cast<W*>(job.windows)[to] = reinterpret_cast<const W*>(job.words)[from];
  });
}

__global__ void gather_windows(const __grid_constant__ GatherJob job) {
  if (blockIdx.x < job.window_blocks) {
    gather_word(job, blockIdx.x);
  } else {
    gather_word_before(job, blockIdx.x - job.window_blocks);
  }
}

__global__ void __launch_bounds__(patch_threads) patch(const __grid_constant__ PatchJob job) {
  const std::uint32_t segment = blockIdx.x * patch_threads + threadIdx.x;
  if (segment >= job.segment_count || (job.result != nullptr && job.result->code != 0)) return;
  patch_segment(job, segment);
}

}  // namespace

int compiled_capability(CudaCalls& calls) {
  cudaFuncAttributes attributes{};
  calls.check(cudaFuncGetAttributes(&attributes, publish_words));
  return attributes.ptxVersion;  // of the virtual architecture, also where machine code is loaded
}

Status publish(const std::uint8_t* from, std::uint8_t* to, std::uint64_t bytes, cudaStream_t stream) {
  publish_words<<<1, block_threads, 0, stream>>>(reinterpret_cast<const std::uint64_t*>(from),
                                                 reinterpret_cast<std::uint64_t*>(to), bytes / 8);
  return to_status(cudaGetLastError());
}

void gather_windows_async(CudaCalls& calls, const WindowsJob& job, cudaStream_t stream) {
  const std::uint64_t batches = core::divide_up(job.count, job.batch_words);
  const auto strides = job.strides.get();
  GatherJob all{job.words,
                job.windows,
                job.before,
                job.count,
                job.batch_words,
                job.word_bytes,
                static_cast<std::uint32_t>(batches * batch_blocks),
                static_cast<std::uint32_t>(strides.size()),
                {}};
  std::copy(strides.begin(), strides.end(), all.stride);
  const std::uint64_t blocks = all.window_blocks + batches * before_blocks * strides.size();
  launch(calls, gather_windows, {static_cast<std::uint32_t>(blocks), block_threads, 0}, all, stream);
}

Status patch_segment_headers(const PatchJob& job, cudaStream_t stream) {
  if (job.segment_count == 0) return {};
  const std::uint32_t blocks = (job.segment_count + patch_threads - 1) / patch_threads;
  patch<<<blocks, patch_threads, 0, stream>>>(job);
  return to_status(cudaGetLastError());
}

}  // namespace floe::gpu
