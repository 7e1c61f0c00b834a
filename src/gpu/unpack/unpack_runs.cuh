// Segments of runs to words: the warps of a group make lengths and values, and then words of them.
#pragma once

#include "gpu/decode/segment_target.hpp"
#include "gpu/unpack/expand_runs.hpp"
#include "gpu/unpack/unpack_vectors.cuh"

namespace floe::gpu {

static_assert(sizeof(RunsMemory) <= sizeof(UnpackGroup::warp));

/// The warps of a group when none of them unpacks a vector.
class DeviceGroup {
 public:
  FLOE_DEVICE DeviceWarp& warp() { return warp_; }
  FLOE_DEVICE RunsMemory& memory() const {
    return *reinterpret_cast<RunsMemory*>(reinterpret_cast<UnpackGroup*>(unpack_shared)[own_group()].warp);
  }
  FLOE_DEVICE unsigned rank() const { return threadIdx.x % group_threads; }
  FLOE_DEVICE unsigned size() const { return group_threads; }
  FLOE_DEVICE unsigned warp_index() const { return rank() / warp_lanes; }
  FLOE_DEVICE unsigned warp_count() const { return group_warps; }
  FLOE_DEVICE void sync() const { sync_threads(1 + own_group(), group_threads); }
  FLOE_DEVICE bool any(bool yes) const { return sync_threads_or(1 + own_group(), group_threads, yes); }

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
  const std::uint32_t own = blockIdx.x + own_group() * gridDim.x,
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
                        of_lengths = word32(record + OpenedRecord::lengths, group.warp().lane());
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

}  // namespace floe::gpu
