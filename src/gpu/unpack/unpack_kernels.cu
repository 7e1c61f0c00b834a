// Segments that need no block to words: the kernel. Without a delta, warps take a few vectors of a segment
// at a time. With one, each group of warps takes some of the segments, whose vectors its warps take in
// turn, from segment to segment without a barrier: a warp that has the sum of its vector adds it to that
// of the vectors before, which the warp before publishes, as it does for the next one. Of segments of
// codes, warps copy the dictionary to shared memory.

#include "gpu/decode/segment_target.hpp"
#include "gpu/unpack/expand_runs.hpp"
#include "gpu/unpack/unpack_tile.hpp"
#include "gpu/unpack/unpack_vectors.cuh"
#include "gpu/warp/device_block.cuh"

namespace floe::gpu {

static_assert(sizeof(RunsMemory) <= sizeof(UnpackGroup::warp));

/// The warps of a group when none of them unpacks a vector.
class DeviceGroup {
 public:
  FLOE_DEVICE DeviceWarp& warp() { return warp_; }
  FLOE_DEVICE RunsMemory& memory() const {
    return *reinterpret_cast<RunsMemory*>(
        reinterpret_cast<UnpackGroup*>(unpack_shared)[group_of_thread()].warp);
  }
  FLOE_DEVICE unsigned rank() const { return threadIdx.x % group_threads; }
  FLOE_DEVICE unsigned size() const { return group_threads; }
  FLOE_DEVICE unsigned warp_index() const { return rank() / warp_lanes; }
  FLOE_DEVICE unsigned warp_count() const { return group_warps; }
  FLOE_DEVICE void sync() const { sync_threads(1 + group_of_thread(), group_threads); }
  FLOE_DEVICE bool any(bool yes) const { return sync_threads_or(1 + group_of_thread(), group_threads, yes); }

