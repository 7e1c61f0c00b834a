// Compression in device memory: arguments to kernels on a stream.
#include <cuda_runtime.h>

#include <algorithm>
#include <new>

#include "floe/cuda.hpp"
#include "gpu/chunks/chunk_kernels.hpp"
#include "gpu/frames/frame_kernels.hpp"
#include "gpu/frames/frame_start.hpp"
#include "gpu/host/history_launch.hpp"
#include "gpu/host/launch.hpp"
#include "gpu/host/workspace_layout.hpp"

namespace floe::cuda {
namespace {

Status invalid(const char* detail) { return {ErrorCode::invalid_argument, 0, detail}; }

/// Fills in what arguments say, but the items.
Status describe(CompressJob& job, const FrameStart& start, DType dtype, const Extent& extent,
                const Options& options) {
  if (start.header.size() > largest_device_header_bytes)
    return invalid("the header of the frame is too long");
  std::copy(start.header.begin(), start.header.end(), job.header);
  job.header_crc = core::load<std::uint32_t>(start.header.data() + start.header.size() - 4);
  job.rules = start.rules;
  job.dimensionality = options.dimensionality;
  job.element_bytes = static_cast<std::uint32_t>(size_of(dtype));
  job.scalar = extent.rank == 0;
  for (std::uint32_t d = 1; d < extent.rank; ++d) job.row_elements *= extent.size[d];
  if (job.row_elements == 0) job.outer_size_of_empty_rows = extent.size[0];
  return {};
}

Status enqueue(CompressJob& job, const CodecInfo& codec, std::uint64_t total_bytes, Workspace workspace,
               cudaStream_t stream) {
  const bool history = has_history(codec);
  const auto layout = compress_layout(total_bytes, job.item_count, history);
  if (!layout) return invalid("more bytes than any device holds");
  if (workspace.data == nullptr || workspace.bytes < layout->bytes)
    return invalid("the workspace is too small");
  if (reinterpret_cast<std::uintptr_t>(workspace.data) % 256 != 0)
    return invalid("the workspace does not begin at a multiple of 256");
  auto* const base = static_cast<std::uint8_t*>(workspace.data);
  job.counters = reinterpret_cast<Counters*>(base + layout->counters);
  job.entries = reinterpret_cast<std::uint64_t*>(base + layout->entries);
  job.items = reinterpret_cast<CompressItem*>(base + layout->items);
  job.chunk_capacity = layout->chunk_capacity;
  if (history) {
    job.history = history_tables(base, *layout);
  } else {
    job.states = reinterpret_cast<std::uint64_t*>(base + layout->states);
    job.places_bytes = layout->entries - layout->states;
  }

  CudaCalls calls;
  const DeviceShape device = DeviceShape::of_current(calls);
  if (!calls.ok()) return calls.status();
  const FrameKernels frames = frame_kernels();
  const std::uint64_t cleared_at_once = 16 * std::uint64_t{frame_kernel_threads()};
  const auto clearing = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(job.places_bytes / cleared_at_once, 1, device.multiprocessors));
  const std::uint64_t max_units = job.batch == nullptr
                                      ? total_bytes / core::chunk_bytes / job.rules.chunks_per_segment + 1
                                      : layout->chunk_capacity;
  launch(calls, frames.set_up_compression, {clearing, frame_kernel_threads(), 0}, job, stream);
  if (history) {
    launch_history(calls, job, device, max_units, stream);
    return calls.status();
  }
  const ChunkKernels kernels = kernels_of(codec);
  LaunchShape chunks = chunk_launch(device, kernels.compress, layout->chunk_capacity);
  chunks.overlaps = device.overlaps_kernels;
  launch(calls, kernels.compress.function, chunks, job, stream);
  const auto blocks =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(max_units, 2 * device.multiprocessors));
  launch(calls, frames.finish_frames, {blocks, frame_kernel_threads(), 0, device.overlaps_kernels}, job,
         stream);
  return calls.status();
}

Status check_codec(const CodecInfo& codec) {
  return has_kernels(codec)
             ? Status{}
             : Status{ErrorCode::unsupported_codec, 0, "this codec has no kernels for devices"};
}

template <class Body>
Status guarded(const Body& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return {ErrorCode::out_of_memory, 0, "no memory for the header of the frame"};
  }
}

}  // namespace

bool supports(DType dtype, const Options& options) noexcept {
  const auto codec = choose_codec(dtype, options);
  return codec && has_kernels(*codec);
}

Result<std::uint64_t> compress_workspace_size(std::uint64_t total_bytes, std::uint64_t item_count) {
  const auto layout = compress_layout(total_bytes, item_count, false);
  if (!layout) return invalid("more bytes than any device holds");
  return layout->bytes;
}

Result<std::uint64_t> compress_workspace_size(std::uint64_t total_bytes, std::uint64_t item_count,
                                              DType dtype, const Options& options) {
  const auto codec = choose_codec(dtype, options);
  if (!codec) return codec.status();
  const auto layout = compress_layout(total_bytes, item_count, has_history(*codec));
  if (!layout) return invalid("more bytes than any device holds");
  return layout->bytes;
}

Status compress_async(const BatchItem& item, DType dtype, const Extent& extent, const Options& options,
                      ItemResult* result, Workspace workspace, cudaStream_t stream,
                      const std::uint64_t* device_bytes) {
  return guarded([&]() -> Status {
    const auto start = start_frame(dtype, extent, options);
    if (!start) return start.status();
    if (const Status status = check_codec(start->codec); !status.ok()) return status;
    const auto elements = extent.element_count();
    if (!elements || *elements > largest_device_bytes / size_of(dtype) ||
        *elements * size_of(dtype) != item.in_bytes)
      return invalid("the input's size is not that of its shape");
    if (item.in == nullptr && item.in_bytes != 0) return invalid("there is no input");
    if (reinterpret_cast<std::uintptr_t>(item.out) % format::alignment != 0)
      return invalid("the output does not begin at a multiple of 16");
    if (result == nullptr) return invalid("there is no place for the result");
    CompressJob job;
    if (const Status status = describe(job, *start, dtype, extent, options); !status.ok()) return status;
    job.single = item;
    job.device_bytes = device_bytes;
    job.results = result;
    return enqueue(job, start->codec, item.in_bytes, workspace, stream);
  });
}

Status compress_batch_async(const BatchItem* items, std::uint64_t item_count, std::uint64_t total_bytes,
                            DType dtype, const Options& options, ItemResult* results, Workspace workspace,
                            cudaStream_t stream) {
  return guarded([&]() -> Status {
    const Extent list = Extent::linear(0);
    const auto start = start_frame(dtype, list, options);
    if (!start) return start.status();
    if (const Status status = check_codec(start->codec); !status.ok()) return status;
    if (item_count == 0) return {};
    if (items == nullptr || results == nullptr)
      return invalid("there are no items, or no place for their results");
    CompressJob job;
    if (const Status status = describe(job, *start, dtype, list, options); !status.ok()) return status;
    job.batch = items;
    job.item_count = item_count;
    job.results = results;
    return enqueue(job, start->codec, total_bytes, workspace, stream);
  });
}

}  // namespace floe::cuda
