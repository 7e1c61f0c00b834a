// Compression in device memory: arguments to kernels on a stream.
#include <cuda_runtime.h>

#include <new>

#include "core/guard.hpp"
#include "gpu/chunks/chunk_kernels.hpp"
#include "gpu/host/columns/encode_launches.hpp"
#include "gpu/host/frames/frame_launch.hpp"

namespace floe::gpu {
namespace {

Status enqueue_leaf(CompressJob& job, const registry::CodecEntry& codec, std::uint64_t total_bytes,
                    cuda::Workspace workspace, cudaStream_t stream) {
  const auto layout = compress_layout(total_bytes, job.item_count, codec.has_history);
  if (!layout) return too_many_bytes;
  if (const Status status = check_workspace(workspace, layout->bytes); !status.ok()) return status;
  auto* const base = static_cast<std::uint8_t*>(workspace.data);
  job.counters = reinterpret_cast<Counters*>(base + layout->counters);
  job.entries = reinterpret_cast<std::uint64_t*>(base + layout->entries);
  job.items = reinterpret_cast<CompressItem*>(base + layout->items);
  job.chunk_capacity = layout->chunk_capacity;
  if (codec.has_history) {
    job.history = history_tables(base, *layout);
  } else {
    job.states = reinterpret_cast<std::uint64_t*>(base + layout->states);
    job.states_bytes = layout->entries - layout->states;
  }

  CudaCalls calls;
  const DeviceShape device = DeviceShape::of_current(calls);
  if (!calls.ok()) return calls.status();
  const std::uint64_t max_units = job.batch == nullptr
                                      ? total_bytes / core::chunk_bytes / job.rules.chunks_per_segment + 1
                                      : layout->chunk_capacity;
  set_up_compression(calls, job, device, stream);
  if (codec.has_history) {
    launch_history(calls, job, device, max_units, stream);
    return calls.status();
  }
  const ChunkKernels kernels = kernels_of(codec);
  LaunchShape chunks = chunk_launch(device, kernels.compress, layout->chunk_capacity);
  chunks.overlaps = device.overlaps_kernels;
  launch(calls, kernels.compress.function, chunks, job, stream);
  launch(calls, frame_kernels().finish_frames, frame_shape(max_units, device, device.overlaps_kernels), job,
         stream);
  return calls.status();
}

/// What is known of a call that compresses.
struct Compression {
  pipeline::ArrayPlan plan;
  std::string_view tree;
  Extent extent;
  std::uint64_t total_bytes = 0;
};

/// The segments of arrays whose sizes the device knows, as those of a column.
cuda::ColumnEncode column_of_items(const pipeline::ArrayPlan& plan, const TreeLayout& layout) {
  return column_of(plan, layout.unit_capacity * (plan.segment_bytes / plan.word_bytes()));
}

Result<std::uint64_t> tree_workspace_size(const Compression& call, std::uint64_t item_count) {
  const auto layout = tree_frames_layout(call.plan, call.total_bytes, item_count);
  if (!layout) return too_many_bytes;
  const auto of_items = encode_items_workspace_size(column_of_items(call.plan, *layout), call.tree);
  if (!of_items || item_count > 1) return of_items ? layout->bytes + *of_items : of_items;
  const cuda::ColumnEncode column = column_of(call.plan, call.total_bytes / call.plan.word_bytes());
  const auto of_column = cuda::encode_workspace_size({&column, 1}, {&call.tree, 1});
  if (!of_column) return of_column;
  return layout->bytes + std::max(*of_items, *of_column);
}

Status enqueue_tree(CompressJob& job, const Compression& call, cuda::Workspace workspace,
                    cudaStream_t stream) {
  const auto needed = tree_workspace_size(call, job.item_count);
  if (!needed) return needed.status();
  if (const Status status = check_workspace(workspace, *needed); !status.ok()) return status;
  const TreeLayout layout = *tree_frames_layout(call.plan, call.total_bytes, job.item_count);
  auto* const base = static_cast<std::uint8_t*>(workspace.data);
  const cuda::Workspace rest{base + layout.bytes, workspace.bytes - layout.bytes};
  CudaCalls calls;
  const DeviceShape device = DeviceShape::of_current(calls);
  if (!calls.ok()) return calls.status();
  begin_tree_frames(calls, job, layout, base, device, stream);
  if (job.batch == nullptr && job.device_bytes == nullptr) {
    // The host knows the length: chains of encodings are packed straight to their positions.
    const cuda::ColumnEncode column = column_of(call.plan, job);
    calls.check(encode_column_async(job, column, call.tree, rest, stream));
  } else {
    cuda::ColumnEncode column = column_of_items(call.plan, layout);
    column.segments = job.streams;
    calls.check(encode_items_async(job, column, call.tree, rest, stream));
  }
  finish_tree_frames(calls, job, device, stream);
  return calls.status();
}

Status enqueue(CompressJob& job, const Compression& call, cuda::Workspace workspace, cudaStream_t stream) {
  describe_frames(job, call.plan, call.extent);
  if (!call.plan.leaf) return enqueue_tree(job, call, workspace, stream);
  describe_leaf(job, *call.plan.leaf);
  return enqueue_leaf(job, *call.plan.leaf->codec, call.total_bytes, workspace, stream);
}

Status check_plan(const pipeline::ArrayPlan& plan) {
  if (plan.leaf) return {};
  if (!plan.tree) return {ErrorCode::unsupported_codec, 0, "devices choose no trees: PlannedEncoder does"};
  if (!trees::has_device_form(*plan.tree))
    return {ErrorCode::unsupported_codec, 0,
            "the tree has an encoding that devices do not have, or too many"};
  if (plan.segment_bytes / plan.word_bytes() > cuda::max_segment_words)
    return invalid("devices make segments of trees of up to 2^24 words");
  return {};
}

}  // namespace
}  // namespace floe::gpu

