// The kernels of each codec. One translation unit per codec defines one of these functions.
#pragma once

#include <algorithm>

#include "chunks/registry/codec_entry.hpp"
#include "gpu/frames/job.hpp"
#include "gpu/host/launch.hpp"

namespace floe::gpu {

/// A kernel that takes chunks by turns: warps for each chunk, such groups in a block, and their memory.
template <class Job>
struct ChunkKernel {
  void (*function)(Job) = nullptr;
  std::uint32_t group_warps = 1;
  std::uint32_t more_blocks = 0;  ///< That take no chunks.
  std::uint32_t max_groups = 0;
  std::uint32_t group_bytes = 0;
};

/// The chunk kernels of one codec.
struct ChunkKernels {
  ChunkKernel<CompressJob> compress;
  ChunkKernel<DecodeJob> decode;
};

inline constexpr std::uint32_t chunk_kernel_fixed_bytes = 1024;  ///< Of shared memory, besides.

ChunkKernels spspeed_kernels();
ChunkKernels dpspeed_kernels();
ChunkKernels spratio_kernels();
ChunkKernels gfc64_kernels();
ChunkKernels gfc32_kernels();
ChunkKernels speed8_kernels();
ChunkKernels speed16_kernels();

/// As many groups per block as fit, but no more than spread the chunks over all multiprocessors.
template <class Job>
LaunchShape chunk_launch(const DeviceShape& device, const ChunkKernel<Job>& kernel,
                         std::uint32_t max_chunks) {
  constexpr std::uint32_t fixed_bytes = chunk_kernel_fixed_bytes;
  const std::uint32_t room = (device.shared_bytes - fixed_bytes) / kernel.group_bytes;
  const std::uint32_t max_blocks = std::max(1u, device.multiprocessors - kernel.more_blocks);
  const std::uint32_t needed = (max_chunks + max_blocks - 1) / max_blocks;
  const std::uint32_t groups = std::max(1u, std::min({room, needed, kernel.max_groups}));
  const std::uint32_t blocks = std::max(1u, std::min(max_blocks, (max_chunks + groups - 1) / groups));
  return {blocks + kernel.more_blocks, 32 * kernel.group_warps * groups,
          fixed_bytes + groups * kernel.group_bytes};
}

/// Null functions for a codec that has a stage over the segment (history_kernels.hpp).
ChunkKernels kernels_of(const registry::CodecEntry& codec);

}  // namespace floe::gpu
