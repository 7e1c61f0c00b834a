// Segments of columns to words: the kernels. Warps open segments, as many as there is memory for what they
// find; then blocks take one segment after the other that needs a block until there are none left.
#pragma once

#include "gpu/decode/decode_segment.hpp"
#include "gpu/warp/device_block.cuh"
#include "gpu/decode/open_for_block.hpp"
#include "gpu/unpack/segment_lists.cuh"
#include "gpu/warp/kernel_order.cuh"
#include "gpu/warp/ticket_place.cuh"

namespace floe::gpu {

inline constexpr unsigned decode_blocks_per_multiprocessor = 3;

using DecodeBlock = DeviceBlock<DecodeMemory, column_threads>;

/// Whether an entry of a directory says what it must.
__device__ inline bool is_sound(const DecodeColumn& column, const SegmentTask& entry, std::uint32_t words) {
  return entry.words == words && entry.offset % 16 == 0 && entry.bytes < (1u << 31) &&
         entry.offset <= column.data_bytes && entry.bytes <= column.data_bytes - entry.offset;
}

/// Takes the next segment that no block has, by one thread.
__device__ inline SegmentTask take_segment(const DecodeColumnsJob& job) {
  const std::uint32_t ticket = take_ticket(job);
  if (ticket >= job.segment_count) return {0, ticket, 0, 0};
  const TicketPlace place = place_of(job, ticket);
  const cuda::SegmentEntry entry = place.column.segments[place.segment];
  return {entry.offset, ticket, entry.bytes, entry.words};
}

__device__ inline void report_failure(const DecodeColumn& column, std::uint32_t code, std::uint64_t offset) {
  atomicAdd(&column.result->failed_chunks, 1);
  atomicExch(&column.result->code, code);
  static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t));
  atomicMin(reinterpret_cast<unsigned long long*>(&column.result->byte_offset),
            static_cast<unsigned long long>(offset));
}

/// Copies bytes of which a block made more than are wanted.
__device__ inline void copy_words(const DecodeBlock& block, std::uint8_t* to, const std::uint8_t* from,
                                  std::uint64_t bytes, unsigned width) {
  with_width(width, [&]<class W>(W) {
    for (std::uint64_t i = block.rank(); i < bytes / sizeof(W); i += block.size())
      store_word(to, i, from == nullptr ? W{0} : load_aligned<W>(from + i * sizeof(W)));
  });
}

/// The rows of a segment that are wanted, and where its words go.
struct TicketWords {
  std::uint32_t words;
  unsigned width;
  std::uint64_t first, begin, end;  ///< Its first word; the wanted ones.
  ScratchMemory scratch;            ///< What is left of it.
  std::uint8_t *wanted,
      *out;  ///< Of the wanted words, and of all of them: in scratch if not all are wanted; or null.
  __device__ bool is_whole() const { return end - begin == words; }
};

__device__ inline TicketWords words_of(const DecodeColumnsJob& job, const TicketPlace& place,
                                       std::uint32_t block) {
  const DecodeColumn& column = place.column;
  TicketWords to;
  to.words = place.words();
  to.width = word_bytes(column.type);
  to.first = place.first_word();
  to.begin = to.first > column.first_row ? to.first : column.first_row;
  to.end = to.first + to.words < column.end_row ? to.first + to.words : column.end_row;
  to.scratch = {job.scratch + block * job.scratch_bytes, job.scratch_bytes, 0};
  to.wanted = column.out + (to.begin - column.first_row) * to.width;
  to.out = to.is_whole() ? to.wanted : to.scratch.take(std::uint64_t{to.words} * to.width);
  return to;
}