namespace floe::cuda {

using gpu::invalid;

bool supports(DType dtype, const Options& options) noexcept try {
  const auto plan = gpu::plan_frames(dtype, Extent::linear(0), options);
  return plan && gpu::check_plan(*plan).ok();
} catch (const std::bad_alloc&) {
  return false;
}

Result<std::uint64_t> compress_workspace_size(std::uint64_t total_bytes, std::uint64_t item_count,
                                              DType dtype, const Options& options) {
  const auto plan = gpu::plan_frames(dtype, Extent::linear(0), options);
  if (!plan) return plan.status();
  if (const Status status = gpu::check_plan(*plan); !status.ok()) return status;
  if (!plan->leaf) return gpu::tree_workspace_size({*plan, options.tree, {}, total_bytes}, item_count);
  const auto layout = gpu::compress_layout(total_bytes, item_count, plan->leaf->codec->has_history);
  if (!layout) return gpu::too_many_bytes;
  return layout->bytes;
}

Status compress_async(const BatchItem& item, DType dtype, const Extent& extent, const Options& options,
                      ItemResult* result, Workspace workspace, cudaStream_t stream,
                      const std::uint64_t* device_bytes) {
  return core::guarded([&]() -> Status {
    const auto plan = gpu::plan_frames(dtype, extent, options);
    if (!plan) return plan.status();
    if (const Status status = gpu::check_plan(*plan); !status.ok()) return status;
    if (const Status status = gpu::check_item(*plan, extent, item, result); !status.ok()) return status;
    gpu::CompressJob job;
    job.single = item;
    job.device_bytes = device_bytes;
    job.results = result;
    return gpu::enqueue(job, {*plan, options.tree, extent, item.in_bytes}, workspace, stream);
  });
}

Status compress_batch_async(const BatchItem* items, std::uint64_t item_count, std::uint64_t total_bytes,
                            DType dtype, const Options& options, ItemResult* results, Workspace workspace,
                            cudaStream_t stream) {
  return core::guarded([&]() -> Status {
    const Extent list = Extent::linear(0);
    const auto plan = gpu::plan_frames(dtype, list, options);
    if (!plan) return plan.status();
    if (const Status status = gpu::check_plan(*plan); !status.ok()) return status;
    if (item_count == 0) return {};
    if (items == nullptr || results == nullptr)
      return invalid("there are no items, or no place for their results");
    gpu::CompressJob job;
    job.batch = items;
    job.item_count = item_count;
    job.results = results;
    return gpu::enqueue(job, {*plan, options.tree, list, total_bytes}, workspace, stream);
  });
}

}  // namespace floe::cuda
