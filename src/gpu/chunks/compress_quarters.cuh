// As compress_chunks.cuh, with four warps for a full chunk, for coders with quarters (shared_chunks.hpp).
#pragma once

#include "gpu/chunks/compress_chunks.cuh"
#include "gpu/chunks/shared_chunks.hpp"

namespace floe::gpu {

/// Shared memory of a group; behind it a buffer for its chunk.
template <class Coder, class Quarters>
struct QuarterMemory {
  std::uint32_t sums[quarters][core::ChecksumWeights::column_count];  ///< Of the quarters of a payload.
  std::uint32_t ticket;                                               ///< The chunk that is worked on.
  typename Quarters::Share share[quarters];

  static constexpr std::uint32_t own_bytes = 640;
  static constexpr std::uint32_t bytes = ChunkMemory::warp_bytes(
      own_bytes +
      (Quarters::buffer_bytes > Coder::encode_bytes ? Quarters::buffer_bytes : Coder::encode_bytes));
};

/// Not inlined, so that what happens once per array takes no registers from what happens always.
template <class Coder>
__device__ __noinline__ WarpCopies compress_with_one_warp(const CompressJob& job, DeviceWarp warp,
                                                          std::uint32_t ticket, WarpCopies copies,
                                                          std::uint8_t* buffer, const ChecksumTables& weights,
                                                          std::uint32_t prefetch_distance) {
  compress_chunk<Coder>(warp, {job, ticket}, {job.states}, copies, buffer, weights, prefetch_distance);
  return copies;
}

/// What a group's warps do together; all of them call run().
template <class Coder, class Quarters>
class QuartersGroup {
 public:
  __device__ QuartersGroup(const CompressJob& job, DeviceWarp warp, WarpGroup<quarters> group,
                           QuarterMemory<Coder, Quarters>& memory, std::uint8_t* buffer, WarpCopies copies,
                           const ChecksumTables& weights)
      : job_(job),
        warp_(warp),
        group_(group),
        memory_(memory),
        buffer_(buffer),
        copies_(copies),
        weights_(weights) {}

  /// Compresses all chunks that the group gets.
  __device__ void run(std::uint32_t prefetch_distance) {
    const std::uint32_t chunk_count = job_.counters->chunk_count;
    take_next();
    while (memory_.ticket < chunk_count) {
      const TakenChunk taken(job_, memory_.ticket);
      if (taken.bytes() == core::chunk_bytes && is_aligned(taken.content())) {
        compress_full(taken, prefetch_distance);
      } else {
        const std::uint32_t ticket = taken.chunk;
        group_.sync();  // all have read the ticket
        if (leads())
          copies_ = compress_with_one_warp<Coder>(job_, warp_, ticket, copies_, buffer_, weights_,
                                                  prefetch_distance);
      }
      take_next();
    }
    copies_.end();
  }

 private:
  /// Whether this warp does what one warp does for all.
  __device__ bool leads() const { return group_.own == 0; }

  /// The chunk before is done: its payload may be on its way to its position.
  __device__ void take_next() {
    if (leads()) {
      const std::uint32_t ticket = take_ticket(warp_, job_.counters);
      copies_.finish_store();
      if (warp_.lane() == 0) memory_.ticket = ticket;
    }
    group_.sync();
  }

  /// All steps of the coder from `step` on.
  template <unsigned step>
  __device__ void encode(const QuarterContent& content, typename Quarters::State& state) {
    if constexpr (step < Quarters::steps) {
      Quarters::template run<step>(warp_, content, buffer_, state, memory_.share);
      group_.sync();
      encode<step + 1>(content, state);
    }
  }

  __device__ void compress_full(const TakenChunk& taken, std::uint32_t prefetch_distance) {
    const QuarterContent content{taken.content() + group_.own * quarter_bytes, group_.own};
    typename Quarters::State state;
    encode<0>(content, state);
    std::uint32_t stored = Quarters::stored(memory_.share);
    const bool raw = stored == stored_raw;
    if (raw) stored = core::chunk_bytes;
    const std::uint32_t padded = padded32(stored);
    const ChunkOffsets offsets{job_.states};
    if (leads()) {
      if (warp_.lane() == 0) offsets.publish_size(taken.chunk, padded);
    } else if (group_.own == 1) {
      taken.prefetch(copies_, prefetch_distance);
    }
    if (raw) {
      load_rows(warp_, content.bytes, state.row);
#pragma unroll
      for (unsigned r = 0; r < quarter_rows; ++r)
        store_aligned(buffer_ + group_.own * quarter_bytes + row_bytes * r + 16 * warp_.lane(), state.row[r]);
      group_.sync();
    }
    const std::uint32_t blocks = padded / 16, begin = blocks * group_.own / quarters * 16,
                        end = blocks * (group_.own + 1) / quarters * 16;
    const std::uint32_t sum =
        job_.rules.checksums ? column_sum(warp_, buffer_ + begin, begin, end, weights_) : 0;
    memory_.sums[group_.own][lane_column(warp_, begin)] = sum;
    copies_.publish();
    group_.sync();
    if (group_.own == quarters - 1) write_entry(taken, stored, raw);
    if (!leads()) return;
    const std::uint64_t offset = taken.wait_for_offset(offsets, padded);
    if (offset + padded <= taken.item.capacity) copies_.start_store(taken.item.out + offset, buffer_, padded);
  }

  /// With the sums of all quarters.
  __device__ void write_entry(const TakenChunk& taken, std::uint32_t stored, bool raw) {
    const std::uint32_t column = warp_.lane();
    const auto& sums = memory_.sums;
    const std::uint32_t sum = sums[0][column] + sums[1][column] + sums[2][column] + sums[3][column];
    const std::uint32_t checksum = job_.rules.checksums ? checksum_of_sums(warp_, column, sum, weights_) : 0;
    if (warp_.lane() == 0) taken.write_entry(checksum, stored, raw);
  }

  const CompressJob& job_;
  DeviceWarp warp_;
  WarpGroup<quarters> group_;
  QuarterMemory<Coder, Quarters>& memory_;
  std::uint8_t* buffer_;
  WarpCopies copies_;
  const ChecksumTables& weights_;
};

template <class Coder, class Quarters>
__global__ void __launch_bounds__(32 * quarters * max_groups, 1)
    compress_quarters(const __grid_constant__ CompressJob job) {
  extern __shared__ __align__(128) std::uint8_t shared[];
  auto& memory = *reinterpret_cast<ChunkMemory*>(shared);
  begin_chunks(memory);
  if (adds_up(job)) return;
  DeviceWarp warp;
  const unsigned warp_index = threadIdx.x / warp_lanes, groups = blockDim.x / (quarters * warp_lanes);
  const WarpGroup<quarters> group(warp_index);
  using Memory = QuarterMemory<Coder, Quarters>;
  std::uint8_t* const own = shared + ChunkMemory::fixed_bytes + group.number * Memory::bytes;
  QuartersGroup<Coder, Quarters> work(job, warp, group, *reinterpret_cast<Memory*>(own),
                                      own + Memory::own_bytes, WarpCopies(warp, &memory.barriers[warp_index]),
                                      memory.weights);
  work.run(gridDim.x * groups / 16 * prefetch_sixteenths);
}

}  // namespace floe::gpu
