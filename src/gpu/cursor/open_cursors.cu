#include <new>

#include "floe/cursor.hpp"
#include "gpu/cursor/open_cursor.hpp"
#include "gpu/host/launch.hpp"

namespace floe::gpu {
namespace {

constexpr unsigned threads = 256;

struct CursorJob {
  const cuda::EncodedSegment* segments;
  std::uint64_t segment_count;
  DType type;
  Cursor* cursors;
  std::uint8_t* index;
  std::uint64_t index_bytes;
};

struct CursorMemory {
  CursorOpener opener;
  CursorTask tasks[CursorOpener::max_tasks];
  std::uint64_t sums[threads];
  unsigned task_count;
};
static_assert(sizeof(CursorMemory) <= 48 << 10);  // of static shared memory

__global__ void __launch_bounds__(threads) open_cursors(const __grid_constant__ CursorJob job) {
  // Constructed by thread 0; tasks are written before they are read.
  __shared__ alignas(CursorMemory) std::uint8_t raw[sizeof(CursorMemory)];
  CursorMemory& memory = *reinterpret_cast<CursorMemory*>(raw);
  for (std::uint64_t segment = blockIdx.x; segment < job.segment_count; segment += gridDim.x) {
    if (threadIdx.x == 0) {
      const cuda::EncodedSegment& packed = job.segments[segment];
      new (&memory.opener)
          CursorOpener(memory.tasks, {job.index + segment * job.index_bytes, job.index_bytes});
      memory.opener.open(packed.bytes, packed.byte_count, job.type, packed.word_count, job.cursors[segment]);
      memory.task_count = memory.opener.task_count();
    }
    __syncthreads();
    for (unsigned task = 0; task < memory.task_count; ++task)
      run_cursor_task(memory.tasks[task], threadIdx.x, threads, memory.sums, [] { __syncthreads(); });
    __syncthreads();
  }
}

}  // namespace
}  // namespace floe::gpu

namespace floe::cuda {

Status open_cursors_async(const EncodedSegment* segments, std::uint64_t segment_count, DType type,
                          Cursor* cursors, void* index, std::uint64_t index_bytes, cudaStream_t stream) {
  const bool is_time = type == DType::time;
  const auto words = is_time ? DType::i64 : static_cast<DType>(type);
  if (size_of(words) == 0) return {ErrorCode::invalid_argument, 0, "texts have no cursors"};
  if (index_bytes % 16 != 0)
    return {ErrorCode::invalid_argument, 0, "the bytes of an index are no multiple of 16"};
  if (segment_count == 0) return {};
  gpu::CudaCalls calls;
  const auto blocks = static_cast<std::uint32_t>(std::min<std::uint64_t>(segment_count, 1 << 16));
  const gpu::CursorJob job{segments,   segment_count, words, cursors, static_cast<std::uint8_t*>(index),
                           index_bytes};
  gpu::launch(calls, gpu::open_cursors, {blocks, gpu::threads, 0}, job, stream);
  return calls.status();
}

}  // namespace floe::cuda
