// Unpacks several vectors of a segment with a warp of the device, if nothing but sums connects vectors.
// Segments that were opened ahead come to those who decode them by lists; blocks take others, too.
#pragma once

#include "gpu/decode/job.hpp"
#include "gpu/unpack/unpack_chain.hpp"
#include "gpu/unpack/unpack_limits.hpp"
#include "gpu/unpack/unpack_tile.hpp"
#include "gpu/warp/device_block.cuh"

namespace floe::gpu {

/// Entries of lists stand behind records; an entry's number is not that of the segment it names.
static_assert(4 * segment_lists <= OpenedRecord::lists);
__device__ inline std::uint32_t& listed_ticket(const DecodeColumnsJob& job, SegmentList list,
                                               std::uint32_t index) {
  return reinterpret_cast<std::uint32_t*>(job.opened + (index + std::uint64_t{1}) *
                                                           job.opened_bytes)[-1 - static_cast<int>(list)];
}
__device__ inline std::uint32_t& count_of(const DecodeColumnsJob& job, SegmentList list) {
  return job.counters->listed[static_cast<unsigned>(list)].count;
}

/// Takes the next entry of a list, to be filled in. By one thread.
__device__ inline std::uint32_t take_entry(const DecodeColumnsJob& job, SegmentList list) {
  return atomicAdd(&count_of(job, list), 1);
}

/// Leaves a segment to blocks. By one thread.
__device__ inline void list_for_blocks(const DecodeColumnsJob& job, std::uint32_t ticket) {
  listed_ticket(job, SegmentList::for_blocks, take_entry(job, SegmentList::for_blocks)) = ticket;
}

/// Says that a segment is sound, if its column wants to know. By one thread.
__device__ inline void clear_code(const DecodeColumnsJob& job, std::uint32_t ticket) {
  const DecodeColumn* column = job.column;
  while (ticket >= column->end_ticket) ++column;
  if (column->codes != nullptr)
    column->codes[ticket - (column == job.column ? 0 : column[-1].end_ticket)] = 0;
}

/// The list of a segment that was opened, with a chain or none.
__device__ inline SegmentList list_of(const DecodeColumnsJob& job, const UnpackChain& chain) {
  if (chain.state == UnpackChain::none) return SegmentList::for_blocks;
  if (chain.state == UnpackChain::runs) return SegmentList::with_runs;
  if (chain.state == UnpackChain::entropy) return SegmentList::with_entropy;
  if (chain.state == UnpackChain::short_entropy) return SegmentList::with_short_entropy;
  if (chain.state == UnpackChain::two_blocks) return SegmentList::with_two_blocks;
  if (chain.stride > 0) return SegmentList::with_sums;
  if (chain.final != FinalKind::look_up) return SegmentList::others;
  return chain.table_count * chain.out_bytes <= job.small_table_bytes ? SegmentList::with_small_tables
                                                                      : SegmentList::with_tables;
}

/// The next segment that no block has, by one thread; segment_count if there is none.
__device__ inline std::uint32_t take_ticket(const DecodeColumnsJob& job) {
  const std::uint32_t index = atomicAdd(&job.counters->tickets.count, 1);
  const std::uint32_t listed = count_of(job, SegmentList::for_blocks);
  if (index < listed) return listed_ticket(job, SegmentList::for_blocks, index);
  const std::uint32_t left = job.segment_count - job.opened_count;
  return index - listed < left ? job.opened_count + index - listed : job.segment_count;
}

extern __shared__ __align__(128) std::uint8_t unpack_shared[];

/// Which group of the block a thread belongs to, of how many.
__device__ inline unsigned group_of_thread() { return threadIdx.x / group_threads; }
__device__ inline unsigned unpack_groups() { return blockDim.x / group_threads; }

/// What Workers have for land and land_next.
class VectorPipeline {
 public:
  FLOE_DEVICE DeviceWarp& warp() { return warp_; }
  FLOE_DEVICE std::uint8_t*& landing() { return landing_; }
  FLOE_DEVICE const NextVector& next() const { return next_; }
  FLOE_DEVICE void set_next(const NextVector& next) { next_ = next; }

