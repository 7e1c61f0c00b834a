// The kernels around the segments of frames onto a stream, those of codecs with a stage over the segment in
// their order, and checks that all calls for frames share.
#pragma once

#include "gpu/frames/frame_memory.hpp"
#include "gpu/frames/frame_start.hpp"
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

/// Blocks that read so many streams.
inline LaunchShape stream_shape(std::uint64_t streams, const DeviceShape& device) {
  const std::uint64_t blocks = stream_blocks_per_multiprocessor * std::uint64_t{device.multiprocessors};
  return {static_cast<std::uint32_t>(std::clamp<std::uint64_t>(streams, 1, blocks)), stream_threads,
          sizeof(FrameMemory), device.overlaps_kernels};
}

inline LaunchShape reading_shape(std::uint64_t streams, const DeviceShape& device) {
  const std::uint64_t blocks = reading_blocks_per_multiprocessor * std::uint64_t{device.multiprocessors};
  return {static_cast<std::uint32_t>(std::clamp<std::uint64_t>(streams, 1, blocks)), reading_threads,
          sizeof(FrameMemory), device.overlaps_kernels};
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

inline std::optional<TreeLayout> tree_frames_layout(const pipeline::ArrayPlan& plan,
                                                    std::uint64_t total_bytes, std::uint64_t item_count) {
  return tree_layout<CompressItem, SegmentEntry>(plan.segment_bytes, total_bytes, item_count, 1);
}

/// The segments of frames as those of a column of `words` words; encoders leave room for their headers.
inline cuda::ColumnEncode column_of(const pipeline::ArrayPlan& plan, std::uint64_t words) {
  cuda::ColumnEncode column;
  column.word_count = words;
  column.segment_words = static_cast<std::uint32_t>(plan.segment_bytes / plan.word_bytes());
  column.type = plan.header.dtype;
  column.lead_bytes = container::array_segment_header_bytes;
  return column;
}

/// Points a job to its parts of the workspace, which set_up_compression makes ready.
inline void point_to_tree_frames(CompressJob& job, const TreeLayout& layout, std::uint8_t* workspace) {
  job.counters = reinterpret_cast<Counters*>(workspace + layout.counters);
  job.items = reinterpret_cast<CompressItem*>(workspace + layout.items);
  job.streams = reinterpret_cast<SegmentEntry*>(workspace + layout.streams);
  job.encoded = reinterpret_cast<ItemResult*>(workspace + layout.encoded);
  job.facts = reinterpret_cast<StreamFacts*>(workspace + layout.facts);
  job.states = reinterpret_cast<std::uint64_t*>(job.facts);  // becomes zero
  job.states_bytes = sizeof(StreamFacts) * layout.unit_capacity;
  job.chunk_capacity = ~std::uint32_t{0};
  job.unit_capacity = static_cast<std::uint32_t>(layout.unit_capacity);
}

/// The same, and makes them ready.
inline void begin_tree_frames(CudaCalls& calls, CompressJob& job, const TreeLayout& layout,
                              std::uint8_t* workspace, const DeviceShape& device, cudaStream_t stream) {
  point_to_tree_frames(job, layout, workspace);
  set_up_compression(calls, job, device, stream);
}

/// The column of the only array of a job that points to its workspace. Its room begins behind the header of
/// the frame.
inline cuda::ColumnEncode column_of(const pipeline::ArrayPlan& plan, const CompressJob& job) {
  const BatchItem& item = job.single;
  const std::uint64_t header_bytes = job.rules.header_bytes;
  cuda::ColumnEncode column = column_of(plan, item.in_bytes / plan.word_bytes());
  column.words = item.in;
  column.out = static_cast<std::uint8_t*>(item.out) + header_bytes;
  column.out_bytes = item.out_bytes - std::min(item.out_bytes, header_bytes);
  column.segments = job.streams;
  column.result = job.encoded;
  return column;
}

inline void finish_tree_frames(CudaCalls& calls, const CompressJob& job, const DeviceShape& device,
                               cudaStream_t stream) {
  launch(calls, frame_kernels().finish_streams, stream_shape(job.unit_capacity, device), job, stream);
}

}  // namespace floe::gpu
