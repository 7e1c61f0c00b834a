// Which kernels does a codec have? One translation unit per codec defines one of these functions.
#pragma once

#include <algorithm>

#include "cuda/job.hpp"
#include "cuda/launch.hpp"

namespace floe::cuda {

/// The chunk kernels of one codec and the shared memory that a warp of them needs.
struct ChunkKernels {
  void (*compress)(CompressJob) = nullptr;
  void (*decode)(DecodeJob) = nullptr;
  std::uint32_t compress_warp_bytes = 0;
  std::uint32_t decode_warp_bytes = 0;
  std::uint32_t fixed_bytes = 0;
  std::uint32_t most_warps = 0;
};

ChunkKernels spspeed_kernels();
ChunkKernels dpspeed_kernels();
ChunkKernels spratio_kernels();
ChunkKernels gfc64_kernels();
ChunkKernels gfc32_kernels();
ChunkKernels speed8_kernels();
ChunkKernels speed16_kernels();

/// As many warps per block as shared memory has room for, but no more than spread the chunks over all multiprocessors.
inline LaunchShape chunk_launch(const DeviceShape& device, const ChunkKernels& kernels, std::uint32_t warp_bytes,
                                std::uint32_t most_chunks) {
  const std::uint32_t room = (device.shared_bytes - kernels.fixed_bytes) / warp_bytes;
  const std::uint32_t needed = (most_chunks + device.multiprocessors - 1) / device.multiprocessors;
  const std::uint32_t warps = std::max(1u, std::min({room, needed, kernels.most_warps}));
  const std::uint32_t blocks = std::max(1u, std::min(device.multiprocessors, (most_chunks + warps - 1) / warps));
  return {blocks, 32 * warps, kernels.fixed_bytes + warps * warp_bytes};
}

/// Null functions for a codec that has no kernels, or has a stage over the segment (history_kernels.hpp).
ChunkKernels kernels_of(const CodecInfo& codec);

inline bool has_history(const CodecInfo& codec) { return codec.name == "dpratio"; }
inline bool has_kernels(const CodecInfo& codec) { return has_history(codec) || kernels_of(codec).compress != nullptr; }

}  // namespace floe::cuda
