// Chunks to payloads in their place in the frame, in one pass over the content: the kernel, for any coder of src/backend/cuda.
#pragma once

#include "backend/cuda/checksum.hpp"
#include "cuda/block.cuh"
#include "cuda/bulk_copy.cuh"
#include "cuda/look_back.cuh"

namespace floe::cuda {

static __device__ const core::ChecksumWeights device_weights = core::make_checksum_weights();

/// Shared memory of a block: the checksum's weights, barriers, and a buffer for each warp.
struct ChunkMemory {
  static constexpr std::uint32_t most_warps = 16;
  core::ChecksumWeights weights;
  std::uint64_t barriers[most_warps];

  static constexpr std::uint32_t fixed_bytes = 1536;
  /// Of one warp, a multiple of 128.
  static constexpr std::uint32_t warp_bytes(std::uint32_t coder_bytes) { return (coder_bytes + 127) / 128 * 128; }
};
static_assert(sizeof(ChunkMemory) <= ChunkMemory::fixed_bytes);

/// Fills in the weights. Called by all threads of the block; contains a barrier.
__device__ inline void load_weights(core::ChecksumWeights& weights) {
  constexpr unsigned words = sizeof(core::ChecksumWeights) / 4;
  for (unsigned i = threadIdx.x; i < words; i += blockDim.x)
    reinterpret_cast<std::uint32_t*>(&weights)[i] = reinterpret_cast<const std::uint32_t*>(&device_weights)[i];
  __syncthreads();
}

__device__ inline std::uint32_t take_ticket(DeviceWarp warp, Counters* counters) {
  return warp.lane() == 0 ? atomicAdd(&counters->ticket, 1) : 0;
}

/// How far ahead of its chunk a warp prefetches, in 16ths of the chunks in work: measured on an H200. Nearer chunks are being loaded
/// already, farther ones push others out of the cache.
inline constexpr std::uint32_t prefetch_sixteenths = 10;

template <class Coder>
__global__ void __launch_bounds__(32 * Coder::most_warps, 1) compress_chunks(const __grid_constant__ CompressJob job) {
  extern __shared__ __align__(128) std::uint8_t shared[];
  auto& memory = *reinterpret_cast<ChunkMemory*>(shared);
  load_weights(memory.weights);
  DeviceWarp warp;
  const unsigned warp_index = threadIdx.x / warp_lanes;
  std::uint8_t* const buffer = shared + ChunkMemory::fixed_bytes + warp_index * ChunkMemory::warp_bytes(Coder::encode_bytes);
  std::uint8_t* const payload = buffer + Coder::payload_offset;
  WarpCopies copies(warp, &memory.barriers[warp_index]);
  const ChunkPlaces places{job.states, job.groups};
  const std::uint32_t chunk_count = job.counters->chunk_count;

  std::uint32_t ticket = warp.shuffle(take_ticket(warp, job.counters), 0);
  while (ticket < chunk_count) {
    const std::uint32_t chunk = ticket;
    const CompressItem& item =
        job.items[job.item_count == 1 ? 0 : find_owner(job.item_count, chunk, [&](std::uint64_t i) { return job.items[i].first_chunk; })];
    const std::uint32_t first_chunk = item.first_chunk;
    const FrameGeometry geometry{job.rules, item.content_bytes};
    const std::uint32_t chunk_bytes = geometry.chunk_bytes(chunk - first_chunk);
    const std::uint8_t* const content = item.in + std::uint64_t{chunk - first_chunk} * core::chunk_bytes;
    copies.start_load(buffer + Coder::content_offset, content, chunk_bytes);
    copies.finish_load();

    typename Coder::Plan plan;
    std::uint32_t stored = Coder::measure(warp, buffer, chunk_bytes, job.dimensionality, plan);
    const bool raw = stored == stored_raw;
    if (raw) stored = chunk_bytes;
    const std::uint32_t padded = padded32(stored);
    if (warp.lane() == 0) places.tell_size(chunk, padded);
    const std::uint32_t ahead = chunk - first_chunk + gridDim.x * (blockDim.x / warp_lanes) / 16 * prefetch_sixteenths;
    if (ahead < geometry.chunk_count()) copies.prefetch(item.in + std::uint64_t{ahead} * core::chunk_bytes, geometry.chunk_bytes(ahead));
    if (raw) {
      copies.start_load(payload, content, chunk_bytes);
      copies.finish_load();
    } else {
      Coder::write(warp, buffer, chunk_bytes, plan);
    }
    if (stored + warp.lane() < padded) payload[stored + warp.lane()] = 0;
    warp.sync();
    const std::uint32_t checksum = job.rules.checksums ? payload_checksum(warp, payload, padded, memory.weights) : 0;

    const std::uint64_t before = places.sum_before(warp, chunk);
    if (warp.lane() == 0) places.tell_end(chunk, before + padded);
    const std::uint64_t before_item = first_chunk == 0 ? 0 : chunk == first_chunk ? before : places.wait_for_end(first_chunk - 1);
    const std::uint64_t offset = geometry.payload_offset(chunk - first_chunk, before - before_item);
    if (offset + padded <= item.capacity) copies.start_store(item.out + offset, payload, padded);
    if (warp.lane() == 0) {
      const std::uint64_t mode = raw ? format::mode_raw : format::mode_coded;
      job.entries[chunk] = checksum | std::uint64_t{stored} << 32 | mode << 48;
    }
    // Not earlier: the others wait for this warp to tell the size of the chunk that it takes.
    ticket = take_ticket(warp, job.counters);
    copies.finish_store();
    ticket = warp.shuffle(ticket, 0);
  }
  copies.end();
}

}  // namespace floe::cuda
