// Words of columns to segments: the kernel. Blocks take one segment after the other until there are none left;
// where a segment goes is known when those before it have published their sizes.
#pragma once

#include "gpu/encode/encode_job.hpp"
#include "gpu/encode/encode_segment.hpp"
#include "gpu/pack/segment_places.hpp"
#include "gpu/warp/device_block.cuh"

namespace floe::gpu {

inline constexpr unsigned encode_blocks_per_multiprocessor = 2;

using EncodeBlock = DeviceBlock<EncodeMemory, column_threads>;

/// Resets what blocks share, and puts the trees where they find them.
__global__ void set_up_encoding(const __grid_constant__ EncodeSetUpJob job) {
  if (job.wanted != nullptr && *job.wanted == 0) return;
  const std::uint32_t rank = blockIdx.x * blockDim.x + threadIdx.x, size = gridDim.x * blockDim.x;
  for (std::uint32_t i = rank; job.trees_to != nullptr && i < sizeof(EncodeTrees); i += size)
    reinterpret_cast<std::uint8_t*>(job.trees_to)[i] = reinterpret_cast<const std::uint8_t*>(&job.trees)[i];
  for (std::uint64_t i = rank; i < job.zero_words; i += size) job.zeros[i] = 0;
  if (rank >= job.column_count) return;
  cuda::ItemResult& result = *job.result[rank];
  if (job.refused == nullptr) {
    result = {0, ~std::uint64_t{0}, 0, 0};
  } else {
    // What is encoded once more is judged once more.
    result.failed_chunks -= job.refused[rank];
    if (result.failed_chunks == 0) result.code = 0;
  }
}

/// The tree of a segment. Null if its index is too large.
__device__ inline const std::uint8_t* tree_bytes(const EncodeColumnsJob& job, const EncodeColumn& column,
                                                 std::uint32_t segment) {
  const unsigned tree = column.tree_of_segment == nullptr ? 0 : column.tree_of_segment[segment];
  return tree < column.tree_count ? job.trees->bytes + job.trees->place[column.first_tree + tree] : nullptr;
}

__device__ inline std::uint32_t take_ticket(const EncodeColumnsJob& job) {
  return job.first_ticket + atomicAdd(job.ticket, 1);
}

/// Encodes the segment of a ticket; takes the next ticket while its bytes are gathered.
__device__ inline void encode_ticket(EncodeBlock& block, const EncodeColumnsJob& job, std::uint32_t ticket) {
  EncodeMemory& memory = block.memory();
  unsigned index = 0;
  while (ticket >= job.column[index].end_ticket) ++index;
  const EncodeColumn& column = job.column[index];
  const std::uint32_t first_ticket = index == 0 ? 0 : job.column[index - 1].end_ticket,
                      segment = ticket - first_ticket;
  const std::uint64_t first = std::uint64_t{segment} * column.segment_words, rest = column.word_count - first;
  const auto words = static_cast<std::uint32_t>(rest < column.segment_words ? rest : column.segment_words);
  const std::uint8_t* const tree = tree_bytes(job, column, segment);
  if (block.rank() == 0 && tree != nullptr && tree != memory.plan_bytes) {
    read_encode_plan(tree, memory.plan);
    memory.plan_bytes = tree;
  }
  std::uint64_t bytes = 0;
  if (tree != nullptr) {
    bytes = encode_pieces(block, {column.words + first * word_bytes(column.type), words, column.type},
                          job.scratch + blockIdx.x * job.scratch_bytes);
  }
  const std::uint64_t padded = (bytes + 15) / 16 * 16;
  const bool is_last = ticket + 1 == column.end_ticket;
  if (block.warp_index() == 0) {
    if (block.rank() == 0 && segment > 0) write_state(job.states + ticket, SegmentState::own | padded);
    const std::uint64_t offset =
        segment == 0 ? 0 : bytes_before(block.warp(), job.states, first_ticket, ticket, [] { return false; });
    if (block.rank() == 0) {
      write_state(job.states + ticket, SegmentState::upto_end | (offset + padded));
      const bool fits = tree != nullptr && offset + padded <= column.out_bytes;
      memory.place = fits ? offset : ~std::uint64_t{0};
      column.segments[segment] = {offset, fits ? static_cast<std::uint32_t>(bytes) : 0, words};
      if (!fits)
        report_encode_failure(*column.result,
                              tree == nullptr ? ErrorCode::invalid_argument : ErrorCode::output_too_small);
      if (is_last) column.result->bytes = offset + padded;
    }
  }
  block.sync();
  const std::uint64_t place = memory.place;
  const std::uint32_t next = block.rank() == 0 ? take_ticket(job) : 0;
  if (place != ~std::uint64_t{0}) {
    gather_pieces(block, column.out + place);
    if (block.rank() < padded - bytes) column.out[place + bytes + block.rank()] = 0;
  }
  if (block.rank() == 0) memory.ticket = next;
  block.sync();
}

// A multiprocessor has 228 KiB of shared memory, of which 1 KiB per block is taken.
static_assert(encode_blocks_per_multiprocessor * (sizeof(EncodeMemory) + 1024) <= 228 << 10);

__global__ void __launch_bounds__(column_threads, encode_blocks_per_multiprocessor)
    encode_columns(const __grid_constant__ EncodeColumnsJob job) {
  if (job.wanted != nullptr && *job.wanted == 0) return;
  EncodeBlock block;
  EncodeMemory& memory = block.memory();
  memory.plan_bytes = nullptr;
  if (block.rank() == 0) memory.ticket = take_ticket(job);
  block.sync();
  while (true) {
    const std::uint32_t ticket = memory.ticket;
    block.sync();
    if (ticket >= job.segment_count) return;
    encode_ticket(block, job, ticket);
  }
}

}  // namespace floe::gpu
