// How blocks of kernels that encode take segments: by tickets, one after the other.
#pragma once

#include "gpu/encode/encode_job.hpp"

namespace floe::gpu {

/// Behind the last ticket of a job.
__device__ inline std::uint32_t end_of_tickets(const EncodeColumnsJob& job) {
  return job.counters == nullptr ? job.segment_count : job.counters->unit_count;
}

/// A part of the scratch of a launch's own, or of scratch that launches at the same time share: to all
/// threads of a block. There are as many parts as blocks that are at work at once.
template <class Block>
__device__ std::uint32_t take_scratch(Block& block, const EncodeColumnsJob& job) {
  if (job.scratch_locks == nullptr) return blockIdx.x;
  if (block.rank() == 0) {
    std::uint32_t part = blockIdx.x % job.scratch_parts;
    while (atomicCAS(job.scratch_locks + part, 0, 1) != 0) part = (part + 1) % job.scratch_parts;
    __threadfence();
    block.memory().ticket = part;
  }
  block.sync();
  return block.memory().ticket;
}
template <class Block>
__device__ void give_back_scratch(Block& block, const EncodeColumnsJob& job, std::uint32_t part) {
  if (job.scratch_locks == nullptr) return;
  block.sync();
  if (block.rank() != 0) return;
  __threadfence();
  atomicExch(job.scratch_locks + part, 0);
}

}  // namespace floe::gpu
