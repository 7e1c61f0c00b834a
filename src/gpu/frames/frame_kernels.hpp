// The kernels around the chunks: what is set up before them, and the parts of frames that are not payloads.
#pragma once

#include "gpu/frames/job.hpp"

namespace floe::cuda {

/// Threads of each block of these kernels.
std::uint32_t frame_kernel_threads();

struct FrameKernels {
  void (*set_up_compression)(CompressJob) =
      nullptr;  ///< Places of the items, by the first of any number of blocks.
  void (*finish_frames)(CompressJob) =
      nullptr;  ///< After the chunks: headers, segment heads, footers, results. Any number of blocks.
  void (*read_frames)(DecodeJob) =
      nullptr;  ///< Headers and footers, then the places of the items. Any number of blocks.
  void (*read_segments)(DecodeJob) = nullptr;  ///< Segment heads, which give the tasks. Any number of blocks.
};
FrameKernels frame_kernels();

}  // namespace floe::cuda
