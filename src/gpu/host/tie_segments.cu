#include "gpu/host/tie_segments.hpp"

#include <algorithm>

#include "container/digest.hpp"
#include "gpu/frames/geometry.hpp"
#include "gpu/host/calls.hpp"
#include "gpu/warp/block.cuh"

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
  if (threadIdx.x == 0 && job.offsets != nullptr) job.offsets[segment] = offset;
  if (offset % format::alignment != 0 || offset > frame_bytes - footer_bytes) return {};
  const std::uint64_t room = frame_bytes - footer_bytes - offset;
  if (room < format::fixed_segment_head_bytes) return {};
  const std::uint8_t kind = job.history && job.frame[offset + 36] == format::kind_history
                                ? format::kind_history
                                : format::kind_content;
  Head head;
  head.chunks =
      static_cast<std::uint32_t>(core::divide_up(geometry.segment_bytes(segment) << kind, core::chunk_bytes));
  head.count = cuda::head_bytes_of(head.chunks, job.checksums);
  if (head.count > room) return {};
  head.bytes = job.frame + offset;
  return head;
}

/// This thread's share of a segment's digest.
__device__ std::uint64_t digest_share(const TieJob& job, const Head& head, std::uint64_t first_number) {
  const cuda::HeadLayout layout(head.chunks, job.checksums);
  std::uint64_t digest = 0;
  for (std::uint32_t chunk = threadIdx.x; chunk < head.chunks; chunk += cuda::block_threads) {
    digest += format::digest_term(
        first_number + chunk, get<std::uint32_t>(head.bytes + layout.checksums + 4 * chunk),
        get<std::uint16_t>(head.bytes + layout.stored_bytes + 2 * chunk), head.bytes[layout.modes + chunk]);
  }
  return digest;
}

__global__ void __launch_bounds__(cuda::block_threads) tie(const __grid_constant__ TieJob job) {
  __shared__ cuda::BlockMemory memory;
  cuda::load_crc_tables(memory);
  __syncthreads();
  const std::uint64_t frame_bytes = job.result != nullptr ? job.result->bytes : job.frame_bytes;
  if (blockIdx.x == 0 && threadIdx.x == 0 && job.facts != nullptr && job.result != nullptr)
    job.facts->result = *job.result;
  if (job.result != nullptr && job.result->code != 0) return;
  for (std::uint32_t segment = blockIdx.x; segment < job.segment_count; segment += gridDim.x) {
    const Head head = find_head(job, frame_bytes, segment);
    if (head.bytes == nullptr) continue;
    const bool good = get<std::uint32_t>(head.bytes + 40) == job.from_header_crc &&
                      cuda::block_crc(memory, head.bytes, head.count - 4) ==
                          get<std::uint32_t>(head.bytes + head.count - 4);
    if (!good) continue;
    __syncthreads();
    std::uint64_t digest = 0;
    if (job.facts != nullptr && job.checksums && !job.history) {
      const std::uint64_t first_number = job.first_chunk + std::uint64_t{segment} * job.chunks_per_segment;
      digest = cuda::block_scan(memory, digest_share(job, head, first_number)).total;
    }
    if (threadIdx.x == 0) {
      if (job.facts != nullptr) {
        atomicAdd(&job.facts->digest, digest);
        atomicAdd(&job.facts->chunks, std::uint64_t{head.chunks});
      }
      put(head.bytes + 8, get<std::uint64_t>(head.bytes + 8) + job.index_step);
      put(head.bytes + 40, job.to_header_crc);
    }
    __syncthreads();
    const std::uint32_t crc = cuda::block_crc(memory, head.bytes, head.count - 4);
    if (threadIdx.x == 0) put(head.bytes + head.count - 4, crc);
    __syncthreads();
  }
}

__global__ void __launch_bounds__(cuda::block_threads) add_up(const __grid_constant__ TieJob job) {
  __shared__ cuda::BlockMemory memory;
  const std::uint64_t frame_bytes = job.result->bytes;
  for (std::uint32_t segment = blockIdx.x; segment < job.segment_count; segment += gridDim.x) {
    std::uint64_t before = 0;
    for (std::uint32_t s = threadIdx.x; s < segment; s += cuda::block_threads)
      before += find_head(job, frame_bytes, s).chunks;
    const std::uint64_t first_number = job.first_chunk + cuda::block_scan(memory, before).total;
    const Head head = find_head(job, frame_bytes, segment);
    const std::uint64_t digest =
        cuda::block_scan(memory, head.bytes == nullptr ? 0 : digest_share(job, head, first_number)).total;
    if (threadIdx.x == 0) atomicAdd(&job.facts->digest, digest);
  }
}

}  // namespace

Status add_up_digest(const TieJob& job, cudaStream_t stream) {
  add_up<<<std::clamp<std::uint32_t>(job.segment_count, 1, 512), cuda::block_threads, 0, stream>>>(job);
  return to_status(cudaGetLastError());
}

Status tie_segments(const TieJob& job, cudaStream_t stream) {
  const std::uint32_t blocks = std::clamp<std::uint32_t>(job.segment_count, 1, 512);
  tie<<<blocks, cuda::block_threads, 0, stream>>>(job);
  return to_status(cudaGetLastError());
}

}  // namespace floe::gpu
