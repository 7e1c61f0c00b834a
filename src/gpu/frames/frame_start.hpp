// What the host decides of the frames of a call: their rules and their header, which no content changes.
#pragma once

#include <vector>

#include "gpu/frames/job.hpp"
#include "pipeline/array_plan.hpp"

namespace floe::gpu {

/// The options with which floe::compress() makes the same frames.
inline Options with_profile(const Options& options) {
  Options with = options;
  with.profile = Profile::gpu;
  return with;
}

/// Checks the options. Errors: invalid_argument.
inline Result<pipeline::ArrayPlan> plan_frames(DType dtype, const Extent& extent, const Options& options) {
  if (!options.prefix.empty())
    return Status{ErrorCode::invalid_argument, 0, "frames made on a device have no prefix"};
  return pipeline::plan_array(dtype, extent, with_profile(options));
}

/// Checks the only array of a call. Errors: invalid_argument.
inline Status check_item(const pipeline::ArrayPlan& plan, const Extent& extent, const BatchItem& item,
                         const ItemResult* result) {
  const auto invalid = [](const char* detail) { return Status{ErrorCode::invalid_argument, 0, detail}; };
  const std::uint64_t elements = *extent.element_count(), width = plan.word_bytes();
  if (elements > max_device_bytes / width || elements * width != item.in_bytes)
    return invalid("the input's size is not that of its shape");
  if (item.in == nullptr && item.in_bytes != 0) return invalid("there is no input");
  if (!plan.leaf && reinterpret_cast<std::uintptr_t>(item.in) % width != 0)
    return invalid("the input does not begin at a multiple of its elements' size");
  if (item.out == nullptr && item.out_bytes != 0) return invalid("there is no output");
  if (reinterpret_cast<std::uintptr_t>(item.out) % container::alignment != 0)
    return invalid("the output does not begin at a multiple of 16");
  return result != nullptr ? Status{} : invalid("the result is null");
}

/// Fills in what is the same for all items.
inline void describe_frames(CompressJob& job, const pipeline::ArrayPlan& plan, const Extent& extent) {
  const std::vector<std::uint8_t> header = container::write_header(plan.header);
  std::copy(header.begin(), header.end(), job.header);
  job.header_crc = container::crc_of_part(header);
  job.rules = {static_cast<std::uint32_t>(plan.segment_bytes / core::chunk_bytes),
               static_cast<std::uint32_t>(header.size()), plan.header.checksums};
  job.dtype = plan.header.dtype;
  job.element_bytes = static_cast<std::uint32_t>(plan.word_bytes());
  job.is_scalar = extent.rank == 0;
  for (std::uint32_t d = 1; d < extent.rank; ++d) job.row_elements *= extent.size[d];
  if (job.row_elements == 0) job.outer_size_of_empty_rows = extent.size[0];
}

/// The same for a codec.
inline void describe_leaf(CompressJob& job, const chunks::Leaf& leaf) {
  job.dimensionality = leaf.dimensionality;
  job.leaf.plan = leaf_plan(static_cast<std::uint8_t>(leaf.codec->id), leaf.dimensionality);
  for (const std::uint8_t kind : {chunks::kind_content, chunks::kind_history}) {
    const auto front = chunks::front_of(leaf, kind);
    core::Digest digest;
    digest.add(chunks::block_of(front, job.rules.checksums));
    job.leaf.digest_terms[kind] = digest.value();
  }
}

}  // namespace floe::gpu
