// Which kernels does a codec have? One translation unit per codec defines one of these functions.
#pragma once

#include <algorithm>

#include "gpu/frames/job.hpp"
#include "gpu/host/launch.hpp"

namespace floe::cuda {

/// A kernel that takes chunks by turns: warps that work on one chunk, how many such teams a block may have,
/// and the shared memory of each.
template <class Job>
struct ChunkKernel {
  void (*function)(Job) = nullptr;
  std::uint32_t team_warps = 1;
  std::uint32_t more_blocks = 0;  ///< That take no chunks.
  std::uint32_t max_teams = 0;
  std::uint32_t team_bytes = 0;
};

/// The chunk kernels of one codec.
struct ChunkKernels {
  ChunkKernel<CompressJob> compress;
  ChunkKernel<DecodeJob> decode;
};

inline constexpr std::uint32_t chunk_kernel_fixed_bytes =
    1024;  ///< Of shared memory, that each of them needs besides.

ChunkKernels spspeed_kernels();
ChunkKernels dpspeed_kernels();
ChunkKernels spratio_kernels();
ChunkKernels gfc64_kernels();
ChunkKernels gfc32_kernels();
ChunkKernels speed8_kernels();
ChunkKernels speed16_kernels();

/// As many teams per block as shared memory has room for, but no more than spread the chunks over all
/// multiprocessors.
template <class Job>
LaunchShape chunk_launch(const DeviceShape& device, const ChunkKernel<Job>& kernel,
                         std::uint32_t max_chunks) {
  constexpr std::uint32_t fixed_bytes = chunk_kernel_fixed_bytes;
  const std::uint32_t room = (device.shared_bytes - fixed_bytes) / kernel.team_bytes;
  const std::uint32_t max_blocks = std::max(1u, device.multiprocessors - kernel.more_blocks);
  const std::uint32_t needed = (max_chunks + max_blocks - 1) / max_blocks;
  const std::uint32_t teams = std::max(1u, std::min({room, needed, kernel.max_teams}));
  const std::uint32_t blocks = std::max(1u, std::min(max_blocks, (max_chunks + teams - 1) / teams));
  return {blocks + kernel.more_blocks, 32 * kernel.team_warps * teams,
          fixed_bytes + teams * kernel.team_bytes};
}

/// Null functions for a codec that has no kernels, or has a stage over the segment (history_kernels.hpp).
ChunkKernels kernels_of(const CodecInfo& codec);

inline bool has_history(const CodecInfo& codec) { return codec.name == "dpratio"; }
inline bool has_kernels(const CodecInfo& codec) {
  return has_history(codec) || kernels_of(codec).compress.function != nullptr;
}

}  // namespace floe::cuda
