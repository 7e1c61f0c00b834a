// Segments of columns to words: the kernels. Warps open segments, as many as there is memory for what they
// find; then blocks take one segment after the other that needs a block until there are none left.

#include "gpu/decode/decode_segment.hpp"
#include "gpu/decode/open_part.hpp"
#include "gpu/decode/verify_stream.hpp"
#include "gpu/entropy/stream_check.hpp"
#include "gpu/unpack/unpack_vectors.cuh"
#include "gpu/warp/device_block.cuh"

namespace floe::gpu {

inline constexpr unsigned decode_blocks_per_multiprocessor = 3;

using DecodeBlock = DeviceBlock<DecodeMemory, column_threads>;

/// Sets up the results, by one block.
__device__ inline void set_up_results(const DecodeColumnsJob& job) {
  if (job.streams == nullptr && threadIdx.x < job.column_count) {
    const DecodeColumn& column = job.column[threadIdx.x];
    *column.result = {(column.end_row - column.first_row) * word_bytes(column.type), ~std::uint64_t{0}, 0, 0};
  }
}

inline constexpr unsigned opening_threads = 2 * warp_lanes;
static_assert(cuda::max_columns <= opening_threads);

/// Whether those who decode a stream find its digest.
__device__ inline bool can_be_checked(const DecodeColumnsJob& job, std::uint32_t ticket) {
  const StreamTask& task = job.streams[ticket];
  return task.checksums != 0 && StreamSums::checksums(task.bytes) <= job.max_checksums;
}

__global__ void __launch_bounds__(opening_threads)
    open_columns(const __grid_constant__ DecodeColumnsJob job) {
  extern __shared__ __align__(128) std::uint8_t opening_shared[];
  let_next_kernel_begin();
  wait_for_kernel_before();
  if (blockIdx.x == 0) set_up_results(job);
  const std::uint32_t ticket = (blockIdx.x * opening_threads + threadIdx.x) / warp_lanes;
  if (ticket >= job.opened_count) return;
  const SegmentTarget to = target_of(job, ticket);
  ScratchMemory scratch{job.scratch, job.scratch_bytes, 0};  // of some block
  const std::uint8_t* const out = words_of_target(to, scratch);
  std::uint8_t* const opened = job.opened + ticket * job.opened_bytes;
  DeviceWarp warp;
  OpeningMemory& memory = reinterpret_cast<OpeningMemory*>(opening_shared)[threadIdx.x / warp_lanes];
  if (out == nullptr || to.data == nullptr || to.words == 0) {
    store_aligned(opened + 4 * warp.lane(), std::uint32_t{UnpackChain::none});
    if (warp.lane() == 0 && to.words > 0) list_for_blocks(job, ticket);
    return;
  }
  const std::uint32_t entries = open_for_block(warp, memory, to.data, to.bytes, to.type, to.words, scratch,
                                               to.is_whole() ? to.wanted : nullptr, job.table_bytes, opened);
  // The entry is on its way while the record is written. Warps find the others among all segments.
  const SegmentList list = list_of(job, memory.chain);
  std::uint32_t index = 0;
  const bool is_listed = warp.lane() == 0 && list != SegmentList::others;
  if (is_listed) index = take_entry(job, list);
  if (warp.lane() == 0 && !is_listed) atomicAdd(&count_of(job, list), 1);
  put_record(warp, memory, entries, opened);
  if (is_listed) listed_ticket(job, list, index) = ticket;
  const bool is_leaf = list == SegmentList::with_entropy || list == SegmentList::with_two_blocks;
  const bool is_checked =
      is_leaf && job.sums != nullptr && !memory.outer.has_streams() && can_be_checked(job, ticket);
  if (!is_checked) return;
  const std::uint32_t sums = StreamSums::words(job.max_checksums);
  index = warp.shuffle(index, 0);
  for (std::uint32_t i = warp.lane(); i < sums; i += warp_lanes)
    job.sums[sums_of_entry(job, list, index) * sums + i] = 0;
  if (warp.lane() == 0) job.streams[ticket].check = StreamTask::by_decoder;
}

using VerifyBlock = DeviceBlock<VerifyMemory, verify_threads>;

__global__ void __launch_bounds__(verify_threads, verify_blocks_per_multiprocessor)
    verify_streams(const __grid_constant__ DecodeColumnsJob job) {
  let_next_kernel_begin();
  wait_for_kernel_before();
  VerifyBlock block;
  for (std::uint32_t ticket = blockIdx.x; ticket < job.segment_count; ticket += gridDim.x)
    verify_stream(block, job, ticket);
}

__global__ void __launch_bounds__(column_threads, decode_blocks_per_multiprocessor)
    decode_columns(const __grid_constant__ DecodeColumnsJob job) {
  wait_for_kernel_before();
  DecodeBlock block;
  DecodeMemory& memory = block.memory();
  for (unsigned turn = 0;; turn = 1 - turn) {
    if (block.rank() == 0) memory.ticket[turn] = take_ticket(job);
    block.sync();
    const std::uint32_t ticket = memory.ticket[turn];
    if (ticket >= job.segment_count) break;
    decode_target(block, job, ticket, blockIdx.x);
  }
  if (job.counters->damaged.count == 0) return;
  for (std::uint32_t ticket = blockIdx.x; ticket < job.segment_count; ticket += gridDim.x)
    clear_if_damaged(block, job, ticket);
}

static_assert(decode_blocks_per_multiprocessor * (sizeof(DecodeMemory) + 1024) <= 228 << 10);

ColumnKernels column_kernels() {
  return {open_columns,
          verify_streams,
          decode_columns,
          opening_threads,
          opening_threads / warp_lanes * sizeof(OpeningMemory),
          sizeof(VerifyMemory),
          sizeof(DecodeMemory)};
}

}  // namespace floe::gpu