 private:
  DeviceWarp warp_;
};

/// Vectors that the warps of a group have taken.
struct TakenVectors {
  std::uint32_t with_sums = 0, others = 0;
};

/// Makes one of the streams of runs at `to`, the warp's part, by its chain in `bits`. False if it is damaged.
__device__ inline bool make_words(DeviceUnpacker& unpacker, const DecodeColumnsJob& job, std::uint32_t ticket,
                                  std::uint32_t bits, std::uint8_t* to, TakenVectors& taken) {
  begin_chain(unpacker, bits);
  UnpackChain& chain = unpacker.memory().chain;
  if (unpacker.warp().lane() == 0) chain.out = to;
  unpacker.warp().sync();
  std::uint32_t& before = chain.stride > 0 ? taken.with_sums : taken.others;
  const unsigned own = threadIdx.x / warp_lanes % group_warps;
  const std::uint32_t vectors = tiles_of(chain.count), first = (own - before) % group_warps;
  bool good = true;
  unpacker.begin_segment(before);
  if (first < vectors) {
    unpack_vectors(unpacker, job, ticket, first, group_warps, (vectors - 1 - first) / group_warps + 1,
                   [&](std::uint32_t vector) {
                     good = unpack_tile(unpacker, vector) && good;
                     return true;
                   });
  }
  before += vectors;
  return good;
}

__device__ inline bool expand_runs(DeviceGroup& group, const ExpandedRuns& runs, unsigned word_bytes) {
  if (word_bytes == 8) return expand_runs<std::uint64_t>(group, runs);
  if (word_bytes == 4) return expand_runs<std::uint32_t>(group, runs);
  return expand_runs<std::uint16_t>(group, runs);
}

/// By all threads of a block. There are no more groups at work than there is memory of blocks.
__device__ __noinline__ void unpack_runs(const DecodeColumnsJob& job) {
  const std::uint32_t own = blockIdx.x + group_of_thread() * gridDim.x,
                      groups = min(unpack_groups() * gridDim.x, job.block_count);
  if (own >= groups) return;
  DeviceUnpacker unpacker;
  DeviceGroup group;
  TakenVectors taken;
  group.sync();
  if (group.rank() == 0) unpacker.set_up();
  group.sync();
  for (std::uint32_t i = own; i < count_of(job, SegmentList::with_runs); i += groups) {
    const std::uint32_t ticket = listed_ticket(job, SegmentList::with_runs, i);
    const std::uint8_t* const record = job.opened + ticket * job.opened_bytes;
    const std::uint32_t of_values = word32(record, group.warp().lane()),
                        of_lengths = word32(record + OpenedRecord::other, group.warp().lane());
    const auto& chain = *reinterpret_cast<const UnpackChain*>(record);
    const std::uint32_t count = chain.count + chain.stride, lengths_bytes = (4 * count + 15) / 16 * 16;
    const unsigned width = chain.out_bytes;
    std::uint8_t* const lengths = job.scratch + own * job.scratch_bytes;
    const ExpandedRuns runs{lengths, lengths + lengths_bytes, count, target_of(job, ticket).words, chain.out};
    bool good = make_words(unpacker, job, ticket, of_values, lengths + lengths_bytes, taken);
    good = make_words(unpacker, job, ticket, of_lengths, lengths, taken) && good;
    // A segment with damaged vectors or strange lengths is left to a block, which says what is wrong.
    const bool is_left = group.any(!good) || !expand_runs(group, runs, width);
    if (is_left && group.rank() == 0) list_for_blocks(job, ticket);
  }
}

class CodesUnpacker : public VectorPipeline {
 public:
  FLOE_DEVICE CodesMemory& memory() const {
    return reinterpret_cast<CodesMemory*>(unpack_shared)[threadIdx.x / warp_lanes];
  }
  /// Of the block: room for dictionaries.
  static FLOE_DEVICE std::uint8_t* tables() {
    return unpack_shared + blockDim.x / warp_lanes * sizeof(CodesMemory);
  }
};

/// Warps that share dictionaries: a group of a block, or all of the block's.
struct TableWarps {
  unsigned barrier, own, count;  ///< Which of `count` warps this one is.
  std::uint32_t table_at;        ///< In the tables of the block.
};

__device__ inline void unpack_with_table(CodesUnpacker& unpacker, const DecodeColumnsJob& job,
                                         std::uint32_t ticket, const TableWarps& warps) {
  DeviceWarp& warp = unpacker.warp();
  begin_chain(unpacker, word32(job.opened + ticket * job.opened_bytes, warp.lane()));
  const UnpackChain& chain = unpacker.memory().chain;
  std::uint8_t* const table = CodesUnpacker::tables() + warps.table_at;
  // Of words of 4 or 8 bytes, in shares of 16.
  const std::uint32_t bytes = chain.table_count * chain.out_bytes,
                      share = (bytes / warps.count + 16) / 16 * 16, begin = min(bytes, warps.own * share),
                      end = min(bytes, begin + share);
  sync_threads(warps.barrier, warps.count * warp_lanes);  // nobody needs the dictionary before any more
  copy_in(warp, table_of(chain) + begin, end - begin, table + begin);
  sync_threads(warps.barrier, warps.count * warp_lanes);
  const std::uint32_t vectors = tiles_of(chain.count);
  if (warps.own >= vectors) return;
  unpack_vectors(unpacker, job, ticket, warps.own, warps.count, (vectors - 1 - warps.own) / warps.count + 1,
                 [&](std::uint32_t vector) { return unpack_codes(unpacker, vector, table); });
}

/// By all threads of a block.
__device__ inline void unpack_with_tables(const DecodeColumnsJob& job) {
  CodesUnpacker unpacker;
  const unsigned own = threadIdx.x / warp_lanes, group = group_of_thread(), groups = unpack_groups();
  const TableWarps of_group{1 + group, own % group_warps, group_warps, group * job.small_table_bytes};
  for (std::uint32_t i = blockIdx.x + group * gridDim.x; i < count_of(job, SegmentList::with_small_tables);
       i += groups * gridDim.x)
    unpack_with_table(unpacker, job, listed_ticket(job, SegmentList::with_small_tables, i), of_group);
  __syncthreads();
  const TableWarps of_block{0, own, groups * group_warps, 0};
  for (std::uint32_t i = blockIdx.x; i < count_of(job, SegmentList::with_tables); i += gridDim.x)
    unpack_with_table(unpacker, job, listed_ticket(job, SegmentList::with_tables, i), of_block);
}

__device__ inline void unpack_with_sums(DeviceUnpacker& unpacker, const DecodeColumnsJob& job) {
  const unsigned own = threadIdx.x / warp_lanes % group_warps, groups = unpack_groups();
  std::uint32_t turns = 0;
  for (std::uint32_t i = blockIdx.x + group_of_thread() * gridDim.x;
       i < count_of(job, SegmentList::with_sums); i += groups * gridDim.x) {
    const std::uint32_t ticket = listed_ticket(job, SegmentList::with_sums, i);
    begin_chain(unpacker, word32(job.opened + ticket * job.opened_bytes, unpacker.warp().lane()));
    unpacker.begin_segment(turns);
    const std::uint32_t vectors = tiles_of(unpacker.memory().chain.count),
                        first = (own - turns) % group_warps;
    if (first < vectors) {
      unpack_vectors(unpacker, job, ticket, first, group_warps, (vectors - 1 - first) / group_warps + 1,
                     [&](std::uint32_t vector) { return unpack_tile(unpacker, vector); });
    }
    turns += vectors;
  }
}

__device__ inline void unpack_without_sums(DeviceUnpacker& unpacker, const DecodeColumnsJob& job) {
  DeviceWarp& warp = unpacker.warp();
  while (true) {
    const std::uint32_t index =
        warp.shuffle(warp.lane() == 0 ? atomicAdd(&job.counters->shares.count, 1) : 0, 0);
    if (index >= job.share_count) return;
    const ShareOfSegment share = share_of(job, index);
    begin_chain(unpacker, word32(job.opened + share.ticket * job.opened_bytes, warp.lane()));
    const UnpackChain& chain = unpacker.memory().chain;
    if (list_of(job, chain) != SegmentList::others) continue;
    const std::uint32_t vectors = tiles_of(chain.count), left = vectors - min(vectors, share.first);
    unpack_vectors(unpacker, job, share.ticket, share.first, 1, min(left, share.count),
                   [&](std::uint32_t vector) { return unpack_tile(unpacker, vector); });
  }
}

__global__ void __launch_bounds__(max_unpack_groups* group_threads, 1)
    unpack_columns(const __grid_constant__ DecodeColumnsJob job) {
  let_next_kernel_begin();
  wait_for_kernel_before();
  {
    DeviceUnpacker unpacker;
    if (count_of(job, SegmentList::with_sums) > 0) {
      if (threadIdx.x % group_threads == 0) unpacker.set_up();
      __syncthreads();
      unpack_with_sums(unpacker, job);
    }
    if (count_of(job, SegmentList::others) > 0) unpack_without_sums(unpacker, job);
  }
  if (count_of(job, SegmentList::with_runs) > 0) unpack_runs(job);
  if (count_of(job, SegmentList::with_small_tables) + count_of(job, SegmentList::with_tables) == 0) return;
  __syncthreads();
  unpack_with_tables(job);
}

void (*unpack_kernel())(DecodeColumnsJob) { return unpack_columns; }

}  // namespace floe::gpu
