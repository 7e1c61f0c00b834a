#include "gpu/host/parts/patch_segment_headers.hpp"

#include "gpu/host/calls.hpp"

namespace floe::gpu {
namespace {

constexpr unsigned block_threads = 128;

__global__ void __launch_bounds__(block_threads) patch(const __grid_constant__ PatchJob job) {
  const std::uint32_t segment = blockIdx.x * block_threads + threadIdx.x;
  if (segment >= job.segment_count || (job.result != nullptr && job.result->code != 0)) return;
  patch_segment(job, segment);
}

}  // namespace

Status patch_segment_headers(const PatchJob& job, cudaStream_t stream) {
  if (job.segment_count == 0) return {};
  const std::uint32_t blocks = (job.segment_count + block_threads - 1) / block_threads;
  patch<<<blocks, block_threads, 0, stream>>>(job);
  return to_status(cudaGetLastError());
}

}  // namespace floe::gpu
