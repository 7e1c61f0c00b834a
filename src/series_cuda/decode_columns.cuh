// Segments of columns to words: the kernel. Teams take one segment after the other until there are none left.
#pragma once

#include "series_cuda/decode_segment.hpp"
#include "series_cuda/device_team.cuh"
#include "series_cuda/job.hpp"

namespace floe::series_cuda {

inline constexpr unsigned teams_per_multiprocessor = 3;

/// Resets what teams share.
__global__ void set_up_decoding(const __grid_constant__ DecodeColumnsJob job) {
  if (threadIdx.x == 0) *job.ticket = 0;
  if (threadIdx.x < job.column_count) {
    const DecodeColumn& column = job.column[threadIdx.x];
    *column.result = {(column.end_row - column.first_row) * word_bytes(column.type), ~std::uint64_t{0}, 0, 0};
  }
}

/// Whether an entry of a directory says what it must.
__device__ inline bool is_sound(const DecodeColumn& column, const SegmentTask& entry, std::uint32_t words) {
  return entry.words == words && entry.offset % 16 == 0 && entry.bytes < (1u << 31) && entry.offset <= column.data_bytes &&
         entry.bytes <= column.data_bytes - entry.offset;
}

/// A segment of a job by its ticket.
struct TicketPlace {
  const DecodeColumn& column;
  std::uint32_t segment;
  __device__ std::uint64_t first_word() const { return std::uint64_t{segment} * column.segment_words; }
  __device__ std::uint32_t words() const {
    const std::uint64_t rest = column.word_count - first_word();
    return static_cast<std::uint32_t>(rest < column.segment_words ? rest : column.segment_words);
  }
};

__device__ inline TicketPlace place_of(const DecodeColumnsJob& job, std::uint32_t ticket) {
  unsigned index = 0;
  while (ticket >= job.column[index].end_ticket) ++index;
  const DecodeColumn& column = job.column[index];
  return {column, column.first_segment + ticket - (index == 0 ? 0 : job.column[index - 1].end_ticket)};
}

/// Takes the next segment that no team has, by one thread.
__device__ inline SegmentTask take_segment(const DecodeColumnsJob& job) {
  const std::uint32_t ticket = atomicAdd(job.ticket, 1);
  if (ticket >= job.segment_count) return {0, ticket, 0, 0};
  const TicketPlace place = place_of(job, ticket);
  const cuda::SegmentEntry entry = place.column.segments[place.segment];
  return {entry.offset, ticket, entry.bytes, entry.words};
}

__device__ inline void report_failure(const DecodeColumn& column, std::uint32_t code, std::uint64_t offset) {
  atomicAdd(&column.result->failed_chunks, 1);
  atomicExch(&column.result->code, code);
  static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t));
  atomicMin(reinterpret_cast<unsigned long long*>(&column.result->byte_offset), static_cast<unsigned long long>(offset));
}

/// Copies bytes of which a team made more than are wanted.
__device__ inline void copy_words(const DeviceTeam& team, std::uint8_t* to, const std::uint8_t* from, std::uint64_t bytes, unsigned width) {
  with_width(width, [&]<class W>(W) {
    for (std::uint64_t i = team.rank(); i < bytes / sizeof(W); i += team.size())
      store_word(to, i, from == nullptr ? W{0} : cuda::load_aligned<W>(from + i * sizeof(W)));
  });
}

__device__ inline void decode_ticket(DeviceTeam& team, const DecodeColumnsJob& job, const SegmentTask& entry) {
  const TicketPlace place = place_of(job, entry.ticket);
  const DecodeColumn& column = place.column;
  const std::uint32_t words = place.words();
  const std::uint64_t first = place.first_word();
  const std::uint64_t begin = first > column.first_row ? first : column.first_row;
  const std::uint64_t end = first + words < column.end_row ? first + words : column.end_row;
  const unsigned width = word_bytes(column.type);
  const bool is_whole = end - begin == words;
  std::uint8_t* const wanted = column.out + (begin - column.first_row) * width;
  ScratchMemory scratch{job.scratch + blockIdx.x * job.scratch_bytes, job.scratch_bytes, 0};
  std::uint8_t* const out = is_whole ? wanted : scratch.take(std::uint64_t{words} * width);
  std::uint32_t code = static_cast<std::uint32_t>(ErrorCode::corrupt_frame);
  if (is_sound(column, entry, words)) {
    code = out == nullptr ? static_cast<std::uint32_t>(ErrorCode::out_of_memory)
                          : decode_segment(team, column.data + entry.offset, entry.bytes, column.type, words, out, scratch);
  }
  if (column.codes != nullptr && team.rank() == 0) column.codes[place.segment - column.first_segment] = code;
  if (code != 0) {
    copy_words(team, wanted, nullptr, (end - begin) * width, width);
    if (team.rank() == 0) report_failure(column, code, entry.offset);
  } else if (!is_whole) {
    copy_words(team, wanted, out + (begin - first) * width, (end - begin) * width, width);
  }
}

__global__ void __launch_bounds__(team_threads, teams_per_multiprocessor) decode_columns(const __grid_constant__ DecodeColumnsJob job) {
  DeviceTeam team;
  TeamMemory& memory = team.memory();
  while (true) {
    if (team.rank() == 0) memory.task = take_segment(job);
    team.sync();
    const SegmentTask task = memory.task;
    team.sync();
    if (task.ticket >= job.segment_count) return;
    decode_ticket(team, job, task);
  }
}

}  // namespace floe::series_cuda
