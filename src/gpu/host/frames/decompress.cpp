// Decompression in device memory: arguments to kernels on a stream.
#include <cuda_runtime.h>

#include "core/guard.hpp"
#include "core/type.hpp"
#include "gpu/chunks/chunk_kernels.hpp"
#include "gpu/host/columns/decode_segments.hpp"
#include "gpu/host/frames/frame_launch.hpp"
#include "gpu/host/frames/workspace_layout.hpp"
#include "tree/plan.hpp"

namespace floe::gpu {
namespace {

/// The codec that frames have; null for those with trees. Errors: invalid_argument.
Result<const registry::CodecEntry*> codec_of(const cuda::FrameKind& kind) {
  if (!is_element_type(kind.dtype)) return invalid("unknown element type");
  if (kind.tree.empty()) return nullptr;
  const auto plan = trees::plan_from_text(kind.tree, kind.dtype);
  if (!plan) return plan.status();
  const trees::PlanNode& root = plan->nodes[0];
  if (root.encoding != trees::EncodingId::codec) return nullptr;
  return registry::find_codec(static_cast<std::uint16_t>(root.parameters[0]));
}

Status enqueue_leaf(DecodeJob& job, const registry::CodecEntry& codec, const cuda::FrameKind& kind,
                    std::uint64_t total_bytes, cuda::Workspace workspace, cudaStream_t stream) {
  job.codec_id = static_cast<std::uint8_t>(codec.id);
  job.max_dimensionality = codec.takes_dimensionality ? warp_lanes : 1;
  job.max_kind = codec.has_history ? chunks::kind_history : chunks::kind_content;
  const auto layout = decode_layout(total_bytes, job.item_count, codec.has_history, kind.segment_bytes);
  if (!layout) return too_many_bytes;
  if (const Status status = check_workspace(workspace, layout->bytes); !status.ok()) return status;
  auto* const base = static_cast<std::uint8_t*>(workspace.data);
  job.counters = reinterpret_cast<Counters*>(base + layout->counters);
  job.items = reinterpret_cast<DecodeItem*>(base + layout->items);
  job.tasks = reinterpret_cast<ChunkTask*>(base + layout->tasks);
  job.chunk_capacity = layout->chunk_capacity;
  if (codec.has_history) job.history = history_read(base, *layout);

  CudaCalls calls;
  const DeviceShape device = DeviceShape::of_current(calls);
  if (!calls.ok()) return calls.status();
  read_frames(calls, job, device, stream);
  if (codec.has_history) {
    launch_history(calls, job, device, stream);
    return calls.status();
  }
  const ChunkKernels kernels = kernels_of(codec);
  launch(calls, frame_kernels().read_segments,
         frame_shape(layout->chunk_capacity, device, device.overlaps_kernels), job, stream);
  LaunchShape chunks = chunk_launch(device, kernels.decode, layout->chunk_capacity);
  chunks.overlaps = device.overlaps_kernels;
  launch(calls, kernels.decode.function, chunks, job, stream);
  return calls.status();
}

/// Of frames with trees. Words of the longest segment, and what a call needs.
struct TreeCall {
  std::uint64_t segment_words = 0;
  TreeLayout layout;
  std::uint64_t workspace_bytes = 0;
};
Result<TreeCall> describe_trees(const cuda::FrameKind& kind, std::uint64_t total_bytes,
                                std::uint64_t item_count) {
  const std::uint64_t width = size_of(kind.dtype);
  TreeCall call;
  call.segment_words = kind.segment_bytes == 0 ? cuda::usual_segment_words : kind.segment_bytes / width;
  if (call.segment_words == 0 || call.segment_words > cuda::max_segment_words)
    return invalid("the length of the segments of frames");
  const auto layout =
      tree_layout<DecodeItem, StreamTask>(call.segment_words * width, total_bytes, item_count, 2);
  if (!layout) return too_many_bytes;
  call.layout = *layout;
  const auto decoding = cuda::decode_workspace_size(static_cast<std::uint32_t>(call.segment_words),
                                                    static_cast<std::uint32_t>(width), layout->unit_capacity);
  if (!decoding) return decoding.status();
  call.workspace_bytes = layout->bytes + *decoding;
  return call;
}

Status enqueue_trees(DecodeJob& job, const TreeCall& call, cuda::Workspace workspace, cudaStream_t stream) {
  if (const Status status = check_workspace(workspace, call.workspace_bytes); !status.ok()) return status;
  const TreeLayout& layout = call.layout;
  auto* const base = static_cast<std::uint8_t*>(workspace.data);
  job.counters = reinterpret_cast<Counters*>(base + layout.counters);
  job.items = reinterpret_cast<DecodeItem*>(base + layout.items);
  job.streams = reinterpret_cast<StreamTask*>(base + layout.streams);
  job.chunk_capacity = ~std::uint32_t{0};
  job.unit_capacity = static_cast<std::uint32_t>(layout.unit_capacity);
  job.max_stream_content = call.segment_words * size_of(job.dtype);

  CudaCalls calls;
  const DeviceShape device = DeviceShape::of_current(calls);
  if (!calls.ok()) return calls.status();
  const cuda::Workspace rest{base + layout.bytes, workspace.bytes - layout.bytes};
  begin_decoding(calls, rest, stream);  // here, as kernels overlap where there is nothing between them
  read_frames(calls, job, device, stream);
  launch(calls, frame_kernels().read_streams, reading_shape(layout.unit_capacity, device), job, stream);
  if (!calls.ok()) return calls.status();
  DecodeColumnsJob segments;
  segments.streams = job.streams;
  segments.results = job.results;
  segments.segment_count = job.unit_capacity;
  segments.column_count = 1;
  DecodeColumn& like = segments.column[0];
  like.type = word_type(job.dtype);
  like.segment_words = static_cast<std::uint32_t>(call.segment_words);
  like.word_count = layout.unit_capacity * call.segment_words;
  like.end_ticket = job.unit_capacity;
  return decode_segments(segments, SegmentRooms::of(call.segment_words, word_bytes(like.type)), rest, ~0u,
                         stream);
}

Status enqueue(DecodeJob& job, const cuda::FrameKind& kind, std::uint64_t total_bytes,
               cuda::Workspace workspace, cudaStream_t stream) {
  return core::guarded([&]() -> Status {
    const auto codec = codec_of(kind);
    if (!codec) return codec.status();
    job.dtype = kind.dtype;
    if (*codec == nullptr) {
      const auto call = describe_trees(kind, total_bytes, job.item_count);
      return call ? enqueue_trees(job, *call, workspace, stream) : call.status();
    }
    return enqueue_leaf(job, **codec, kind, total_bytes, workspace, stream);
  });
}

}  // namespace
}  // namespace floe::gpu

