// Chunks to payloads in their place in the frame, in one pass over the content: the kernel, for any coder of
// src/backend/cuda.
#pragma once

#include "gpu/chunks/chunk_kernels.hpp"
#include "gpu/chunks/chunk_offsets.cuh"
#include "gpu/warp/block.hpp"
#include "gpu/warp/bulk_copy.cuh"
#include "gpu/warp/checksum.hpp"
#include "gpu/warp/kernel_order.cuh"

namespace floe::gpu {

/// Shared memory of a block: the checksum's weights, barriers, and a buffer for each warp.
struct ChunkMemory {
  static constexpr std::uint32_t max_warps = 32;
  ChecksumTables weights;
  std::uint64_t barriers[max_warps];

  static constexpr std::uint32_t fixed_bytes = chunk_kernel_fixed_bytes;
  /// Of one warp, a multiple of 128.
  static constexpr std::uint32_t warp_bytes(std::uint32_t coder_bytes) {
    return (coder_bytes + 127) / 128 * 128;
  }
};
static_assert(sizeof(ChunkMemory) <= ChunkMemory::fixed_bytes);

/// Fills in the weights. Called by all threads of the block; contains a barrier.
__device__ inline void load_weights(ChecksumTables& weights) {
  constexpr unsigned words = sizeof(ChecksumTables) / 4;
  for (unsigned i = threadIdx.x; i < words; i += blockDim.x)
    reinterpret_cast<std::uint32_t*>(&weights)[i] =
        reinterpret_cast<const std::uint32_t*>(&checksum_tables)[i];
  __syncthreads();
}

__device__ inline std::uint32_t take_ticket(DeviceWarp warp, Counters* counters) {
  return warp.lane() == 0 ? atomicAdd(&counters->ticket, 1) : 0;
}

/// What the kernel does before it may read what others wrote. Called by all threads; contains a barrier.
__device__ inline void begin_chunks(ChunkMemory& memory) {
  let_next_kernel_begin();
  load_weights(memory.weights);
  wait_for_kernel_before();
}

/// How far ahead of its chunk a warp prefetches, in 16ths of the chunks in work: measured on an H200. Nearer
/// chunks are being loaded already, farther ones push others out of the cache.
inline constexpr std::uint32_t prefetch_sixteenths = 10;

/// In the first block of a call to get here: adds up the sizes of all chunks, with one warp that shares its
/// multiprocessor with nobody, and returns true. That block runs, so that nobody waits for one that does not.
/// Called by all threads.
__device__ inline bool adds_up(const CompressJob& job) {
  __shared__ bool first;
  if (threadIdx.x == 0) first = atomicAdd(&job.counters->arrived, 1) == 0;
  __syncthreads();
  if (first && threadIdx.x < warp_lanes)
    ChunkOffsets{job.states}.add_up(DeviceWarp{}, job.counters->chunk_count);
  return first;
}

/// A chunk of content that a warp has taken, of one of the items.
struct TakenChunk {
  const CompressJob& job;
  const CompressItem& item;
  FrameGeometry geometry;
  std::uint32_t chunk;   ///< Among those of all items.
  std::uint32_t number;  ///< In its item.

  __device__ TakenChunk(const CompressJob& of, std::uint32_t ticket)
      : job(of),
        item(of.items[of.item_count == 1
                          ? 0
                          : find_owner(of.item_count, ticket,
                                       [&](std::uint64_t i) { return of.items[i].first_chunk; })]),
        geometry{of.rules, item.content_bytes},
        chunk(ticket),
        number(ticket - item.first_chunk) {}

  __device__ std::uint32_t bytes() const { return geometry.chunk_bytes(number); }
  __device__ const std::uint8_t* content() const {
    return item.in + std::uint64_t{number} * core::chunk_bytes;
  }

