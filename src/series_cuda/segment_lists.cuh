// Which segments do teams take? Those that were opened ahead and need one, from a list, and then those that were not opened ahead.
#pragma once

#include "series_cuda/job.hpp"

namespace floe::series_cuda {

/// Entries of lists stand behind what is known of segments; an entry's number is not that of the segment it names.
__device__ inline std::uint32_t& list_entry(const DecodeColumnsJob& job, std::uint32_t index, unsigned list) {
  return reinterpret_cast<std::uint32_t*>(job.opened + (index + std::uint64_t{1}) * job.opened_bytes)[-1 - static_cast<int>(list)];
}
__device__ inline std::uint32_t& listed_ticket(const DecodeColumnsJob& job, std::uint32_t index) { return list_entry(job, index, 0); }
__device__ inline std::uint32_t& small_table_ticket(const DecodeColumnsJob& job, std::uint32_t index) { return list_entry(job, index, 2); }
__device__ inline std::uint32_t& table_ticket(const DecodeColumnsJob& job, std::uint32_t index) { return list_entry(job, index, 3); }
__device__ inline std::uint32_t& sums_ticket(const DecodeColumnsJob& job, std::uint32_t index) { return list_entry(job, index, 1); }
__device__ inline std::uint32_t& runs_ticket(const DecodeColumnsJob& job, std::uint32_t index) { return list_entry(job, index, 4); }

/// Adds a segment to the list of those that need a team, or that need none but have a delta, a dictionary or runs. By one thread.
__device__ inline void list_for_teams(const DecodeColumnsJob& job, std::uint32_t ticket) {
  listed_ticket(job, atomicAdd(&job.counters->listed, 1)) = ticket;
}
__device__ inline void list_with_sums(const DecodeColumnsJob& job, std::uint32_t ticket) {
  sums_ticket(job, atomicAdd(&job.counters->with_sums, 1)) = ticket;
}
__device__ inline void list_with_runs(const DecodeColumnsJob& job, std::uint32_t ticket) {
  runs_ticket(job, atomicAdd(&job.counters->with_runs, 1)) = ticket;
}
__device__ inline void list_with_table(const DecodeColumnsJob& job, std::uint32_t ticket, bool is_small) {
  if (is_small) {
    small_table_ticket(job, atomicAdd(&job.counters->with_small_tables, 1)) = ticket;
  } else {
    table_ticket(job, atomicAdd(&job.counters->with_tables, 1)) = ticket;
  }
}

/// The next segment that no team has, by one thread; segment_count if there is none.
__device__ inline std::uint32_t take_ticket(const DecodeColumnsJob& job) {
  const std::uint32_t index = atomicAdd(&job.counters->tickets, 1), listed = job.counters->listed;
  if (index < listed) return listed_ticket(job, index);
  const std::uint32_t left = job.segment_count - job.opened_count;
  return index - listed < left ? job.opened_count + index - listed : job.segment_count;
}

}  // namespace floe::series_cuda
