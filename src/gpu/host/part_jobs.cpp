// How is a part compressed and decoded, and what do the parts say of the frame?
#include "gpu/host/part_jobs.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstring>

#include "core/word.hpp"
#include "gpu/host/calls.hpp"

namespace floe::gpu {

Result<PartLayout> layout_of(std::uint64_t bytes, std::uint64_t segment_bytes, DType dtype,
                             std::string_view codec) {
  Options options;
  options.codec = codec;
  const auto compressing = cuda::compress_workspace_size(bytes, 1, dtype, options),
             decompressing = cuda::decompress_workspace_size(bytes, 1, {dtype, codec});
  if (!compressing) return compressing.status();
  if (!decompressing) return decompressing.status();
  PartLayout layout;
  layout.result = core::align_up(std::max(*compressing, *decompressing), granule);
  layout.facts = layout.result + granule;
  layout.end = core::align_up(layout.facts + facts_bytes(core::divide_up(bytes, segment_bytes)), granule);
  return layout;
}

PartFacts PartJob::told_facts() const {
  PartFacts facts;
  std::memcpy(static_cast<void*>(&facts), told.words(), sizeof facts);
  return facts;
}

Status PartsPlan::add_part(const cuda::ArrayPart& part, std::uint64_t first_segment, bool is_last) {
  const auto layout = layout_of(part.bytes, rules.segment_bytes(), rules.dtype(), rules.codec());
  if (!layout) return layout.status();
  if (part.workspace.data == nullptr || part.workspace.bytes < layout->end)
    return invalid("the workspace of a part is too small");
  if (part.bytes % size_of(rules.dtype()) != 0) return invalid("a part is no whole number of elements");
  if (!is_last && part.bytes % rules.segment_bytes() != 0)
    return invalid("a part is no whole number of segments");
  const std::uint64_t segment_count = rules.segment_count(part.bytes),
                      told_bytes = facts_bytes(segment_count);
  const cuda::Workspace& host = part.host_workspace;
  if (host.data != nullptr && host.bytes < told_bytes)
    return invalid("the workspace of a part in the host's memory is too small");
  jobs.push_back({part, *layout, segment_count, first_segment, HostMemory(host, told_bytes)});
  return {};
}

TieJob PartsPlan::tie(const PartJob& job, bool to_whole_frame) const {
  TieJob tie;
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

Result<PartsPlan> plan_of(const cuda::PartedFrame& frame) {
  const auto header_bytes = core::as_u8(std::span<const std::byte>(frame.header));
  auto header = format::parse_header(header_bytes);
  if (!header) return header.status();
  auto plan = api::plan_decoding(std::move(*header), header_bytes);
  if (!plan) return plan.status();
  return PartsPlan(std::move(*plan));
}

Status enqueue_compression(const PartsPlan& plan, const PartJob& job) {
  const cuda::ArrayPart& part = job.part;
  const Extent extent = Extent::linear(part.bytes / size_of(plan.rules.dtype()));
  return cuda::compress_async({part.elements, part.bytes, part.frame, part.frame_room}, plan.rules.dtype(),
                              extent, plan.rules.options(), job.result(),
                              {part.workspace.data, job.layout.result}, part.stream);
}

Status enqueue_facts(const PartsPlan& plan, const PartJob& job) {
  const cudaStream_t stream = job.part.stream;
  if (const Status zeroed = to_status(cudaMemsetAsync(job.facts(), 0, sizeof(PartFacts), stream));
      !zeroed.ok())
    return zeroed;
  TieJob tie = plan.tie(job, true);
  tie.result = job.result();
  tie.facts = job.device_facts();
  tie.offsets = job.device_offsets();
  return tie_segments(tie, stream);
}

Status enqueue_digest(const PartsPlan& plan, const PartJob& job, std::uint64_t first_chunk) {
  TieJob tie = plan.tie(job, true);
  tie.result = job.result();
  tie.facts = job.device_facts();
  tie.first_chunk = first_chunk;
  return add_up_digest(tie, job.part.stream);
}

Status tell_facts(const PartJob& job) {
  return to_status(cudaMemcpyAsync(job.told.words(), job.facts(), facts_bytes(job.segment_count),
                                   cudaMemcpyDeviceToHost, job.part.stream));
}

namespace {

/// Of the part's own frame.
std::uint64_t own_bytes(const PartsPlan& plan, const PartJob& job, const cuda::FramePart& place) {
  return place.memory_offset + place.bytes + plan.rules.footer_bytes(job.part.bytes);
}

}  // namespace

Status enqueue_decompression(const PartsPlan& plan, const PartJob& job, const cuda::FramePart& place) {
  const cuda::ArrayPart& part = job.part;
  TieJob tie = plan.tie(job, false);
  tie.frame_bytes = own_bytes(plan, job, place);
  if (const Status status = tie_segments(tie, part.stream); !status.ok()) return status;
  return cuda::decompress_async({part.frame, tie.frame_bytes, part.elements, part.bytes},
                                {plan.rules.dtype(), plan.rules.codec()}, job.result(),
                                {part.workspace.data, job.layout.result}, part.stream);
}

Status enqueue_restoring(const PartsPlan& plan, const PartJob& job, const cuda::FramePart& place) {
  TieJob tie = plan.tie(job, true);
  tie.frame_bytes = own_bytes(plan, job, place);
  return tie_segments(tie, job.part.stream);
}

Status tell_result(const PartJob& job) {
  return to_status(cudaMemcpyAsync(job.told.words(), job.result(), sizeof(cuda::ItemResult),
                                   cudaMemcpyDeviceToHost, job.part.stream));
}

Status decoding_result(const PartJob& job, const cuda::FramePart& place) {
  const cuda::ItemResult result = job.told_facts().result;
  if (result.code == 0) return {};
  const std::uint64_t offset =
      std::max(result.byte_offset, place.memory_offset) - place.memory_offset + place.frame_offset;
  return {ErrorCode::corrupt_frame, offset, "a part of the frame is damaged"};
}

Status wait_for(const PartJob& job) { return to_status(cudaStreamSynchronize(job.part.stream)); }

FrameOfParts::FrameOfParts(const PartsPlan& plan, DType dtype) : rules_(plan.rules) {
  frame_.dtype = dtype;
  frame_.codec = api::info_of(*plan.frame.codec);
  const auto header = std::as_bytes(std::span(plan.frame.header_bytes));
  frame_.header.assign(header.begin(), header.end());
  frame_.frame_bytes = header.size();
}

Status FrameOfParts::append(std::uint64_t content_bytes, const PartFacts& facts,
                            std::span<const std::uint64_t> offsets) {
  if (facts.result.code != 0)
    return {static_cast<ErrorCode>(facts.result.code), 0, "a part could not be compressed"};
  cuda::FramePart part;
  part.memory_offset = rules_.header_bytes().size();
  part.bytes = facts.result.bytes - part.memory_offset - rules_.footer_bytes(content_bytes);
  part.frame_offset = frame_.frame_bytes;
  for (const std::uint64_t offset : offsets)
    footer_.segment_offsets.push_back(frame_.frame_bytes + offset - part.memory_offset);
  footer_.digest += facts.digest;
  footer_.element_count += content_bytes / size_of(frame_.dtype);
  chunks_ += facts.chunks;
  frame_.frame_bytes += part.bytes;
  frame_.parts.push_back(part);
  return {};
}

cuda::PartedFrame FrameOfParts::finish(const Extent& extent) {
  footer_.outer_size = extent.rank == 0 ? 1 : extent.size[0];
  const auto footer_bytes = format::write_footer(footer_);
  const auto as_bytes = std::as_bytes(std::span(footer_bytes));
  frame_.footer.assign(as_bytes.begin(), as_bytes.end());
  frame_.frame_bytes += frame_.footer.size();
  return std::move(frame_);
}

}  // namespace floe::gpu
