// Arrays in the memories of several GPUs of one process.
#include <cuda_runtime.h>

#include <cstring>

#include "api/guard.hpp"
#include "core/word.hpp"
#include "floe/cuda_parts.hpp"
#include "gpu/calls.hpp"
#include "gpu/part_jobs.hpp"

namespace floe::cuda {
namespace {

using gpu::invalid;
using gpu::PartJob;
using gpu::PartsPlan;

Status add_parts(PartsPlan& plan, std::span<const ArrayPart> parts) {
  std::uint64_t segments = 0;
  for (const ArrayPart& part : parts) {
    if (const Status status = plan.add_part(part, segments, &part == &parts.back()); !status.ok()) return status;
    segments += plan.jobs.back().segment_count;
  }
  return {};
}

Status read_back(void* to, const void* from, std::uint64_t bytes, cudaStream_t stream) {
  const Status copied = gpu::to_status(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream));
  return copied.ok() ? gpu::to_status(cudaStreamSynchronize(stream)) : copied;
}

/// Waits for a part and appends it to the frame.
Status append_part(const PartJob& job, gpu::FrameOfParts& frame) {
  const gpu::CurrentDevice current(job.part.device);
  std::vector<std::uint64_t> told(job.facts_bytes() / 8);
  if (const Status status = read_back(told.data(), job.facts(), job.facts_bytes(), job.part.stream); !status.ok()) return status;
  gpu::PartFacts facts;
  std::memcpy(static_cast<void*>(&facts), told.data(), sizeof facts);
  return frame.append(job.part.bytes, facts, std::span(told).subspan(sizeof facts / 8));
}

/// The digests of parts with history; each part has told its facts.
Status add_up_digests(const PartsPlan& plan, const std::vector<std::uint64_t>& first_chunks, gpu::FrameOfParts& frame) {
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    if (const Status status = gpu::enqueue_digest(plan, plan.jobs[i], first_chunks[i]); !status.ok()) return status;
  }
  for (const PartJob& job : plan.jobs) {
    const gpu::CurrentDevice current(job.part.device);
    gpu::PartFacts facts;
    if (const Status status = read_back(&facts, job.facts(), sizeof facts, job.part.stream); !status.ok()) return status;
    frame.add_digest(facts.digest);
  }
  return {};
}

/// Kernels may still use the memory of the parts when something fails.
Status settle(std::span<const ArrayPart> parts, const Status& status) {
  for (const ArrayPart& part : parts) {
    const gpu::CurrentDevice current(part.device);
    (void)gpu::to_status(cudaStreamSynchronize(part.stream));
  }
  return status;
}

}  // namespace

Result<std::uint64_t> part_frame_room(std::uint64_t bytes, DType dtype, const Options& options) {
  if (size_of(dtype) == 0) return invalid("unknown element type");
  Options own = options;
  own.prefix = {};
  return max_compressed_size(dtype, Extent::linear(bytes / size_of(dtype)), own);
}

Result<std::uint64_t> part_workspace_size(std::uint64_t bytes, DType dtype, const Options& options) {
  if (options.segment_bytes == 0) return invalid("segment_bytes must be a multiple of 16384, at most 1 GiB");
  const auto codec = choose_codec(dtype, options);
  if (!codec) return codec.status();
  const auto layout = gpu::layout_of(bytes, options.segment_bytes, dtype, codec->name);
  if (!layout) return layout.status();
  return layout->end;
}

Result<PartedFrame> compress_parts(std::span<const ArrayPart> parts, DType dtype, const Extent& extent, const Options& options) {
  return api::guarded([&]() -> Result<PartedFrame> {
    auto frame_plan = api::plan_frame(dtype, extent, options);
    if (!frame_plan) return frame_plan.status();
    PartsPlan plan(std::move(*frame_plan));
    if (const Status status = add_parts(plan, parts); !status.ok()) return status;
    std::uint64_t bytes = 0;
    for (const ArrayPart& part : parts) bytes += part.bytes;
    if (bytes != *extent.element_count() * size_of(dtype)) return invalid("the parts' size is not that of the shape");

    for (const PartJob& job : plan.jobs) {
      if (const Status status = gpu::enqueue_compression(plan, job); !status.ok()) return settle(parts, status);
    }
    gpu::FrameOfParts frame(plan, dtype);
    std::vector<std::uint64_t> first_chunks;
    for (const PartJob& job : plan.jobs) {
      first_chunks.push_back(frame.chunks());
      if (const Status status = append_part(job, frame); !status.ok()) return settle(parts, status);
    }
    if (plan.frame.codec->has_history && options.checksum) {
      if (const Status status = add_up_digests(plan, first_chunks, frame); !status.ok()) return settle(parts, status);
    }
    return frame.finish(extent);
  });
}

Status decompress_parts(std::span<const ArrayPart> parts, const PartedFrame& frame) {
  return api::guarded([&]() -> Status {
    auto read_plan = gpu::plan_of(frame);
    if (!read_plan) return read_plan.status();
    PartsPlan& plan = *read_plan;
    if (parts.size() != frame.parts.size()) return invalid("there are not as many parts as the frame has");
    if (const Status status = add_parts(plan, parts); !status.ok()) return status;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (const Status status = gpu::enqueue_decompression(plan, plan.jobs[i], frame.parts[i]); !status.ok()) return settle(parts, status);
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (const Status status = gpu::wait_for_decompression(plan.jobs[i], frame.parts[i]); !status.ok()) return settle(parts, status);
    }
    return {};
  });
}

Status gather(std::span<const ArrayPart> parts, const PartedFrame& frame, void* to, std::uint64_t room) {
  if (parts.size() != frame.parts.size()) return invalid("there are not as many parts as the frame has");
  if (room < frame.frame_bytes) return {ErrorCode::output_too_small, 0, "the output buffer cannot hold the frame"};
  auto* const out = static_cast<std::uint8_t*>(to);
  cudaError_t error = cudaSuccess;
  for (std::size_t i = 0; i < parts.size() && error == cudaSuccess; ++i) {
    const gpu::CurrentDevice current(parts[i].device);
    const FramePart& part = frame.parts[i];
    error = cudaMemcpyAsync(out + part.frame_offset, static_cast<const std::uint8_t*>(parts[i].frame) + part.memory_offset, part.bytes,
                            cudaMemcpyDefault, parts[i].stream);
  }
  if (error == cudaSuccess) error = cudaMemcpy(out, frame.header.data(), frame.header.size(), cudaMemcpyDefault);
  if (error == cudaSuccess) {
    error = cudaMemcpy(out + frame.frame_bytes - frame.footer.size(), frame.footer.data(), frame.footer.size(), cudaMemcpyDefault);
  }
  for (const ArrayPart& part : parts) {
    const gpu::CurrentDevice current(part.device);
    const cudaError_t waited = cudaStreamSynchronize(part.stream);
    if (error == cudaSuccess) error = waited;
  }
  return gpu::to_status(error);
}

}  // namespace floe::cuda
