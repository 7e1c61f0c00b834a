#include "gpu/tie_segments.hpp"

#include <algorithm>

#include "cuda/block.cuh"
#include "cuda/geometry.hpp"
#include "format/digest.hpp"
#include "gpu/calls.hpp"

namespace floe::gpu {
namespace {

template <class Number>
__device__ Number get(const std::uint8_t* at) {
  return *reinterpret_cast<const Number*>(at);
}
template <class Number>
__device__ void put(std::uint8_t* at, Number number) {
  *reinterpret_cast<Number*>(at) = number;
}

/// A segment's head as the part's footer and its size place it; empty if that is impossible.
struct Head {
  std::uint8_t* bytes = nullptr;
  std::uint64_t count = 0;
  std::uint32_t chunks = 0;
};

__device__ Head find_head(const TieJob& job, std::uint64_t frame_bytes, std::uint32_t segment) {
  const std::uint64_t footer_bytes = format::fixed_footer_bytes + 8 * std::uint64_t{job.segment_count};
  const std::uint8_t* const footer = job.frame + frame_bytes - footer_bytes;
  const auto offset = get<std::uint64_t>(footer + 40 + 8 * std::uint64_t{segment});
  const cuda::FrameGeometry geometry{{job.chunks_per_segment, 0, job.checksums}, job.content_bytes};
  Head head;
  head.chunks = geometry.segment_chunks(segment);
  head.count = geometry.segment_head_bytes(segment);
  if (threadIdx.x == 0 && job.offsets != nullptr) job.offsets[segment] = offset;
  if (offset % format::alignment != 0 || offset > frame_bytes - footer_bytes || head.count > frame_bytes - footer_bytes - offset) return {};
  head.bytes = job.frame + offset;
  return head;
}

__global__ void __launch_bounds__(cuda::block_threads) tie(const __grid_constant__ TieJob job) {
  __shared__ cuda::BlockMemory memory;
  cuda::load_crc_tables(memory);
  __syncthreads();
  const std::uint64_t frame_bytes = job.result != nullptr ? job.result->bytes : job.frame_bytes;
  if (blockIdx.x == 0 && threadIdx.x == 0 && job.facts != nullptr && job.result != nullptr) job.facts->result = *job.result;
  if (job.result != nullptr && job.result->code != 0) return;
  for (std::uint32_t segment = blockIdx.x; segment < job.segment_count; segment += gridDim.x) {
    const Head head = find_head(job, frame_bytes, segment);
    if (head.bytes == nullptr) continue;
    const bool good = get<std::uint32_t>(head.bytes + 40) == job.from_header_crc &&
                      cuda::block_crc(memory, head.bytes, head.count - 4) == get<std::uint32_t>(head.bytes + head.count - 4);
    if (!good) continue;
    __syncthreads();
    std::uint64_t digest = 0;
    if (job.facts != nullptr && job.checksums) {
      const cuda::HeadLayout layout(head.chunks, job.checksums);
      for (std::uint32_t chunk = threadIdx.x; chunk < head.chunks; chunk += cuda::block_threads) {
        const std::uint64_t number = job.first_chunk + std::uint64_t{segment} * job.chunks_per_segment + chunk;
        digest += format::digest_term(number, get<std::uint32_t>(head.bytes + layout.checksums + 4 * chunk),
                                      get<std::uint16_t>(head.bytes + layout.stored_bytes + 2 * chunk), head.bytes[layout.modes + chunk]);
      }
      digest = cuda::block_scan(memory, digest).total;
    }
    if (threadIdx.x == 0) {
      if (job.facts != nullptr) atomicAdd(&job.facts->digest, digest);
      put(head.bytes + 8, get<std::uint64_t>(head.bytes + 8) + job.index_step);
      put(head.bytes + 40, job.to_header_crc);
    }
    __syncthreads();
    const std::uint32_t crc = cuda::block_crc(memory, head.bytes, head.count - 4);
    if (threadIdx.x == 0) put(head.bytes + head.count - 4, crc);
    __syncthreads();
  }
}

}  // namespace

Status tie_segments(const TieJob& job, cudaStream_t stream) {
  const std::uint32_t blocks = std::clamp<std::uint32_t>(job.segment_count, 1, 512);
  tie<<<blocks, cuda::block_threads, 0, stream>>>(job);
  return to_status(cudaGetLastError());
}

}  // namespace floe::gpu
