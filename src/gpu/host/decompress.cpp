// Decompression in device memory: arguments to kernels on a stream.
#include <cuda_runtime.h>

#include <algorithm>

#include "floe/cuda.hpp"
#include "gpu/chunks/chunk_kernels.hpp"
#include "gpu/frames/frame_kernels.hpp"
#include "gpu/host/history_launch.hpp"
#include "gpu/host/launch.hpp"
#include "gpu/host/workspace_layout.hpp"

namespace floe::cuda {
namespace {

Status invalid(const char* detail) { return {ErrorCode::invalid_argument, 0, detail}; }

Status enqueue(DecodeJob& job, const FrameKind& kind, std::uint64_t total_bytes, Workspace workspace,
               cudaStream_t stream) {
  Options options;
  options.codec = kind.codec;
  const auto codec = choose_codec(kind.dtype, options);
  if (!codec) return codec.status();
  if (!has_kernels(*codec)) return {ErrorCode::unsupported_codec, 0, "this codec has no kernels for devices"};
  job.dtype = static_cast<std::uint8_t>(kind.dtype);
  job.codec_id = codec->id;
  job.takes_dimensionality = codec->name == "gfc";
  const bool history = has_history(*codec);
  const auto layout = decode_layout(total_bytes, job.item_count, history, kind.slice_segment_bytes);
  if (!layout) return invalid("more bytes than any device holds");
  if (workspace.data == nullptr || workspace.bytes < layout->bytes)
    return invalid("the workspace is too small");
  if (reinterpret_cast<std::uintptr_t>(workspace.data) % 256 != 0)
    return invalid("the workspace does not begin at a multiple of 256");
  auto* const base = static_cast<std::uint8_t*>(workspace.data);
  job.counters = reinterpret_cast<Counters*>(base + layout->counters);
  job.items = reinterpret_cast<DecodeItem*>(base + layout->items);
  job.tasks = reinterpret_cast<ChunkTask*>(base + layout->tasks);
  job.chunk_capacity = layout->chunk_capacity;
  if (history) job.history = history_read(base, *layout);

  CudaCalls calls;
  const DeviceShape device = DeviceShape::of_current(calls);
  if (!calls.ok()) return calls.status();
  const FrameKernels frames = frame_kernels();
  const auto blocks = [&](std::uint64_t most) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(most, 2 * device.multiprocessors));
  };
  // One block needs no counter to know that it is the last.
  if (job.item_count > 1) calls.check(cudaMemsetAsync(job.counters, 0, sizeof(Counters), stream));
  launch(calls, frames.read_frames, {blocks(job.item_count), frame_kernel_threads(), 0}, job, stream);
  if (history) {
    launch_history(calls, job, device, stream);
    return calls.status();
  }
  const ChunkKernels kernels = kernels_of(*codec);
  launch(calls, frames.read_segments,
         {blocks(layout->chunk_capacity), frame_kernel_threads(), 0, device.overlaps_kernels}, job, stream);
  LaunchShape chunks = chunk_launch(device, kernels.decode, layout->chunk_capacity);
  chunks.overlaps = device.overlaps_kernels;
  launch(calls, kernels.decode.function, chunks, job, stream);
  return calls.status();
}

}  // namespace

Result<std::uint64_t> decompress_workspace_size(std::uint64_t total_bytes, std::uint64_t item_count) {
  const auto layout = decode_layout(total_bytes, item_count, false, 0);
  if (!layout) return invalid("more bytes than any device holds");
  return layout->bytes;
}

Result<std::uint64_t> decompress_workspace_size(std::uint64_t total_bytes, std::uint64_t item_count,
                                                const FrameKind& kind) {
  Options options;
  options.codec = kind.codec;
  const auto codec = choose_codec(kind.dtype, options);
  if (!codec) return codec.status();
  const auto layout = decode_layout(total_bytes, item_count, has_history(*codec), kind.slice_segment_bytes);
  if (!layout) return invalid("more bytes than any device holds");
  return layout->bytes;
}

Status decompress_slice_async(const BatchItem& item, const FrameKind& kind, Slice slice, ItemResult* result,
                              Workspace workspace, cudaStream_t stream, const std::uint64_t* device_bytes) {
  if (item.in == nullptr || reinterpret_cast<std::uintptr_t>(item.in) % format::alignment != 0)
    return invalid("the frame does not begin at a multiple of 16");
  if (item.out == nullptr && item.out_bytes != 0) return invalid("there is no output");
  if (result == nullptr) return invalid("there is no place for the result");
  DecodeJob job;
  job.single = item;
  job.device_bytes = device_bytes;
  job.slice = slice;
  job.results = result;
  return enqueue(job, kind, item.out_bytes, workspace, stream);
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
  DecodeJob job;
  job.batch = items;
  job.item_count = item_count;
  job.slice = {0, ~std::uint64_t{0}};
  job.results = results;
  return enqueue(job, kind, total_bytes, workspace, stream);
}

}  // namespace floe::cuda
