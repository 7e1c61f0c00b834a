#include "gpu/frames/frame_kernels.hpp"

#include "gpu/frames/read_segments.cuh"
#include "gpu/frames/write_frames.cuh"
#include "gpu/warp/kernel_order.cuh"

namespace floe::cuda {

__global__ void __launch_bounds__(block_threads) set_up_compression(const __grid_constant__ CompressJob job) {
  let_next_kernel_begin();
  clear_places(job);
  if (blockIdx.x == 0) set_up(job);
}

__global__ void __launch_bounds__(block_threads) finish_frames(const __grid_constant__ CompressJob job) {
  __shared__ BlockMemory memory;
  load_crc_tables(memory);
  wait_for_kernel_before();
  __syncthreads();
  const std::uint32_t units = job.counters->unit_count;
  for (std::uint32_t unit = blockIdx.x; unit < units; unit += gridDim.x)
    finish_unit<WrittenSegment>(memory, job, unit);
}

__global__ void __launch_bounds__(block_threads) read_frames(const __grid_constant__ DecodeJob job) {
  let_next_kernel_begin();
  read_all_frames(job);
}

__global__ void __launch_bounds__(block_threads) read_segments(const __grid_constant__ DecodeJob job) {
  __shared__ BlockMemory memory;
  let_next_kernel_begin();
  load_crc_tables(memory);
  wait_for_kernel_before();
  __syncthreads();
  read_all_segments(memory, job);
}

std::uint32_t frame_kernel_threads() { return block_threads; }

FrameKernels frame_kernels() { return {set_up_compression, finish_frames, read_frames, read_segments}; }

}  // namespace floe::cuda
