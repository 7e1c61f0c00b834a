// Brings segments that were opened ahead to those who decode them, by lists; blocks take others, too.
#pragma once

#include "gpu/decode/job.hpp"
#include "gpu/unpack/unpack_chain.hpp"

namespace floe::gpu {

/// Entries of lists stand behind records; an entry's number is not that of the segment it names.
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

/// The list of a segment that was opened, with a chain or none.
__device__ inline SegmentList list_of(const DecodeColumnsJob& job, const UnpackChain& chain) {
  if (chain.state == UnpackChain::none) return SegmentList::for_blocks;
  if (chain.state == UnpackChain::runs) return SegmentList::with_runs;
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

}  // namespace floe::gpu