  /// Prefetches the chunk that is `distance` ahead in the same item.
  __device__ void prefetch(WarpCopies& copies, std::uint32_t distance) const {
    const std::uint32_t ahead = number + distance;
    if (ahead < geometry.chunk_count())
      copies.prefetch(item.in + std::uint64_t{ahead} * core::chunk_bytes, geometry.chunk_bytes(ahead));
  }
  /// Waits for the sizes of the chunks before. Returns the payload's offset in the frame.
  __device__ std::uint64_t wait_for_offset(const ChunkOffsets& offsets, std::uint32_t padded) const {
    const std::uint64_t end = offsets.wait_for_end(chunk);
    const std::uint32_t first = item.first_chunk;
    const std::uint64_t end_of_items_before = first == 0 ? 0 : offsets.wait_for_end(first - 1);
    return geometry.payload_offset(number, end - padded - end_of_items_before);
  }
  /// For the head of its segment. One lane calls this.
  __device__ void write_entry(std::uint32_t checksum, std::uint32_t stored, bool raw) const {
    const std::uint64_t mode = raw ? chunks::mode_raw : chunks::mode_coded;
    job.entries[chunk] = checksum | std::uint64_t{stored} << 32 | mode << 48;
  }
};

/// Encodes a chunk and starts to copy its payload to its place.
template <class Coder>
__device__ inline void compress_chunk(DeviceWarp warp, const TakenChunk& taken, const ChunkOffsets& offsets,
                                      WarpCopies& copies, std::uint8_t* buffer, const ChecksumTables& weights,
                                      std::uint32_t prefetch_distance) {
  const CompressJob& job = taken.job;
  const std::uint32_t chunk_bytes = taken.bytes();
  std::uint8_t* const payload = buffer + Coder::payload_offset;
  copies.start_load(buffer + Coder::content_offset, taken.content(), chunk_bytes);
  copies.finish_load();
  typename Coder::Plan plan;
  std::uint32_t stored = Coder::measure(warp, buffer, chunk_bytes, job.dimensionality, plan);
  const bool raw = stored == stored_raw;
  if (raw) stored = chunk_bytes;
  const std::uint32_t padded = padded32(stored);
  if (warp.lane() == 0) offsets.publish_size(taken.chunk, padded);
  taken.prefetch(copies, prefetch_distance);
  if (raw) {
    copies.start_load(payload, taken.content(), chunk_bytes);
    copies.finish_load();
  } else {
    Coder::write(warp, buffer, chunk_bytes, plan);
  }
  if (stored + warp.lane() < padded) payload[stored + warp.lane()] = 0;
  warp.sync();
  const std::uint32_t checksum = job.rules.checksums ? payload_checksum(warp, payload, padded, weights) : 0;
  const std::uint64_t offset = taken.wait_for_offset(offsets, padded);
  if (offset + padded <= taken.item.capacity) copies.start_store(taken.item.out + offset, payload, padded);
  if (warp.lane() == 0) taken.write_entry(checksum, stored, raw);
}

template <class Coder>
__global__ void __launch_bounds__(32 * Coder::max_warps, 1)
    compress_chunks(const __grid_constant__ CompressJob job) {
  extern __shared__ __align__(128) std::uint8_t shared[];
  auto& memory = *reinterpret_cast<ChunkMemory*>(shared);
  begin_chunks(memory);
  if (adds_up(job)) return;
  DeviceWarp warp;
  const unsigned warps = blockDim.x / warp_lanes, warp_index = threadIdx.x / warp_lanes;
  std::uint8_t* const buffer =
      shared + ChunkMemory::fixed_bytes + warp_index * ChunkMemory::warp_bytes(Coder::encode_bytes);
  WarpCopies copies(warp, &memory.barriers[warp_index]);
  const ChunkOffsets offsets{job.states};
  const std::uint32_t chunk_count = job.counters->chunk_count,
                      prefetch_distance = gridDim.x * warps / 16 * prefetch_sixteenths;

  std::uint32_t ticket = warp.shuffle(take_ticket(warp, job.counters), 0);
  while (ticket < chunk_count) {
    compress_chunk<Coder>(warp, {job, ticket}, offsets, copies, buffer, memory.weights, prefetch_distance);
    // Not earlier: the others wait for this warp to tell the size of the chunk that it takes.
    ticket = take_ticket(warp, job.counters);
    copies.finish_store();
    ticket = warp.shuffle(ticket, 0);
  }
  copies.end();
}

}  // namespace floe::gpu
