// The kernels of a codec with a stage over the segment, besides those around the frames.
#pragma once

#include "gpu/frames/job.hpp"

namespace floe::gpu {

inline constexpr std::uint32_t history_warps = 8;  ///< Of a block that needs no dynamic shared memory.
inline constexpr std::uint32_t scan_threads = 1024;

/// A kernel that runs several times.
struct HistoryStep {
  CompressJob job;
  std::uint32_t number = 0;
};

/// In the order in which they run; where nothing is said, blocks have frame_threads and a FrameMemory.
struct HistoryWriters {
  void (*count_spans)(HistoryStep) = nullptr;   ///< The next three once per pass. span_warps.
  void (*add_up_spans)(CompressJob) = nullptr;  ///< scan_threads.
  void (*move_spans)(HistoryStep) = nullptr;    ///< span_warps; `mover_bytes` per block.
  void (*mark_tiles)(CompressJob) = nullptr;    ///< 8 warps.
  void (*link_tiles)(CompressJob) = nullptr;    ///< 8 warps.
  void (*match_tiles)(CompressJob) = nullptr;   ///< 8 warps.
  void (*encode_slots)(HistoryStep) = nullptr;  ///< For kind 1, then 0; `coder_bytes` per warp.
  void (*locate_parts)(CompressJob) = nullptr;
  void (*copy_slots)(CompressJob) = nullptr;  ///< 8 warps.
  void (*finish_frames)(CompressJob) = nullptr;
  std::uint32_t passes = 0;
  std::uint32_t mover_bytes = 0, coder_bytes = 0, max_warps = 0;
};

/// Likewise.
struct HistoryReaders {
  void (*locate_segments)(DecodeJob) = nullptr;  ///< After read_frames.
  void (*read_segments)(DecodeJob) = nullptr;
  void (*decode_chunks)(DecodeJob) = nullptr;  ///< `fixed_bytes`, and `coder_bytes` per warp.
  void (*resolve_tiles)(DecodeJob) = nullptr;  ///< 4 warps.
  void (*follow_tiles)(DecodeJob) = nullptr;   ///< rounds_for(tiles of a segment) times. 8 warps.
  void (*deliver_tiles)(DecodeJob) = nullptr;  ///< 8 warps.
  std::uint32_t fixed_bytes = 0, coder_bytes = 0, max_warps = 0;
};

HistoryWriters dpratio_writers();
HistoryReaders dpratio_readers();

}  // namespace floe::gpu
