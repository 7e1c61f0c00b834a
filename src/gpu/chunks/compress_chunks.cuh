// Chunks to payloads at their position in the frame, in one pass over the content: the kernel, for any coder
// of this folder. Chunks publish their sizes as soon as they know them; one warp of the grid adds these up
// in their order, and publishes where each chunk ends. Thousands of warps that looked back at each other
// would ask for the same few lines of the cache.
#pragma once

#include "gpu/chunks/chunk_kernels.hpp"
#include "gpu/frames/job.hpp"
#include "gpu/warp/atomics.hpp"
#include "gpu/warp/block.hpp"
#include "gpu/warp/bulk_copy.cuh"
#include "gpu/warp/checksum.hpp"
#include "gpu/warp/device_block.cuh"

namespace floe::gpu {

/// The offsets of chunks among all payloads of a call.
struct ChunkOffsets {
  std::uint64_t* states;

  /// Publishes the padded size of a payload. One lane calls this.
  __device__ void publish_size(std::uint32_t chunk, std::uint32_t padded) const {
    write_state(states + chunk, OffsetState::aggregate | padded);
  }

  /// Waits for the padded bytes of all payloads up to the end of a chunk that has been taken.
  __device__ std::uint64_t wait_for_end(std::uint32_t chunk) const {
    std::uint64_t state = read_state(states + chunk);
    while (state < OffsetState::inclusive) {
      __nanosleep(20);
      state = read_state(states + chunk);
    }
    return state & OffsetState::number;
  }

  /// Adds up the sizes of all chunks, by one warp of the grid; of many at a time: every look takes long.
  __device__ void add_up(DeviceWarp warp, std::uint32_t chunk_count) const {
    constexpr unsigned rows = 4;
    std::uint64_t sum = 0;
    for (std::uint32_t base = 0; base < chunk_count;) {
      std::uint64_t state[rows];
      std::uint32_t inclusive[rows], known[rows];
#pragma unroll
      for (unsigned r = 0; r < rows; ++r) {
        const std::uint32_t chunk = base + r * warp_lanes + warp.lane();
        state[r] = chunk < chunk_count ? read_state(states + chunk) : 0;
      }
      bool gap = false;
#pragma unroll
      for (unsigned r = 0; r < rows; ++r) {
        const unsigned unknown = warp.ballot(state[r] == 0);
        known[r] = gap            ? 0
                   : unknown == 0 ? warp_lanes
                                  : static_cast<unsigned>(__ffs(static_cast<int>(unknown))) - 1;
        gap = gap || known[r] < warp_lanes;
        inclusive[r] = warp.lane() < known[r] ? low_half(state[r]) : 0;
      }
      inclusive_scans(warp, inclusive);
      std::uint32_t chunk = base + warp.lane();
#pragma unroll
      for (unsigned r = 0; r < rows; ++r, chunk += warp_lanes) {
        if (warp.lane() < known[r])
          write_state(states + chunk, OffsetState::inclusive | (sum + inclusive[r]));
        sum += warp.shuffle(inclusive[r], warp_lanes - 1);
        base += known[r];
      }
    }
  }
};

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

/// Neighbouring warps of a block that work on one chunk.
template <unsigned warps>
struct WarpGroup {
  unsigned number;  ///< Of the group in its block.
  unsigned own;     ///< Of this warp in the group.

  __device__ explicit WarpGroup(unsigned warp) : number(warp / warps), own(warp % warps) {}
  /// Waits for the other warps, and sees what they wrote. Barrier 0 is that of the block.
  __device__ void sync() const {
    asm volatile("bar.sync %0, %1;" ::"r"(1 + number), "n"(warps * warp_lanes) : "memory");
  }
};

/// What the kernel does before it may read what others wrote. Called by all threads; contains a barrier.
__device__ inline void begin_chunks(ChunkMemory& memory) {
  let_next_kernel_begin();
  load_weights(memory.weights);
  wait_for_kernel_before();
}

/// How far ahead of its chunk a warp prefetches, in 16ths of the chunks in work: measured on an H200. Nearer
/// chunks are being loaded already, farther ones push others out of the cache.
inline constexpr std::uint32_t prefetch_sixteenths = 10;

/// In the first block of a call to get here, adds up the sizes of all chunks with one warp, and returns true.
/// That block runs, so that nobody waits for one that does not. Called by all threads.
__device__ inline bool adds_up(const CompressJob& job) {
  __shared__ bool first;
  if (threadIdx.x == 0) first = atomicAdd(&job.counters->arrived, 1) == 0;
  __syncthreads();
  if (first && threadIdx.x < warp_lanes)
    ChunkOffsets{job.states}.add_up(DeviceWarp{}, job.counters->chunk_count);
  return first;
}

/// The last item whose `first(item)` is at most `number`.
template <class First>
__device__ CompressItem& item_with(const CompressJob& job, std::uint32_t number, const First& first) {
  return job.items[job.item_count == 1 ? 0 : find_owner(job.item_count, number, [&](std::uint64_t i) {
    return first(job.items[i]);
  })];
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
        item(item_with(of, ticket, [](const CompressItem& i) { return i.first_chunk; })),
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
  /// For the header of its segment. One lane calls this.
  __device__ void write_entry(std::uint32_t checksum, std::uint32_t stored, bool raw) const {
    const std::uint64_t mode = raw ? chunks::mode_raw : chunks::mode_coded;
    job.entries[chunk] = checksum | std::uint64_t{stored} << 32 | mode << 48;
  }
};

/// Encodes a chunk and starts to copy its payload to its position.
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
    // Not earlier: the others wait for this warp to publish the size of the chunk that it takes.
    ticket = take_ticket(warp, job.counters);
    copies.finish_store();
    ticket = warp.shuffle(ticket, 0);
  }
  copies.end();
}

}  // namespace floe::gpu
