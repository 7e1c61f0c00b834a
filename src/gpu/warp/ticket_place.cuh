// Which segment of which column is that of a ticket?
#pragma once

#include "gpu/decode/job.hpp"

namespace floe::gpu {

/// A segment of a job by its ticket.
struct TicketPlace {
  const DecodeColumn& column;
  std::uint32_t segment;
  __device__ std::uint64_t first_word() const { return std::uint64_t{segment} * column.segment_words; }
  __device__ std::uint32_t words() const { return words_of_segment(column, segment); }
};

__device__ inline TicketPlace place_of(const DecodeColumnsJob& job, std::uint32_t ticket) {
  unsigned index = 0;
  while (ticket >= job.column[index].end_ticket) ++index;
  const DecodeColumn& column = job.column[index];
  return {column, column.first_segment + ticket - (index == 0 ? 0 : job.column[index - 1].end_ticket)};
}

}  // namespace floe::gpu
