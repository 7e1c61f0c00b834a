// Arrays in the memories of several GPUs.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "api/buffer.hpp"
#include "api/frame_plan.hpp"
#include "api/guard.hpp"
#include "core/word.hpp"
#include "floe/cuda_parts.hpp"
#include "gpu/calls.hpp"
#include "gpu/tie_segments.hpp"
#include "offload/portion_rules.hpp"

namespace floe::cuda {
namespace {

constexpr std::uint64_t granule = 256;  // of places in the workspace

Status invalid(const char* detail) { return {ErrorCode::invalid_argument, 0, detail}; }

/// Where things lie in a part's workspace.
struct PartLayout {
  std::uint64_t result = 0, facts = 0, end = 0;  ///< The offsets of segments follow the facts. Before `result`: the kernels' workspace.
};

Result<PartLayout> layout_of(std::uint64_t bytes, std::uint64_t segment_bytes, DType dtype, std::string_view codec) {
  Options options;
  options.codec = codec;
  const auto compressing = compress_workspace_size(bytes, 1, dtype, options),
             decompressing = decompress_workspace_size(bytes, 1, {dtype, codec});
  if (!compressing) return compressing.status();
  if (!decompressing) return decompressing.status();
  PartLayout layout;
  layout.result = core::align_up(std::max(*compressing, *decompressing), granule);
  layout.facts = layout.result + granule;
  layout.end = core::align_up(layout.facts + sizeof(gpu::PartFacts) + 8 * core::divide_up(bytes, segment_bytes), granule);
  return layout;
}

/// One part in work.
struct PartJob {
  const ArrayPart& part;
  PartLayout layout;
  std::uint64_t segment_count = 0, first_segment = 0;

  [[nodiscard]] std::uint8_t* workspace() const { return static_cast<std::uint8_t*>(part.workspace.data); }
  [[nodiscard]] ItemResult* result() const { return reinterpret_cast<ItemResult*>(workspace() + layout.result); }
  [[nodiscard]] std::uint8_t* facts() const { return workspace() + layout.facts; }
  [[nodiscard]] gpu::PartFacts* device_facts() const { return reinterpret_cast<gpu::PartFacts*>(facts()); }
  [[nodiscard]] std::uint64_t facts_bytes() const { return sizeof(gpu::PartFacts) + 8 * segment_count; }
};

/// What is the same for all parts of an array.
struct PartsPlan {
  api::FramePlan frame;
  offload::PortionRules rules;
  std::vector<PartJob> jobs;

  explicit PartsPlan(api::FramePlan plan) : frame(std::move(plan)), rules(frame) {}

  Status add_parts(std::span<const ArrayPart> parts) {
    const std::uint64_t segment_bytes = rules.segment_bytes();
    std::uint64_t segments = 0;
    for (const ArrayPart& part : parts) {
      const auto layout = layout_of(part.bytes, segment_bytes, rules.dtype(), rules.codec());
      if (!layout) return layout.status();
      if (part.workspace.data == nullptr || part.workspace.bytes < layout->end) return invalid("the workspace of a part is too small");
      if (part.bytes % size_of(rules.dtype()) != 0) return invalid("a part is no whole number of elements");
      if (&part != &parts.back() && part.bytes % segment_bytes != 0) return invalid("a part is no whole number of segments");
      const std::uint64_t count = rules.segment_count(part.bytes);
      jobs.push_back({part, *layout, count, segments});
      segments += count;
    }
    return {};
  }

