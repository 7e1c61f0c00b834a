// What the blocks that make and read frames share: memory, and how they find their frame.
#pragma once

#include "gpu/warp/block.hpp"
#include "gpu/warp/block_crc.hpp"

namespace floe::gpu {

inline constexpr unsigned frame_threads = crc_threads, frame_warps = frame_threads / warp_lanes;
/// Blocks that finish streams: the last one of a frame writes its footer alone, of which all crc_threads take
/// their shares.
inline constexpr unsigned stream_threads = 512, stream_blocks_per_multiprocessor = 2;
/// Those that only read headers of segments are small, and many: each waits for the memory most of the time.
inline constexpr unsigned reading_threads = 32, reading_blocks_per_multiprocessor = 32;

struct FrameMemory {
  std::uint32_t crc_step[1024];
  std::uint64_t warp_totals[frame_warps];
  alignas(16) std::uint32_t row_totals[scanned_rows * frame_warps];
  std::uint32_t flag;
};

/// The item of a job that a unit belongs to.
template <class Job>
FLOE_DEVICE std::uint32_t item_of_unit(const Job& job, std::uint32_t unit) {
  if (job.item_count == 1) return 0;
  return static_cast<std::uint32_t>(
      find_owner(job.item_count, unit, [&](std::uint64_t i) { return job.items[i].first_unit; }));
}

}  // namespace floe::gpu
