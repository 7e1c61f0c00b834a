// Arrays in the memories of several GPUs of one process.
#include <cuda_runtime.h>

#include "core/guard.hpp"
#include "gpu/host/calls.hpp"
#include "gpu/host/parts/part_jobs.hpp"

namespace floe::cuda {
namespace {

using gpu::invalid;
using gpu::PartJob;
using gpu::PartsPlan;

Status add_parts(PartsPlan& plan, std::span<const ArrayPart> parts) {
  std::uint64_t segments = 0;
  for (const ArrayPart& part : parts) {
    if (const Status status = plan.add_part(part, segments, &part == &parts.back()); !status.ok())
      return status;
    segments += plan.jobs.back().segment_count;
  }
  return {};
}

/// Does a step for each part, whose GPU is then the current one, up to the first failure.
template <class Step>
Status each(const PartsPlan& plan, const Step& step) {
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    const gpu::CurrentDevice current(plan.jobs[i].part.device);
    if (const Status status = step(plan.jobs[i], i); !status.ok()) return status;
  }
  return {};
}

/// Does what enqueues work on the parts' streams. When that fails, waits for kernels that use the parts.
template <class Work>
Status settled(const PartsPlan& plan, const Work& work) {
  const Status status = core::guarded(work);
  if (status.ok()) return status;
  (void)each(plan, [](const PartJob& job, std::size_t) {
    (void)gpu::wait_for(job);
    return Status{};
  });
  return status;
}

/// All GPUs get what takes long first, and copies last: one to pageable memory waits for all before it.
Status compress(const PartsPlan& plan, gpu::FrameOfParts& frame) {
  Status status =
      each(plan, [&](const PartJob& job, std::size_t) { return gpu::enqueue_compression(plan.rules, job); });
  if (status.ok())
    status = each(plan, [&](const PartJob& job, std::size_t) { return gpu::enqueue_facts(plan.rules, job); });
  if (status.ok())
    status = each(plan, [](const PartJob& job, std::size_t) {
      return gpu::publish(job, gpu::published_bytes(job.segment_count));
    });
  if (!status.ok()) return status;
  return each(plan, [&](const PartJob& job, std::size_t) {
    const Status waited = gpu::wait_for(job);
    return waited.ok() ? frame.append(job.part.bytes, job.result(), job.facts()) : waited;
  });
}

/// In the same order. Parts that have become frames of their own become parts again in any case.
Status decompress(const PartsPlan& plan, std::span<const FramePart> ranges) {
  std::size_t begun = 0;
  Status status = each(plan, [&](const PartJob& job, std::size_t i) {
    ++begun;
    return gpu::enqueue_decompression(plan.rules, job, ranges[i]);
  });
  const Status restored = each(plan, [&](const PartJob& job, std::size_t i) {
    return i < begun ? gpu::enqueue_restoring(plan.rules, job, ranges[i]) : Status{};
  });
  if (status.ok()) status = restored;
  if (status.ok()) status = each(plan, [](const PartJob& job, std::size_t) { return gpu::publish(job); });
  if (!status.ok()) return status;
  return each(plan, [&](const PartJob& job, std::size_t i) {
    const Status waited = gpu::wait_for(job);
    return waited.ok() ? gpu::decoding_result(job, ranges[i]) : waited;
  });
}

}  // namespace

Result<std::uint64_t> part_frame_room(std::uint64_t bytes, DType dtype, const Options& options) {
  if (size_of(dtype) == 0) return invalid("unknown element type");
  Options own = options;
  own.prefix = {};
  return max_compressed_size(dtype, Extent::linear(bytes / size_of(dtype)), own);
}

Result<std::uint64_t> part_workspace_size(std::uint64_t bytes, DType dtype, const Options& options) {
  return core::guarded([&]() -> Result<std::uint64_t> {
    const auto rules = gpu::rules_of(dtype, Extent::linear(0), options);
    if (!rules) return rules.status();
    const auto layout = gpu::layout_of(*rules, bytes);
    if (!layout) return layout.status();
    return layout->end;
  });
}

Result<std::uint64_t> part_host_workspace_size(std::uint64_t bytes, DType dtype, const Options& options) {
  return core::guarded([&]() -> Result<std::uint64_t> {
    const auto rules = gpu::rules_of(dtype, Extent::linear(0), options);
    if (!rules) return rules.status();
    return gpu::published_bytes(rules->segment_count(bytes));
  });
}

Result<PartedFrame> compress_parts(std::span<const ArrayPart> parts, DType dtype, const Extent& extent,
                                   const Options& options) {
  return core::guarded([&]() -> Result<PartedFrame> {
    auto rules = gpu::rules_of(dtype, extent, options);
    if (!rules) return rules.status();
    PartsPlan plan{std::move(*rules), {}};
    if (const Status status = add_parts(plan, parts); !status.ok()) return status;
    std::uint64_t bytes = 0;
    for (const ArrayPart& part : parts) bytes += part.bytes;
    if (bytes != *extent.element_count() * size_of(dtype))
      return invalid("the parts' size is not that of the shape");

    gpu::FrameOfParts frame(plan.rules);
    if (const Status status = settled(plan, [&] { return compress(plan, frame); }); !status.ok())
      return status;
    return frame.finish(extent);
  });
}

Status decompress_parts(std::span<const ArrayPart> parts, const PartedFrame& frame) {
  return core::guarded([&]() -> Status {
    auto rules = gpu::rules_of(frame);
    if (!rules) return rules.status();
    PartsPlan plan{std::move(*rules), {}};
    if (parts.size() != frame.parts.size()) return invalid("there are not as many parts as the frame has");
    if (const Status status = add_parts(plan, parts); !status.ok()) return status;
    return settled(plan, [&] { return decompress(plan, frame.parts); });
  });
}

Status gather(std::span<const ArrayPart> parts, const PartedFrame& frame, void* to, std::uint64_t room) {
  if (parts.size() != frame.parts.size()) return invalid("there are not as many parts as the frame has");
  if (room < frame.frame_bytes)
    return {ErrorCode::output_too_small, 0, "the output buffer cannot hold the frame"};
  auto* const out = static_cast<std::uint8_t*>(to);
  cudaError_t error = cudaSuccess;
  for (std::size_t i = 0; i < parts.size() && error == cudaSuccess; ++i) {
    const gpu::CurrentDevice current(parts[i].device);
    const FramePart& part = frame.parts[i];
    error = cudaMemcpyAsync(out + part.frame_offset,
                            static_cast<const std::uint8_t*>(parts[i].frame) + part.memory_offset, part.bytes,
                            cudaMemcpyDefault, parts[i].stream);
  }
  if (error == cudaSuccess)
    error = cudaMemcpy(out, frame.header.data(), frame.header.size(), cudaMemcpyDefault);
  if (error == cudaSuccess) {
    error = cudaMemcpy(out + frame.frame_bytes - frame.footer.size(), frame.footer.data(),
                       frame.footer.size(), cudaMemcpyDefault);
  }
  for (const ArrayPart& part : parts) {
    const gpu::CurrentDevice current(part.device);
    const cudaError_t waited = cudaStreamSynchronize(part.stream);
    if (error == cudaSuccess) error = waited;
  }
  return gpu::to_status(error);
}

}  // namespace floe::cuda