  /// The exchange of numbers and CRCs in the heads of a part; the caller adds what it knows of the part's own frame.
  [[nodiscard]] gpu::TieJob tie(const PartJob& job, bool to_whole_frame) const {
    gpu::TieJob tie;
    tie.frame = static_cast<std::uint8_t*>(job.part.frame);
    tie.content_bytes = job.part.bytes;
    tie.segment_count = static_cast<std::uint32_t>(job.segment_count);
    tie.chunks_per_segment = frame.header.chunks_per_segment;
    tie.checksums = frame.header.checksums;
    tie.index_step = to_whole_frame ? job.first_segment : 0 - job.first_segment;
    tie.from_header_crc = to_whole_frame ? rules.header_crc() : frame.header_crc();
    tie.to_header_crc = to_whole_frame ? frame.header_crc() : rules.header_crc();
    tie.history = frame.codec->has_history;
    tie.first_chunk = job.first_segment * frame.header.chunks_per_segment;
    return tie;
  }
};

Status enqueue_compression(const PartsPlan& plan, const PartJob& job) {
  const ArrayPart& part = job.part;
  const gpu::CurrentDevice current(part.device);
  const Extent extent = Extent::linear(part.bytes / size_of(plan.rules.dtype()));
  const Status status = compress_async({part.elements, part.bytes, part.frame, part.frame_room}, plan.rules.dtype(), extent,
                                       plan.rules.options(), job.result(), {part.workspace.data, job.layout.result}, part.stream);
  if (!status.ok()) return status;
  if (const Status zeroed = gpu::to_status(cudaMemsetAsync(job.facts(), 0, sizeof(gpu::PartFacts), part.stream)); !zeroed.ok())
    return zeroed;
  gpu::TieJob tie = plan.tie(job, true);
  tie.result = job.result();
  tie.facts = job.device_facts();
  tie.offsets = reinterpret_cast<std::uint64_t*>(job.facts() + sizeof(gpu::PartFacts));
  return gpu::tie_segments(tie, part.stream);
}

/// With history, the chunks of a part have numbers only when those of all parts before are known: then each part adds up its digest. Each
/// part has told its facts.
Status add_up_digests(const PartsPlan& plan, const std::vector<std::uint64_t>& first_chunks, format::Footer& footer) {
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    const PartJob& job = plan.jobs[i];
    const gpu::CurrentDevice current(job.part.device);
    gpu::TieJob tie = plan.tie(job, true);
    tie.result = job.result();
    tie.facts = job.device_facts();
    tie.first_chunk = first_chunks[i];
    if (const Status status = gpu::add_up_digest(tie, job.part.stream); !status.ok()) return status;
  }
  for (const PartJob& job : plan.jobs) {
    const gpu::CurrentDevice current(job.part.device);
    gpu::PartFacts facts;
    const cudaError_t copied = cudaMemcpyAsync(&facts, job.facts(), sizeof facts, cudaMemcpyDeviceToHost, job.part.stream);
    if (const Status status = gpu::to_status(copied); !status.ok()) return status;
    if (const Status status = gpu::to_status(cudaStreamSynchronize(job.part.stream)); !status.ok()) return status;
    footer.digest += facts.digest;
  }
  return {};
}

/// Waits for a part and appends it to the frame. Adds its chunks to `chunks`.
Status append_part(const PartsPlan& plan, const PartJob& job, PartedFrame& frame, format::Footer& footer, std::uint64_t& chunks) {
  const gpu::CurrentDevice current(job.part.device);
  std::vector<std::uint8_t> facts_bytes(job.facts_bytes());
  const cudaError_t copied = cudaMemcpyAsync(facts_bytes.data(), job.facts(), facts_bytes.size(), cudaMemcpyDeviceToHost, job.part.stream);
  if (const Status status = gpu::to_status(copied); !status.ok()) return status;
  if (const Status status = gpu::to_status(cudaStreamSynchronize(job.part.stream)); !status.ok()) return status;
  gpu::PartFacts facts;
  std::memcpy(&facts, facts_bytes.data(), sizeof facts);
  if (facts.result.code != 0) return {static_cast<ErrorCode>(facts.result.code), 0, "a part could not be compressed"};

  FramePart part;
  part.memory_offset = plan.rules.header_bytes().size();
  part.bytes = facts.result.bytes - part.memory_offset - plan.rules.footer_bytes(job.part.bytes);
  part.frame_offset = frame.frame_bytes;
  for (std::uint64_t i = 0; i < job.segment_count; ++i) {
    const auto offset = core::load<std::uint64_t>(facts_bytes.data() + sizeof facts + 8 * i);
    footer.segment_offsets.push_back(frame.frame_bytes + offset - part.memory_offset);
  }
  footer.digest += facts.digest;
  chunks += facts.chunks;
  frame.frame_bytes += part.bytes;
  frame.parts.push_back(part);
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

Status enqueue_decompression(const PartsPlan& plan, const PartJob& job, const FramePart& place) {
  const ArrayPart& part = job.part;
  const gpu::CurrentDevice current(part.device);
  const std::uint64_t own_bytes = place.memory_offset + place.bytes + plan.rules.footer_bytes(part.bytes);
  gpu::TieJob tie = plan.tie(job, false);
  tie.frame_bytes = own_bytes;
  if (const Status status = gpu::tie_segments(tie, part.stream); !status.ok()) return status;
  const Status status = decompress_async({part.frame, own_bytes, part.elements, part.bytes}, {plan.rules.dtype(), plan.rules.codec()},
                                         job.result(), {part.workspace.data, job.layout.result}, part.stream);
  if (!status.ok()) return status;
  tie = plan.tie(job, true);
  tie.frame_bytes = own_bytes;
  return gpu::tie_segments(tie, part.stream);
}

Status wait_for_decompression(const PartJob& job, const FramePart& place) {
  const gpu::CurrentDevice current(job.part.device);
  ItemResult result;
  const cudaError_t copied = cudaMemcpyAsync(&result, job.result(), sizeof result, cudaMemcpyDeviceToHost, job.part.stream);
  if (const Status status = gpu::to_status(copied); !status.ok()) return status;
  if (const Status status = gpu::to_status(cudaStreamSynchronize(job.part.stream)); !status.ok()) return status;
  if (result.code == 0) return {};
  const std::uint64_t offset = std::max(result.byte_offset, place.memory_offset) - place.memory_offset + place.frame_offset;
  return {ErrorCode::corrupt_frame, offset, "a part of the frame is damaged"};
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
  const auto layout = layout_of(bytes, options.segment_bytes, dtype, codec->name);
  if (!layout) return layout.status();
  return layout->end;
}

Result<PartedFrame> compress_parts(std::span<const ArrayPart> parts, DType dtype, const Extent& extent, const Options& options) {
  return api::guarded([&]() -> Result<PartedFrame> {
    auto frame_plan = api::plan_frame(dtype, extent, options);
    if (!frame_plan) return frame_plan.status();
    PartsPlan plan(std::move(*frame_plan));
    if (const Status status = plan.add_parts(parts); !status.ok()) return status;
    std::uint64_t bytes = 0;
    for (const ArrayPart& part : parts) bytes += part.bytes;
    if (bytes != *extent.element_count() * size_of(dtype)) return invalid("the parts' size is not that of the shape");

    PartedFrame frame;
    frame.dtype = dtype;
    frame.codec = api::info_of(*plan.frame.codec);
    const auto header = std::as_bytes(std::span(plan.frame.header_bytes));
    frame.header.assign(header.begin(), header.end());
    frame.frame_bytes = header.size();
    for (const PartJob& job : plan.jobs) {
      if (const Status status = enqueue_compression(plan, job); !status.ok()) return settle(parts, status);
    }
    format::Footer footer;
    std::vector<std::uint64_t> first_chunks;
    std::uint64_t chunks = 0;
    for (const PartJob& job : plan.jobs) {
      first_chunks.push_back(chunks);
      if (const Status status = append_part(plan, job, frame, footer, chunks); !status.ok()) return settle(parts, status);
    }
    if (plan.frame.codec->has_history && options.checksum) {
      if (const Status status = add_up_digests(plan, first_chunks, footer); !status.ok()) return settle(parts, status);
    }
    footer.outer_size = extent.rank == 0 ? 1 : extent.size[0];
    footer.element_count = bytes / size_of(dtype);
    const auto footer_bytes = format::write_footer(footer);
    const auto as_bytes = std::as_bytes(std::span(footer_bytes));
    frame.footer.assign(as_bytes.begin(), as_bytes.end());
    frame.frame_bytes += frame.footer.size();
    return frame;
  });
}

Status decompress_parts(std::span<const ArrayPart> parts, const PartedFrame& frame) {
  return api::guarded([&]() -> Status {
    const auto header_bytes = api::as_u8(std::span<const std::byte>(frame.header));
    auto header = format::parse_header(header_bytes);
    if (!header) return header.status();
    auto frame_plan = api::plan_decoding(std::move(*header), header_bytes);
    if (!frame_plan) return frame_plan.status();
    PartsPlan plan(std::move(*frame_plan));
    if (parts.size() != frame.parts.size()) return invalid("there are not as many parts as the frame has");
    if (const Status status = plan.add_parts(parts); !status.ok()) return status;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (const Status status = enqueue_decompression(plan, plan.jobs[i], frame.parts[i]); !status.ok()) return settle(parts, status);
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (const Status status = wait_for_decompression(plan.jobs[i], frame.parts[i]); !status.ok()) return settle(parts, status);
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
