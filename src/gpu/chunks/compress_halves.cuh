// The same as compress_chunks.cuh with two warps for a full chunk, for coders with halves
// (shared_chunks.hpp): twice as many warps for the chunks that shared memory has room for.
#pragma once

#include "gpu/chunks/compress_chunks.cuh"
#include "gpu/chunks/shared_chunks.hpp"

namespace floe::gpu {

/// Shared memory of a pair, and behind it a region for each warp.
template <class Coder>
struct PairMemory {
  using Halves = typename Coder::Halves;
  std::uint64_t offset;  ///< Of the payload in the frame.
  std::uint32_t ticket;
  std::uint32_t sums[core::ChecksumWeights::column_count];  ///< Of the columns of the first piece.
  alignas(16) typename Halves::Share share[2];

  static constexpr std::uint32_t own_bytes = 256;
  static constexpr std::uint32_t regions_bytes = 2 * Halves::region_bytes;
  static constexpr std::uint32_t bytes = ChunkMemory::warp_bytes(
      own_bytes + (regions_bytes > Coder::encode_bytes ? regions_bytes : Coder::encode_bytes));
};

/// Encodes this warp's half of a full chunk and starts to copy its piece of the payload to its position.
template <class Coder>
__device__ inline void compress_half(DeviceWarp warp, WarpGroup<2> pair, const TakenChunk& taken,
                                     const ChunkOffsets& offsets, WarpCopies& copies,
                                     PairMemory<Coder>& memory, std::uint8_t* regions,
                                     const ChecksumTables& weights, std::uint32_t prefetch_distance) {
  using Halves = typename Coder::Halves;
  const CompressJob& job = taken.job;
  std::uint8_t* const region = regions + pair.own * Halves::region_bytes;
  const std::uint8_t* const content = taken.content() + pair.own * half_chunk_bytes;
  const std::uint32_t lead = pair.own == 0 ? 0 : Halves::lead_bytes;
  copies.start_load(region + Halves::content_offset - lead, content - lead, half_chunk_bytes + lead);
  copies.finish_load();
  Halves::measure(warp, region, pair.own, job.dimensionality, memory.share[pair.own]);
  pair.sync();
  typename Halves::Plan plan;
  std::uint32_t stored = Halves::join(warp, memory.share, plan);
  const bool raw = stored == stored_raw;
  if (raw) stored = core::chunk_bytes;
  const std::uint32_t padded = padded32(stored), second_half = raw ? half_chunk_bytes : plan.second,
                      second = second_piece(second_half);
  if (pair.own == 0) {
    if (warp.lane() == 0) offsets.publish_size(taken.chunk, padded);
  } else {
    taken.prefetch(copies, prefetch_distance);
  }
  if (raw) {
    copies.start_load(region, content, half_chunk_bytes);
    copies.finish_load();
  } else {
    Halves::write(warp, region - pair.own * second, region, pair.own, plan);
  }
  warp.sync();
  pair.sync();
  if (pair.own == 1) complete_second_piece(warp, regions, region, second_half, stored);
  const std::uint32_t begin = pair.own == 0 ? 0 : second, end = pair.own == 0 ? second : padded;
  const std::uint32_t sum = job.rules.checksums ? column_sum(warp, region, begin, end, weights) : 0;
  const std::uint32_t column = lane_column(warp, begin);
  if (pair.own == 0) {
    memory.sums[column] = sum;
    const std::uint64_t offset = taken.wait_for_offset(offsets, padded);
    if (warp.lane() == 0) memory.offset = offset;
  }
  pair.sync();
  const std::uint64_t offset = memory.offset;
  if (begin < end && offset + padded <= taken.item.capacity)
    copies.start_store(taken.item.out + offset + begin, region, end - begin);
  if (pair.own == 0) return;  // it has the next chunk to take
  const std::uint32_t checksum =
      job.rules.checksums ? checksum_of_sums(warp, column, memory.sums[column] + sum, weights) : 0;
  if (warp.lane() == 0) taken.write_entry(checksum, stored, raw);
}

template <class Coder>
__global__ void __launch_bounds__(64 * Coder::Halves::max_pairs, 1)
    compress_halves(const __grid_constant__ CompressJob job) {
  extern __shared__ __align__(128) std::uint8_t shared[];
  auto& memory = *reinterpret_cast<ChunkMemory*>(shared);
  begin_chunks(memory);
  if (adds_up(job)) return;
  DeviceWarp warp;
  const unsigned pairs = blockDim.x / (2 * warp_lanes), warp_index = threadIdx.x / warp_lanes;
  const WarpGroup<2> pair(warp_index);
  std::uint8_t* const own = shared + ChunkMemory::fixed_bytes + pair.number * PairMemory<Coder>::bytes;
  auto& shares = *reinterpret_cast<PairMemory<Coder>*>(own);
  std::uint8_t* const regions = own + PairMemory<Coder>::own_bytes;
  const ChunkOffsets offsets{job.states};
  WarpCopies copies(warp, &memory.barriers[warp_index]);
  const std::uint32_t chunk_count = job.counters->chunk_count,
                      prefetch_distance = gridDim.x * pairs / 16 * prefetch_sixteenths;

  const auto next_ticket = [&] {
    std::uint32_t ticket = pair.own == 0 ? take_ticket(warp, job.counters) : 0;
    copies.finish_store();
    if (pair.own == 0 && warp.lane() == 0) shares.ticket = ticket;
    pair.sync();
    return shares.ticket;
  };
  std::uint32_t ticket = next_ticket();
  while (ticket < chunk_count) {
    const TakenChunk taken(job, ticket);
    if (taken.bytes() == core::chunk_bytes) {
      compress_half<Coder>(warp, pair, taken, offsets, copies, shares, regions, memory.weights,
                           prefetch_distance);
    } else {
      pair.sync();  // both have read the ticket
      if (pair.own == 0)
        compress_chunk<Coder>(warp, taken, offsets, copies, regions, memory.weights, prefetch_distance);
    }
    ticket = next_ticket();
  }
  copies.end();
}

}  // namespace floe::gpu