 private:
  DeviceWarp warp_;
  std::uint8_t* landing_ = nullptr;
  NextVector next_;
};

/// Waits for `threads` threads of a block, whole warps that name the same barrier.
__device__ inline void sync_threads(unsigned barrier, unsigned threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
/// The same; returns whether any of them says yes.
__device__ inline bool sync_threads_or(unsigned barrier, unsigned threads, bool yes) {
  unsigned any;
  asm volatile(
      "{\n\t.reg .pred p, q;\n\tsetp.ne.u32 p, %1, 0;\n\tbar.red.or.pred q, %2, %3, p;\n\tselp.u32 %0, 1, 0, "
      "q;\n\t}"
      : "=r"(any)
      : "r"(yes ? 1u : 0u), "r"(barrier), "r"(threads)
      : "memory");
  return any != 0;
}

/// Each lane has 32 bits of a chain.
template <class Unpacker>
__device__ void begin_chain(Unpacker& unpacker, std::uint32_t bits) {
  unpacker.warp().sync();
  store_aligned(reinterpret_cast<std::uint8_t*>(&unpacker.memory().chain) + 4 * unpacker.warp().lane(), bits);
  unpacker.warp().sync();
}

/// Unpacks `count` vectors of the chain that was begun, every `step`-th from `first` on. Where they are,
/// lanes fetch at once, and the packed bytes of each are on their way while unpack(vector) unpacks the one
/// before; it returns false to all if words are damaged.
template <class Unpacker, class Unpack>
__device__ void unpack_vectors(Unpacker& unpacker, const DecodeColumnsJob& job, std::uint32_t ticket,
                               std::uint32_t first, std::uint32_t step, std::uint32_t count,
                               const Unpack& unpack) {
  DeviceWarp& warp = unpacker.warp();
  const UnpackChain& chain = unpacker.memory().chain;
  const std::uint8_t* const entries = job.opened + ticket * job.opened_bytes + OpenedRecord::entries +
                                      chain.first_entry * sizeof(VectorEntry);
  if (first == 0 && warp.lane() == 0) clear_code(job, ticket);
  VectorEntry mine;
  for (std::uint32_t i = 0; i < count; ++i) {
    const unsigned lane = i % warp_lanes;
    const std::uint32_t vector = first + i * step;
    if (lane == 0) {
      const std::uint32_t own = i + warp.lane();
      if (own < count)
        mine = load_aligned<VectorEntry>(entries + (first + own * std::uint64_t{step}) * sizeof(VectorEntry));
    }
    warp.sync();
    if (warp.lane() == lane) unpacker.memory().entry = mine;
    NextVector next;
    if (i + 1 < count && lane + 1 < warp_lanes) {
      const std::uint32_t packed = warp.shuffle(mine.packed, lane + 1);
      const std::uint32_t rest =
          warp.shuffle(mine.exception_count | std::uint32_t{mine.width} << 16, lane + 1);
      next.width = rest >> 16;
      next.is_patched = rest % 65536 != 0;
      if (std::uint64_t{vector + step + 1} * tile_words <= chain.count) next.packed = chain.bytes + packed;
    }
    unpacker.set_next(next);
    warp.sync();
    if (unpack(vector) || warp.lane() != 0) continue;
    // A segment with damaged words is left to a block, which finds the damage again and says so.
    std::uint32_t* const state =
        &reinterpret_cast<UnpackChain*>(job.opened + ticket * job.opened_bytes)->state;
    if (atomicCAS(state, UnpackChain::whole, UnpackChain::failed) == UnpackChain::whole)
      list_for_blocks(job, ticket);
  }
}

class DeviceUnpacker : public VectorPipeline {
 public:
  FLOE_DEVICE UnpackMemory& memory() const { return group().warp[threadIdx.x / warp_lanes % group_warps]; }

  // Vectors of a group's segments are turns, the vectors of its warps one after the other.
  FLOE_DEVICE void begin_segment(std::uint32_t first_turn) { first_turn_ = first_turn; }
  __device__ void wait_for_turn(std::uint32_t vector) {
    const std::uint32_t turn = first_turn_ + vector;
    if (warp().lane() == 0) wait_for_word(group().published[(turn + 1) % 2], turn);
    warp().sync();
    turn_ = turn;
  }
  __device__ std::uint64_t sum(unsigned kind) const { return group().sums[(turn_ + 1) % 2][kind]; }
  __device__ void put_sum(unsigned kind, std::uint64_t sum) const { group().sums[turn_ % 2][kind] = sum; }
  __device__ void pass_turn(std::uint32_t) {
    warp().sync();
    if (warp().lane() == 0) publish_word(group().published[turn_ % 2], turn_ + 1);
  }

  /// Before the first turn, by one thread of a group.
  __device__ void set_up() const {
    group().published[0] = ~0u;
    group().published[1] = 0;
  }

 private:
  static FLOE_DEVICE UnpackGroup& group() {
    return reinterpret_cast<UnpackGroup*>(unpack_shared)[group_of_thread()];
  }

  std::uint32_t first_turn_ = 0, turn_ = 0;
};

}  // namespace floe::gpu
