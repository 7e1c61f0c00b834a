// What the threads of a block do together: sums, scans, and the CRC of bytes in global memory.
#pragma once

#include "gpu/warp/crc_parts.hpp"
#include "gpu/warp/device_warp.hpp"

namespace floe::cuda {

static __device__ const CrcTables crc_tables = make_crc_tables();

/// All kernels that work with blocks use blocks of this size.
inline constexpr unsigned block_threads = crc_threads;
inline constexpr unsigned block_warps = block_threads / warp_lanes;

/// Numbers of a thread that scan_rows takes.
inline constexpr unsigned scanned_rows = 8;

struct BlockMemory {
  std::uint32_t crc_step[1024];
  std::uint64_t warp_totals[block_warps];
  alignas(16) std::uint32_t row_totals[scanned_rows * block_warps];
};

/// Copies the tables that block_crc needs; the next barrier makes them visible.
__device__ inline void load_crc_tables(BlockMemory& memory) {
  const auto* step = reinterpret_cast<const std::uint32_t*>(&crc_tables.step);
  for (unsigned i = threadIdx.x; i < 1024; i += block_threads) memory.crc_step[i] = step[i];
}

struct BlockScan {
  std::uint64_t before, total;
};

/// Sum over the threads before this one, and over all. Called by all threads.
__device__ inline BlockScan block_scan(BlockMemory& memory, std::uint64_t number) {
  DeviceWarp warp;
  const std::uint64_t inclusive = inclusive_scan(warp, number);
  __syncthreads();
  if (warp.lane() == 31) memory.warp_totals[threadIdx.x / warp_lanes] = inclusive;
  __syncthreads();
  BlockScan scan{inclusive - number, 0};
  for (unsigned w = 0; w < block_warps; ++w) {
    const std::uint64_t total = memory.warp_totals[w];
    if (w < threadIdx.x / warp_lanes) scan.before += total;
    scan.total += total;
  }
  return scan;
}

/// Turns numbers into the sums of those before, in the order of rows: number i of all threads comes before
/// number i + 1 of any. Returns the sum over all. Called by all threads.
__device__ inline std::uint32_t scan_rows(BlockMemory& memory, std::uint32_t (&number)[scanned_rows]) {
  static_assert(scanned_rows * block_warps == 4 * warp_lanes);  // four of the warps' totals for each lane
  DeviceWarp warp;
  const unsigned own = threadIdx.x / warp_lanes;
  std::uint32_t inclusive[scanned_rows];
#pragma unroll
  for (unsigned i = 0; i < scanned_rows; ++i) inclusive[i] = number[i];
  inclusive_scans(warp, inclusive);
  __syncthreads();
#pragma unroll
  for (unsigned i = 0; i < scanned_rows; ++i) {
    if (warp.lane() == warp_lanes - 1) memory.row_totals[i * block_warps + own] = inclusive[i];
  }
  __syncthreads();
  const uint4 totals = *reinterpret_cast<const uint4*>(memory.row_totals + 4 * warp.lane());
  const std::uint32_t sum = totals.x + totals.y + totals.z + totals.w, upto = inclusive_scan(warp, sum);
  const std::uint32_t x = upto - sum, y = x + totals.x, z = y + totals.y, w = z + totals.z;
  const std::uint32_t before = own % 4 == 0 ? x : own % 4 == 1 ? y : own % 4 == 2 ? z : w;
#pragma unroll
  for (unsigned i = 0; i < scanned_rows; ++i)
    number[i] = inclusive[i] - number[i] + warp.shuffle(before, (i * block_warps + own) / 4);
  return warp.shuffle(upto, warp_lanes - 1);
}

/// CRC-32C of bytes that this block or finished kernels wrote, or that others wrote before a fence. Address
/// and length are multiples of 4; not empty. Called by all threads.
__device__ inline std::uint32_t block_crc(BlockMemory& memory, const std::uint8_t* bytes,
                                          std::uint64_t count) {
  const auto* words = reinterpret_cast<const std::uint32_t*>(bytes);
  const std::uint64_t word_count = count / 4,
                      padding = (block_threads - word_count % block_threads) % block_threads;
  std::uint32_t share = 0;
  constexpr unsigned batch = 8;  // loads in flight
  for (std::uint64_t base = threadIdx.x; base < word_count + padding; base += batch * block_threads) {
    std::uint32_t word[batch];
#pragma unroll
    for (unsigned i = 0; i < batch; ++i) {
      const std::uint64_t at = base + i * block_threads;
      word[i] = at >= padding && at < word_count + padding ? __ldcg(words + (at - padding)) : 0;
      if (at == padding) word[i] = ~word[i];
    }
#pragma unroll
    for (unsigned i = 0; i < batch; ++i) {
      if (base + i * block_threads < word_count + padding) share = crc_step(memory.crc_step, share, word[i]);
    }
  }
  std::uint32_t crc = crc_contribution(crc_tables.last[threadIdx.x], share);
  for (unsigned distance = 16; distance > 0; distance /= 2) crc ^= __shfl_xor_sync(0xFFFFFFFF, crc, distance);
  __syncthreads();
  if (threadIdx.x % warp_lanes == 0) memory.warp_totals[threadIdx.x / warp_lanes] = crc;
  __syncthreads();
  std::uint32_t all = 0;
  for (unsigned w = 0; w < block_warps; ++w) all ^= static_cast<std::uint32_t>(memory.warp_totals[w]);
  return ~all;
}

/// True for all threads of the last block that gets here. What the others wrote before is then visible to
/// loads that bypass L1.
__device__ inline bool is_last_of(std::uint32_t* arrived, std::uint32_t count) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(arrived, 1) + 1 == count;
    __threadfence();
  }
  __syncthreads();
  return last;
}

/// The last index whose `first(index)` is at most `number`; first(0) is 0 and first never falls.
template <class First>
__device__ inline std::uint64_t find_owner(std::uint64_t count, std::uint32_t number, const First& first) {
  std::uint64_t low = 0, high = count;
  while (high - low > 1) {
    const std::uint64_t middle = (low + high) / 2;
    if (first(middle) <= number) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace floe::cuda
