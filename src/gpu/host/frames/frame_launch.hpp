// The kernels around the segments of frames onto a stream, those of codecs with a stage over the segment in
// their order, and checks that all calls for frames share.
#pragma once

#include "gpu/frames/frame_memory.hpp"
#include "gpu/frames/job.hpp"
#include "gpu/host/frames/workspace_layout.hpp"
#include "gpu/host/launch.hpp"

namespace floe::gpu {

inline constexpr Status too_many_bytes = invalid("more bytes than any device holds");

/// Blocks for so many items or segments.
inline LaunchShape frame_shape(std::uint64_t work, const DeviceShape& device, bool overlaps = false) {
  return {static_cast<std::uint32_t>(std::clamp<std::uint64_t>(work, 1, 2 * device.multiprocessors)),
          frame_threads, sizeof(FrameMemory), overlaps};
}

inline void set_up_compression(CudaCalls& calls, const CompressJob& job, const DeviceShape& device,
                               cudaStream_t stream) {
  constexpr std::uint64_t cleared_at_once = 16 * frame_threads;
  const auto blocks = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(job.states_bytes / cleared_at_once, 1, device.multiprocessors));
  launch(calls, frame_kernels().set_up_compression, {blocks, frame_threads, sizeof(FrameMemory)}, job,
         stream);
}

inline void read_frames(CudaCalls& calls, const DecodeJob& job, const DeviceShape& device,
                        cudaStream_t stream) {
  // One block needs no counter to know that it is the last.
  if (job.item_count > 1) calls.check(cudaMemsetAsync(job.counters, 0, sizeof(Counters), stream));
  launch(calls, frame_kernels().read_frames, frame_shape(job.item_count, device), job, stream);
}

HistoryTables history_tables(std::uint8_t* workspace, const CompressLayout& layout);
HistoryRead history_read(std::uint8_t* workspace, const DecodeLayout& layout);

/// Everything after set_up_compression. `max_units`: segments of all items, at most.
void launch_history(CudaCalls& calls, const CompressJob& job, const DeviceShape& device,
                    std::uint64_t max_units, cudaStream_t stream);

/// Everything after read_frames.
void launch_history(CudaCalls& calls, const DecodeJob& job, const DeviceShape& device, cudaStream_t stream);

}  // namespace floe::gpu
