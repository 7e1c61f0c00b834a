// The kernels around the chunks: what is set up before them, and the parts of frames that are not payloads.
// All of them run with any number of blocks of frame_threads threads, whose shared memory is a FrameMemory.
#pragma once

#include "gpu/frames/job.hpp"

namespace floe::gpu {

struct FrameKernels {
  void (*set_up_compression)(CompressJob) = nullptr;  ///< Numbers of the items' chunks and segments.
  void (*finish_frames)(CompressJob) = nullptr;   ///< After the chunks: headers, tables, footers, results.
  void (*finish_streams)(CompressJob) = nullptr;  ///< The same around streams of trees.
  void (*read_frames)(DecodeJob) = nullptr;  ///< Headers and footers, then the numbers of the items' chunks.
  void (*read_segments)(DecodeJob) = nullptr;  ///< Headers and tables of segments, which give the tasks.
  void (*read_streams)(DecodeJob) = nullptr;   ///< Headers and digests of segments with trees, likewise.
};
FrameKernels frame_kernels();

}  // namespace floe::gpu
