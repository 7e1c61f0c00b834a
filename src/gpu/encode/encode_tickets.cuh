// How blocks of kernels that encode take segments: by tickets, one after the other.
#pragma once

#include "gpu/encode/encode_job.hpp"

namespace floe::gpu {

/// Behind the last ticket of a job.
__device__ inline std::uint32_t end_of_tickets(const EncodeColumnsJob& job) {
  return job.counters == nullptr ? job.segment_count : job.counters->unit_count;
}

}  // namespace floe::gpu
