// Segments that are a leaf of entropy below a short chain to words: the kernels. Blocks of a few warps take
// one after the other, so that a multiprocessor opens some while it decodes others. Tables of short
// frequencies are small: where all have them, more warps fit. Sections of two blocks are for blocks of two
// warps, with entries of a byte; as they take longest, they come first, and others fill the places that they
// leave. The last of these are shared by several blocks.
#pragma once

#include "gpu/unpack/unpack_entropy.hpp"
#include "gpu/unpack/unpack_vectors.cuh"
#include "gpu/warp/device_block.cuh"

namespace floe::gpu {

/// This block's share of the scratch memory of those that decode trees, which begin when these have ended.
__device__ inline ScratchMemory scratch_of_block(const DecodeColumnsJob& job) {
  const std::uint8_t* const end = job.sums == nullptr ? job.scratch + job.block_count * job.scratch_bytes
                                                      : reinterpret_cast<const std::uint8_t*>(job.sums);
  const std::uint64_t share = static_cast<std::uint64_t>(end - job.scratch) / gridDim.x / 256 * 256;
  return {job.scratch + blockIdx.x * share, share, 0};
}

/// What a block has taken of a list: an entry, and its share of it.
struct TakenEntry {
  std::uint32_t index;
  SectionShare share;
};
/// Segments at the end of the list, of `listed`, are shared, so that all blocks have work to the end.
__device__ inline TakenEntry entry_of(const DecodeColumnsJob& job, SegmentList list, std::uint32_t listed,
                                      std::uint32_t taken) {
  const std::uint32_t whole = listed - min(listed, job.shared_entries);
  if (list != SegmentList::with_entropy || taken < whole) return {taken, {0, 1}};
  const std::uint32_t share = taken - whole;
  return {whole + share / job.shares, {share % job.shares, job.shares}};
}

/// What is to be found of a segment's digest.
__device__ inline StreamCheck check_of(const DecodeColumnsJob& job, SegmentList list, std::uint32_t ticket,
                                       const TakenEntry& taken, const UnpackChain& chain) {
  StreamCheck check;
  check.base = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(chain.bytes));
  check.blocks = taken.share.count;
  if (list == SegmentList::with_short_entropy || job.sums == nullptr) return check;
  const StreamTask& task = job.streams[ticket];
  if (task.check != StreamTask::by_decoder) return check;
  check.sums = job.sums + sums_of_entry(job, list, taken.index) * StreamSums::words(job.max_checksums);
  check.digest = task.digest;
  check.bytes = task.bytes;
  return check;
}

/// Leaves a segment to blocks, once. By one thread.
__device__ inline void list_once(const DecodeColumnsJob& job, std::uint32_t ticket) {
  std::uint32_t* const state = &reinterpret_cast<UnpackChain*>(job.opened + ticket * job.opened_bytes)->state;
  if (atomicExch(state, UnpackChain::none) != UnpackChain::none) list_for_blocks(job, ticket);
}

/// Takes segments of a list.
template <SegmentList list, class Block>
__device__ void unpack_listed(const DecodeColumnsJob& job) {
  Block block;
  auto& memory = block.memory();
  if (block.rank() == 0) memory.scratch = scratch_of_block(job);
  auto& taken =
      job.counters
          ->entropy_tickets[static_cast<unsigned>(list) - static_cast<unsigned>(SegmentList::with_entropy)]
          .count;
  const std::uint32_t listed = count_of(job, list);
  // All blocks for two blocks of a section begin at once, and with the segment that has their number.
  constexpr bool has_first = list == SegmentList::with_two_blocks;
  for (bool is_first = has_first;; is_first = false) {
    block.sync();
    if (block.rank() == 0)
      memory.ticket = is_first      ? blockIdx.x
                      : listed == 0 ? 0
                                    : atomicAdd(&taken, 1) + (has_first ? gridDim.x : 0);
    block.sync();
    TakenEntry taken_entry = entry_of(job, list, listed, memory.ticket);
    if (taken_entry.index >= listed) return;
    const std::uint32_t ticket = listed_ticket(job, list, taken_entry.index);
    std::uint8_t* const record = job.opened + ticket * job.opened_bytes;
    const unsigned lane = block.warp().lane();
    if (block.warp_index() == 0)
      store_aligned(reinterpret_cast<std::uint8_t*>(&memory.chain) + 4 * lane, word32(record, lane));
    if (block.warp_index() == 1 && lane < sizeof memory.outer / 4)
      store_aligned(reinterpret_cast<std::uint8_t*>(&memory.outer) + 4 * lane,
                    word32(record + OpenedRecord::outer, lane));
    if (block.warp_index() == 2)
      store_aligned(reinterpret_cast<std::uint8_t*>(&memory.other) + 4 * lane,
                    word32(record + OpenedRecord::other, lane));
    block.sync();
    SectionShare& share = taken_entry.share;
    if (share.count > 1) share.count = shares_of(memory.chain, memory.outer, block.warp_count(), share.count);
    if (share.index >= share.count) continue;
    if (block.rank() == 0) {
      memory.share = share;
      memory.check = check_of(job, list, ticket, taken_entry, memory.chain);
    }
    block.sync();
    const bool are_packed = memory.outer.kind == OuterSteps::codes && memory.outer.vectors != nullptr;
    bool good = unpack_entropy(block);
    if constexpr (std::remove_reference_t<decltype(memory)>::Check::is_present) {
      if (good && memory.check.sums != nullptr)
        good = has_digest(block, memory.check, memory.chain.bytes, share.index == 0, memory.sums[0]);
    }
    if (block.rank() != 0) continue;
    if (good && are_packed) {
      const UnpackChain own = chain_of_codes(load_aligned<UnpackChain>(record), memory.outer, record);
      store_aligned(record, own);
      const SegmentList tables = list_of(job, own);
      listed_ticket(job, tables, take_entry(job, tables)) = ticket;
    } else if (good) {
      clear_code(job, ticket);
    } else {
      // A block finds the damage again and says so, or does without sums that are not those of the words.
      list_once(job, ticket);
    }
  }
}

template <unsigned warps, unsigned blocks, TableRoom room, SegmentList list, bool checks>
__global__ void __launch_bounds__(warps* warp_lanes, blocks)
    unpack_entropy_columns(const __grid_constant__ DecodeColumnsJob job) {
  const bool is_beside = list == SegmentList::with_entropy && job.is_beside;
  if (!is_beside) wait_for_kernel_before();
  // Blocks without work end first, so that those of the next kernel find all of their room in one piece.
  if (list != SegmentList::with_two_blocks || blockIdx.x < count_of(job, list)) let_next_kernel_begin();
  using Memory = UnpackEntropyMemory<warps, room, checks>;
  unpack_listed<list, DeviceBlock<Memory, warps * warp_lanes>>(job);
  if (is_beside) wait_for_kernel_before();
}

/// `blocks`: of a multiprocessor, which has 228 KiB of shared memory, of which 1 KiB per block is taken.
template <unsigned warps, unsigned blocks, TableRoom room, SegmentList list, bool checks>
EntropyKernel kernel_of() {
  constexpr std::uint32_t shared_bytes = sizeof(UnpackEntropyMemory<warps, room, checks>);
  static_assert(blocks * (shared_bytes + 1024) <= 228 << 10);
  return {unpack_entropy_columns<warps, blocks, room, list, checks>, warps * warp_lanes, shared_bytes,
          blocks};
}

}  // namespace floe::gpu
