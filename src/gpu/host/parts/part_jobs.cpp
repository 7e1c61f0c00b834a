#include "gpu/host/parts/part_jobs.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstring>

#include "core/buffer.hpp"
#include "core/word.hpp"
#include "gpu/host/calls.hpp"
#include "gpu/host/slots/leaf_frame.hpp"
#include "pipeline/array_plan.hpp"

namespace floe::gpu {

PartRules::PartRules(container::Header header, std::string tree)
    : header_(std::move(header)), tree_(std::move(tree)) {
  container::Header own = header_;
  own.rank = 1;
  own.inner_extent = {};
  own.prefix.clear();
  const auto own_bytes = container::write_header(own);
  own_header_bytes_ = own_bytes.size();
  header_crc_ = container::crc_of_part(container::write_header(header_));
  header_crc_change_ = header_crc_ ^ container::crc_of_part(own_bytes);
}

Options PartRules::options() const {
  Options options;
  options.tree = tree_;
  options.checksum = header_.checksums;
  options.segment_bytes = segment_bytes();
  options.threads = 1;
  return options;
}

cuda::FrameKind PartRules::frame_kind() const {
  cuda::FrameKind kind;
  kind.dtype = dtype();
  kind.tree = tree_;
  if (!is_codec(tree_)) kind.segment_bytes = segment_bytes();
  return kind;
}

Result<PartRules> rules_of(DType dtype, const Extent& extent, const Options& options) {
  auto plan = pipeline::plan_array(dtype, extent, options);
  if (!plan) return plan.status();
  if (options.tree.empty()) return invalid("arrays in the memories of GPUs need a tree");
  return PartRules(std::move(plan->header), std::string(options.tree));
}

Result<PartRules> rules_of(const cuda::PartedFrame& frame) {
  auto header = container::parse_header(core::as_u8(std::span<const std::byte>(frame.header)));
  if (!header) return header.status();
  return PartRules(std::move(*header), frame.tree);
}

Result<PartLayout> layout_of(const PartRules& rules, std::uint64_t bytes) {
  const auto compressing = cuda::compress_workspace_size(bytes, 1, rules.dtype(), rules.options()),
             decompressing = cuda::decompress_workspace_size(bytes, 1, rules.frame_kind());
  if (!compressing) return compressing.status();
  if (!decompressing) return decompressing.status();
  PartLayout layout;
  layout.result = core::align_up(std::max(*compressing, *decompressing), granule);
  layout.facts = layout.result + facts_offset;
  layout.end = core::align_up(layout.result + published_bytes(rules.segment_count(bytes)), granule);
  return layout;
}

cuda::ItemResult PartJob::result() const {
  cuda::ItemResult result;
  std::memcpy(static_cast<void*>(&result), published.words(), sizeof result);
  return result;
}

Status PartsPlan::add_part(const cuda::ArrayPart& part, std::uint64_t first_segment, bool is_last) {
  const auto layout = layout_of(rules, part.bytes);
  if (!layout) return layout.status();
  if (part.workspace.data == nullptr || part.workspace.bytes < layout->end)
    return invalid("the workspace of a part is too small");
  if (part.bytes % size_of(rules.dtype()) != 0) return invalid("a part is no whole number of elements");
  if (!is_last && part.bytes % rules.segment_bytes() != 0)
    return invalid("a part is no whole number of segments");
  const std::uint64_t segment_count = rules.segment_count(part.bytes), bytes = published_bytes(segment_count);
  const cuda::Workspace& host = part.host_workspace;
  if (host.data != nullptr && host.bytes < bytes)
    return invalid("the workspace of a part in the host's memory is too small");
  jobs.push_back({part, *layout, segment_count, first_segment, HostMemory(host, bytes)});
  return {};
}

namespace {

/// From a part's own frame to the whole frame; the caller adds what it knows of the part's own frame.
PatchJob patch_of(const PartRules& rules, const PartJob& job) {
  PatchJob patch;
  patch.frame = static_cast<std::uint8_t*>(job.part.frame);
  patch.segment_count = static_cast<std::uint32_t>(job.segment_count);
  patch.index_step = job.first_segment;
  patch.first_step = job.first_segment * rules.header().max_segment_length;
  patch.header_crc_change = rules.header_crc_change();
  return patch;
}

/// Of the part's own frame.
std::uint64_t own_bytes(const PartJob& job, const cuda::FramePart& range) {
  return range.memory_offset + range.bytes + container::footer_bytes(job.segment_count);
}

}  // namespace

Status enqueue_compression(const PartRules& rules, const PartJob& job) {
  const cuda::ArrayPart& part = job.part;
  return cuda::compress_async({part.elements, part.bytes, part.frame, part.frame_room}, rules.dtype(),
                              Extent::linear(part.bytes / size_of(rules.dtype())), rules.options(),
                              job.device_result(), {part.workspace.data, job.layout.result}, part.stream);
}

Status enqueue_facts(const PartRules& rules, const PartJob& job) {
  PatchJob patch = patch_of(rules, job);
  patch.result = job.device_result();
  patch.facts = job.device_facts();
  return patch_segment_headers(patch, job.part.stream);
}

Status publish(const PartJob& job, std::uint64_t bytes) {
  return to_status(cudaMemcpyAsync(job.published.words(), job.device_result(), bytes, cudaMemcpyDeviceToHost,
                                   job.part.stream));
}

Status enqueue_decompression(const PartRules& rules, const PartJob& job, const cuda::FramePart& range) {
  const cuda::ArrayPart& part = job.part;
  PatchJob patch = patch_of(rules, job);
  patch.frame_bytes = own_bytes(job, range);
  patch.index_step = 0 - patch.index_step;
  patch.first_step = 0 - patch.first_step;
  if (const Status status = patch_segment_headers(patch, part.stream); !status.ok()) return status;
  return cuda::decompress_async({part.frame, patch.frame_bytes, part.elements, part.bytes},
                                rules.frame_kind(), job.device_result(),
                                {part.workspace.data, job.layout.result}, part.stream);
}

Status enqueue_restoring(const PartRules& rules, const PartJob& job, const cuda::FramePart& range) {
  PatchJob patch = patch_of(rules, job);
  patch.frame_bytes = own_bytes(job, range);
  return patch_segment_headers(patch, job.part.stream);
}

Status decoding_result(const PartJob& job, const cuda::FramePart& range) {
  const cuda::ItemResult result = job.result();
  if (result.code == 0) return {};
  const std::uint64_t offset =
      std::max(result.byte_offset, range.memory_offset) - range.memory_offset + range.frame_offset;
  return {ErrorCode::corrupt_frame, offset, "a part of the frame is damaged"};
}

Status wait_for(const PartJob& job) { return to_status(cudaStreamSynchronize(job.part.stream)); }

FrameOfParts::FrameOfParts(const PartRules& rules) : rules_(rules) {
  frame_.dtype = rules.dtype();
  frame_.tree = rules.tree();
  const auto header = container::write_header(rules.header());
  const auto bytes = std::as_bytes(std::span(header));
  frame_.header.assign(bytes.begin(), bytes.end());
  frame_.frame_bytes = header.size();
}

Status FrameOfParts::append(std::uint64_t content_bytes, const cuda::ItemResult& result,
                            std::span<const SegmentFacts> segments) {
  if (result.code != 0) return {static_cast<ErrorCode>(result.code), 0, "a part could not be compressed"};
  cuda::FramePart part;
  part.memory_offset = rules_.own_header_bytes();
  part.bytes = result.bytes - part.memory_offset - container::footer_bytes(segments.size());
  part.frame_offset = frame_.frame_bytes;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    footer_.segments.push_back({part.frame_offset + segments[i].offset - part.memory_offset,
                                footer_.element_count + i * rules_.header().max_segment_length});
    digest_.add(segments[i].digest);
  }
  footer_.element_count += content_bytes / size_of(rules_.dtype());
  frame_.frame_bytes += part.bytes;
  frame_.parts.push_back(part);
  return {};
}

cuda::PartedFrame FrameOfParts::finish(const Extent& extent) {
  footer_.outer_size = extent.rank == 0 ? 1 : extent.size[0];
  footer_.digest = digest_.value();
  const auto footer_bytes = container::write_footer(footer_, rules_.header_crc());
  const auto as_bytes = std::as_bytes(std::span(footer_bytes));
  frame_.footer.assign(as_bytes.begin(), as_bytes.end());
  frame_.frame_bytes += frame_.footer.size();
  return std::move(frame_);
}

}  // namespace floe::gpu
