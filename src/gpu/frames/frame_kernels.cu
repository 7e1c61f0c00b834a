// The kernels around the chunks of frames.
#include "gpu/frames/frame_block.cuh"
#include "gpu/frames/read_segments.hpp"
#include "gpu/frames/write_frames.hpp"

namespace floe::gpu {
namespace {

/// Zeroes what look-back reads; all blocks share the work.
__device__ void clear_states(const CompressJob& job) {
  auto* const begin = reinterpret_cast<uint4*>(job.states);
  const std::uint64_t count = job.states_bytes / sizeof(uint4);
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * frame_threads + threadIdx.x; i < count;
       i += std::uint64_t{gridDim.x} * frame_threads)
    begin[i] = uint4{};
}

__global__ void __launch_bounds__(frame_threads) set_up_compression(const __grid_constant__ CompressJob job) {
  FrameBlock block;
  let_next_kernel_begin();
  clear_states(job);
  if (blockIdx.x == 0) set_up(block, job);
}

__global__ void __launch_bounds__(frame_threads) finish_frames(const __grid_constant__ CompressJob job) {
  FrameBlock block;
  load_crc_tables(block);
  wait_for_kernel_before();
  block.sync();
  const std::uint32_t units = job.counters->unit_count;
  for (std::uint32_t unit = blockIdx.x; unit < units; unit += gridDim.x)
    finish_leaf<WrittenSegment>(block, job, unit);
}

using StreamBlock = DeviceBlock<FrameMemory, stream_threads>;

__global__ void __launch_bounds__(stream_threads, stream_blocks_per_multiprocessor)
    finish_streams(const __grid_constant__ CompressJob job) {
  StreamBlock block;
  load_crc_tables(block);
  wait_for_kernel_before();
  block.sync();
  finish_streams_of(block, job, blockIdx.x, gridDim.x);
}

__global__ void __launch_bounds__(frame_threads) read_frames(const __grid_constant__ DecodeJob job) {
  FrameBlock block;
  let_next_kernel_begin();
  load_crc_tables(block);
  block.sync();
  for (std::uint64_t i = blockIdx.x; i < job.item_count; i += gridDim.x) read_item(block, job, i);
  block.sync();
  if (gridDim.x == 1 || is_last_of(block, &job.counters->arrived, gridDim.x)) number_items(block, job);
}

__global__ void __launch_bounds__(frame_threads) read_segments(const __grid_constant__ DecodeJob job) {
  FrameBlock block;
  let_next_kernel_begin();
  wait_for_kernel_before();
  const std::uint32_t units = job.counters->unit_count;
  const std::uint32_t shares = units == 0 ? 1 : min(max(gridDim.x / units, 1), max_segment_shares);
  for (std::uint32_t work = blockIdx.x; work < units * shares; work += gridDim.x)
    read_segment(block, job, work / shares, work % shares, shares);
}

__global__ void __launch_bounds__(reading_threads, reading_blocks_per_multiprocessor)
    read_streams(const __grid_constant__ DecodeJob job) {
  DeviceBlock<FrameMemory, reading_threads> block;
  let_next_kernel_begin();
  wait_for_kernel_before();
  const std::uint32_t units = job.counters->unit_count;
  for (std::uint32_t unit = blockIdx.x; unit < job.unit_capacity; unit += gridDim.x) {
    if (unit < units) {
      read_stream(block, job, unit);
    } else if (block.rank() == 0) {
      job.streams[unit] = {};
    }
  }
}

}  // namespace

FrameKernels frame_kernels() {
  return {set_up_compression, finish_frames, finish_streams, read_frames, read_segments, read_streams};
}

}  // namespace floe::gpu
