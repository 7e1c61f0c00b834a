// Thread blocks: functions that all threads of a block call together. On a device a block is a DeviceBlock
// (device_block.cuh), in tests the lanes of emulated warps (tests/support/emulated_block.hpp).
//
// A Block has rank() and size() of its threads; warp(), warp_index(), warp_count(); sync() for all threads;
// any(): a sync that says whether something is true for some thread; and memory(), which all threads share.
// Functions take memory from the block, so that the compiler knows where it lies. Blocks that decode also
// have wait_for() and publish(), by which a thread waits for another one.
#pragma once

#include "gpu/warp/device.hpp"

namespace floe::gpu {

/// Of blocks that work on columns; a multiprocessor with 227 KiB of shared memory holds three that decode.
inline constexpr unsigned column_warps = 8, column_threads = column_warps * warp_lanes;

struct BlockScan {
  std::uint64_t before = 0, total = 0;
};

/// Sum over the threads before, and over all. `totals` is a number per warp, free again after the next sync.
template <class Block>
FLOE_DEVICE BlockScan block_scan(Block& block, std::uint64_t* totals, std::uint64_t number) {
  auto& warp = block.warp();
  const std::uint64_t inclusive = inclusive_scan(warp, number);
  block.sync();
  if (warp.lane() == warp_lanes - 1) totals[block.warp_index()] = inclusive;
  block.sync();
  BlockScan scan{inclusive - number, 0};
  for (unsigned w = 0; w < block.warp_count(); ++w) {
    if (w < block.warp_index()) scan.before += totals[w];
    scan.total += totals[w];
  }
  return scan;
}

/// Numbers of a thread that scan_rows takes.
inline constexpr unsigned scanned_rows = 8;

/// Turns numbers into the sums of those before, in the order of rows: number i of all threads comes before
/// number i + 1 of any. Returns the sum over all. For blocks of 16 warps; `totals` is shared memory for
/// scanned_rows numbers per warp, aligned to 16.
template <class Block>
FLOE_DEVICE std::uint32_t scan_rows(Block& block, std::uint32_t* totals,
                                    std::uint32_t (&number)[scanned_rows]) {
  constexpr unsigned warps = 16;
  static_assert(scanned_rows * warps == 4 * warp_lanes);  // four of the warps' totals for each lane
  auto& warp = block.warp();
  const unsigned own = block.warp_index();
  std::uint32_t inclusive[scanned_rows];
  FLOE_UNROLL
  for (unsigned i = 0; i < scanned_rows; ++i) inclusive[i] = number[i];
  inclusive_scans(warp, inclusive);
  block.sync();
  FLOE_UNROLL
  for (unsigned i = 0; i < scanned_rows; ++i) {
    if (warp.lane() == warp_lanes - 1) totals[i * warps + own] = inclusive[i];
  }
  block.sync();
  const auto four =
      load_aligned<Vector<std::uint32_t>>(reinterpret_cast<const std::uint8_t*>(totals + 4 * warp.lane()));
  const std::uint32_t sum = four.word[0] + four.word[1] + four.word[2] + four.word[3],
                      inclusive_sum = inclusive_scan(warp, sum);
  std::uint32_t before = inclusive_sum - sum;  // of this warp, in the row that the lane has
  FLOE_UNROLL
  for (unsigned i = 0; i < 3; ++i) before += i < own % 4 ? four.word[i] : 0;
  FLOE_UNROLL
  for (unsigned i = 0; i < scanned_rows; ++i)
    number[i] = inclusive[i] - number[i] + warp.shuffle(before, (i * warps + own) / 4);
  return warp.shuffle(inclusive_sum, warp_lanes - 1);
}

/// The last index whose `first(index)` is at most `number`; first(0) is 0 and first never falls.
template <class First>
FLOE_DEVICE std::uint64_t find_owner(std::uint64_t count, std::uint32_t number, const First& first) {
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

}  // namespace floe::gpu
