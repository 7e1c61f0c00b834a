// How blocks of kernels that encode take segments: by tickets, one after the other.
#pragma once

#include "gpu/encode/encode_job.hpp"

namespace floe::gpu {

/// Behind the last ticket of a job.
__device__ inline std::uint32_t end_of_tickets(const EncodeColumnsJob& job) {
  return job.counters == nullptr ? job.segment_count : job.counters->unit_count;
}

/// Calls encode(ticket, scratch, take_next) until there are no segments left. One thread of it calls
/// take_next() when the block needs its ticket no more. Called by all threads.
template <class Block, class Encode>
__device__ void encode_by_tickets(Block& block, const EncodeColumnsJob& job, const Encode& encode) {
  auto& memory = block.memory();
  const auto take_next = [&] { memory.ticket = job.first_ticket + atomicAdd(job.ticket, 1); };
  if (block.rank() == 0) take_next();
  block.sync();
  const std::uint32_t count = end_of_tickets(job);
  while (true) {
    const std::uint32_t ticket = memory.ticket;
    block.sync();
    if (ticket >= count) return;
    encode(ticket, job.scratch + blockIdx.x * job.scratch_bytes, take_next);
  }
}

}  // namespace floe::gpu