__device__ inline void decode_ticket(DecodeBlock& block, const DecodeColumnsJob& job,
                                     const SegmentTask& entry) {
  const TicketPlace place = place_of(job, entry.ticket);
  const DecodeColumn& column = place.column;
  const TicketWords to = words_of(job, place, blockIdx.x);
  std::uint32_t code = static_cast<std::uint32_t>(ErrorCode::corrupt_frame);
  if (is_sound(column, entry, to.words)) {
    const std::uint8_t* const opened = entry.ticket < job.opened_count
                                           ? job.opened + entry.ticket * job.opened_bytes + OpenedRecord::part
                                           : nullptr;
    code = to.out == nullptr
               ? static_cast<std::uint32_t>(ErrorCode::out_of_memory)
               : decode_segment(block, column.data + entry.offset, entry.bytes, column.type, to.words, to.out,
                                to.scratch, opened, blockIdx.x * job.scratch_bytes);
  }
  if (column.codes != nullptr && block.rank() == 0) column.codes[place.segment - column.first_segment] = code;
  if (code != 0) {
    copy_words(block, to.wanted, nullptr, (to.end - to.begin) * to.width, to.width);
    if (block.rank() == 0) report_failure(column, code, entry.offset);
  } else if (!to.is_whole()) {
    copy_words(block, to.wanted, to.out + (to.begin - to.first) * to.width, (to.end - to.begin) * to.width,
               to.width);
  }
}

/// Sets up the results, by one block.
__device__ inline void set_up_results(const DecodeColumnsJob& job) {
  if (threadIdx.x < job.column_count) {
    const DecodeColumn& column = job.column[threadIdx.x];
    *column.result = {(column.end_row - column.first_row) * word_bytes(column.type), ~std::uint64_t{0}, 0, 0};
  }
}

inline constexpr unsigned opening_threads = 2 * warp_lanes;
static_assert(cuda::max_columns <= opening_threads);

__global__ void __launch_bounds__(opening_threads)
    open_columns(const __grid_constant__ DecodeColumnsJob job) {
  extern __shared__ __align__(128) std::uint8_t opening_shared[];
  let_next_kernel_begin();
  if (blockIdx.x == 0) set_up_results(job);
  const std::uint32_t ticket = (blockIdx.x * opening_threads + threadIdx.x) / warp_lanes;
  if (ticket >= job.opened_count) return;
  const TicketPlace place = place_of(job, ticket);
  const TicketWords to = words_of(job, place, 0);
  const cuda::SegmentEntry entry = place.column.segments[place.segment];
  std::uint8_t* const opened = job.opened + ticket * job.opened_bytes;
  DeviceWarp warp;
  OpeningMemory& memory = reinterpret_cast<OpeningMemory*>(opening_shared)[threadIdx.x / warp_lanes];
  if (to.out == nullptr ||
      !is_sound(place.column, {entry.offset, ticket, entry.bytes, entry.words}, to.words)) {
    store_aligned(opened + 4 * warp.lane(), std::uint32_t{UnpackChain::none});
    if (warp.lane() == 0) list_for_blocks(job, ticket);
    return;
  }
  const std::uint32_t places =
      open_for_block(warp, memory, place.column.data + entry.offset, entry.bytes, place.column.type, to.words,
                    to.scratch, to.is_whole() ? to.out : nullptr, job.table_bytes, opened);
  // The entry is on its way while the record is written. Warps find the others among all segments: those are
  // only counted.
  const SegmentList list = list_of(job, memory.chain);
  std::uint32_t index = 0;
  const bool is_listed = warp.lane() == 0 && list != SegmentList::others;
  if (is_listed) index = take_entry(job, list);
  if (warp.lane() == 0 && !is_listed) atomicAdd(&count_of(job, list), 1);
  put_record(warp, memory, places, opened);
  if (is_listed) listed_ticket(job, list, index) = ticket;
}

__global__ void __launch_bounds__(column_threads, decode_blocks_per_multiprocessor)
    decode_columns(const __grid_constant__ DecodeColumnsJob job) {
  wait_for_kernel_before();
  DecodeBlock block;
  DecodeMemory& memory = block.memory();
  for (unsigned turn = 0;; turn = 1 - turn) {
    if (block.rank() == 0) memory.task[turn] = take_segment(job);
    block.sync();
    const SegmentTask task = memory.task[turn];
    if (task.ticket >= job.segment_count) return;
    decode_ticket(block, job, task);
  }
}

}  // namespace floe::gpu
