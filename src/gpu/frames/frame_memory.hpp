// What the blocks that make and read frames share.
#pragma once

#include "gpu/warp/block.hpp"
#include "gpu/warp/block_crc.hpp"

namespace floe::gpu {

inline constexpr unsigned frame_threads = crc_threads, frame_warps = frame_threads / warp_lanes;

struct FrameMemory {
  std::uint32_t crc_step[1024];
  std::uint64_t warp_totals[frame_warps];
  alignas(16) std::uint32_t row_totals[scanned_rows * frame_warps];
  alignas(16) std::uint8_t part[128];  ///< A part of a frame, on its way.
  std::uint32_t flag;
};

}  // namespace floe::gpu