namespace floe::cuda {

using gpu::invalid;

Result<std::uint64_t> decompress_workspace_size(std::uint64_t total_bytes, std::uint64_t item_count,
                                                const FrameKind& kind) {
  const auto codec = gpu::codec_of(kind);
  if (!codec) return codec.status();
  if (*codec == nullptr) {
    const auto call = gpu::describe_trees(kind, total_bytes, item_count);
    return call ? Result<std::uint64_t>(call->workspace_bytes) : call.status();
  }
  const auto layout = gpu::decode_layout(total_bytes, item_count, (*codec)->has_history, kind.segment_bytes);
  if (!layout) return gpu::too_many_bytes;
  return layout->bytes;
}

Status decompress_slice_async(const BatchItem& item, const FrameKind& kind, Slice slice, ItemResult* result,
                              Workspace workspace, cudaStream_t stream, const std::uint64_t* device_bytes) {
  if (item.in == nullptr || reinterpret_cast<std::uintptr_t>(item.in) % container::alignment != 0)
    return invalid("the frame does not begin at a multiple of 16");
  if (item.out == nullptr && item.out_bytes != 0) return invalid("there is no output");
  if (result == nullptr) return invalid("there is no place for the result");
  gpu::DecodeJob job;
  job.single = item;
  job.device_bytes = device_bytes;
  job.slice = slice;
  job.results = result;
  return gpu::enqueue(job, kind, item.out_bytes, workspace, stream);
}

Status decompress_async(const BatchItem& item, const FrameKind& kind, ItemResult* result, Workspace workspace,
                        cudaStream_t stream, const std::uint64_t* device_bytes) {
  return decompress_slice_async(item, kind, {0, ~std::uint64_t{0}}, result, workspace, stream, device_bytes);
}

Status decompress_batch_async(const BatchItem* items, std::uint64_t item_count, std::uint64_t total_bytes,
                              const FrameKind& kind, ItemResult* results, Workspace workspace,
                              cudaStream_t stream) {
  if (item_count == 0) return {};
  if (items == nullptr || results == nullptr)
    return invalid("there are no items, or no place for their results");
  gpu::DecodeJob job;
  job.batch = items;
  job.item_count = item_count;
  job.slice = {0, ~std::uint64_t{0}};
  job.results = results;
  return gpu::enqueue(job, kind, total_bytes, workspace, stream);
}

}  // namespace floe::cuda
