// Frames whose segments have trees, on a stream: what is done before and behind the encoders of their
// streams.
#pragma once

#include "gpu/frames/frame_start.hpp"
#include "gpu/host/frames/frame_launch.hpp"
#include "gpu/host/frames/workspace_layout.hpp"

namespace floe::gpu {

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

/// Points a job to its parts of the workspace, and sets them up.
inline void begin_tree_frames(CudaCalls& calls, CompressJob& job, const TreeLayout& layout,
                              std::uint8_t* workspace, const DeviceShape& device, cudaStream_t stream) {
  job.counters = reinterpret_cast<Counters*>(workspace + layout.counters);
  job.items = reinterpret_cast<CompressItem*>(workspace + layout.items);
  job.streams = reinterpret_cast<SegmentEntry*>(workspace + layout.streams);
  job.encoded = reinterpret_cast<ItemResult*>(workspace + layout.encoded);
  job.chunk_capacity = ~std::uint32_t{0};
  job.unit_capacity = static_cast<std::uint32_t>(layout.unit_capacity);
  set_up_compression(calls, job, device, stream);
}

/// The column of the only array of a job that has begun. Its room begins behind the header of the frame.
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
  launch(calls, frame_kernels().finish_streams, frame_shape(job.unit_capacity, device), job, stream);
}

}  // namespace floe::gpu
