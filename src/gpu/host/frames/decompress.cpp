// Decompression in device memory: arguments to kernels on a stream.
#include <cuda_runtime.h>

#include "core/guard.hpp"
#include "gpu/chunks/chunk_kernels.hpp"
#include "gpu/host/frames/frame_launch.hpp"
#include "gpu/host/frames/history_launch.hpp"
#include "gpu/host/frames/workspace_layout.hpp"
#include "tree/plan.hpp"

namespace floe::gpu {
namespace {

/// The codec that frames have. Errors: invalid_argument, unsupported_codec.
Result<const registry::CodecEntry*> codec_of(const cuda::FrameKind& kind) {
  if (!is_element_type(kind.dtype)) return invalid("unknown element type");
  const auto plan = trees::plan_from_text(kind.tree, kind.dtype);
  if (!plan) return plan.status();
  const trees::PlanNode& root = plan->nodes[0];
  if (root.encoding != trees::EncodingId::codec)
    return Status{ErrorCode::unsupported_codec, 0, "devices read frames with codecs only"};
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

Status enqueue(DecodeJob& job, const cuda::FrameKind& kind, std::uint64_t total_bytes,
               cuda::Workspace workspace, cudaStream_t stream) {
  return core::guarded([&]() -> Status {
    const auto codec = codec_of(kind);
    if (!codec) return codec.status();
    job.dtype = kind.dtype;
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
