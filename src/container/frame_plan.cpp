#include "container/frame_plan.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/checked_math.hpp"

namespace floe::api {
namespace {

constexpr std::uint32_t largest_dimensionality = 32;

Status invalid(const char* detail) { return {ErrorCode::invalid_argument, 0, detail}; }

/// The codec for a goal. The ratio codecs of 64-bit words cost ten times the time of the others, so balance does not take them.
std::string_view codec_for(Goal goal, std::size_t word_bytes) {
  switch (word_bytes) {
    case 4:
      return goal == Goal::speed ? "spspeed" : "spratio";
    case 8:
      return goal == Goal::ratio ? "dpratio" : "dpspeed";
    case 2:
      return "speed16";
    default:
      return "speed8";
  }
}

Result<const registry::CodecEntry*> find(DType dtype, const Options& options) {
  const std::size_t word_bytes = size_of(dtype);
  if (word_bytes == 0) return invalid("unknown element type");
  const std::string_view name = options.codec.empty() ? codec_for(options.goal, word_bytes) : options.codec;
  if (const auto* entry = registry::find_codec(name, static_cast<std::uint32_t>(8 * word_bytes))) return entry;
  const auto all = registry::all_codecs();
  const bool known = std::any_of(all.begin(), all.end(), [&](const auto& entry) { return entry.name == name; });
  return Status{ErrorCode::unsupported_codec, 0, known ? "this codec does not take this element type" : "there is no codec of this name"};
}

Status check_options(const Options& options) {
  if (options.format_version > newest_format_version)
    return {ErrorCode::unsupported_version, 0, "this library does not write that format version"};
  if (options.goal > Goal::ratio) return invalid("unknown goal");
  if (options.dimensionality < 1 || options.dimensionality > largest_dimensionality) return invalid("dimensionality must be 1 to 32");
  if (options.segment_bytes == 0 || options.segment_bytes % core::chunk_bytes != 0 ||
      options.segment_bytes / core::chunk_bytes > format::largest_chunks_per_segment) {
    return invalid("segment_bytes must be a multiple of 16384, at most 1 GiB");
  }
  if (options.prefix.size() > format::largest_prefix_bytes) return invalid("the prefix is longer than 1 MiB");
  return {};
}

core::ChunkContext context_of(const format::Header& header, std::uint32_t dimensionality) {
  core::ChunkContext context;
  context.rank = header.rank;
  std::copy(header.inner_extent.begin(), header.inner_extent.end(), context.extent.begin() + 1);
  context.parameters.dimensionality = dimensionality;
  return context;
}

}  // namespace

CodecInfo info_of(const registry::CodecEntry& entry) noexcept { return {entry.name, entry.summary, entry.word_bits, entry.id}; }

Result<FramePlan> plan_frame(DType dtype, std::uint32_t rank, std::span<const std::uint64_t> inner_extent, const Options& options) {
  const Result<const registry::CodecEntry*> codec = find(dtype, options);
  if (!codec) return codec.status();
  if (const Status status = check_options(options); !status.ok()) return status;
  if (rank > max_rank || inner_extent.size() != (rank == 0 ? 0 : rank - 1)) return invalid("an array has at most 8 dimensions");
  if (options.dimensionality != 1 && !(*codec)->takes_dimensionality) return invalid("dimensionality is for the codec gfc only");

  FramePlan plan;
  plan.codec = *codec;
  plan.header.dtype = dtype;
  plan.header.rank = rank;
  std::copy(inner_extent.begin(), inner_extent.end(), plan.header.inner_extent.begin());
  plan.header.checksums = options.checksum;
  plan.header.chunks_per_segment = static_cast<std::uint32_t>(options.segment_bytes / core::chunk_bytes);
  plan.header.codec_id = plan.codec->id;
  const auto* prefix = reinterpret_cast<const std::uint8_t*>(options.prefix.data());
  plan.header.prefix.assign(prefix, prefix + options.prefix.size());
  if (plan.codec->takes_dimensionality) plan.header.codec_parameters = {static_cast<std::uint8_t>(options.dimensionality)};
  plan.header_bytes = format::write_header(plan.header);
  plan.context = context_of(plan.header, options.dimensionality);
  return plan;
}

Result<FramePlan> plan_frame(DType dtype, const Extent& extent, const Options& options) {
  if (extent.rank > max_rank) return invalid("an array has at most 8 dimensions");
  const auto elements = extent.element_count();
  if (size_of(dtype) != 0 && (!elements || *elements > format::largest_content_bytes / size_of(dtype)))
    return invalid("the array is larger than 2^63 bytes");
  const std::size_t inner = extent.rank == 0 ? 0 : extent.rank - 1;
  Result<FramePlan> plan = plan_frame(dtype, extent.rank, std::span(extent.size).subspan(extent.rank == 0 ? 0 : 1, inner), options);
  return plan;
}

Result<StreamPlan> plan_stream(DType dtype, std::span<const std::uint64_t> inner_extent, const Options& options) {
  const auto rank = static_cast<std::uint32_t>(std::min<std::size_t>(inner_extent.size(), max_rank)) + 1;
  auto frame = plan_frame(dtype, rank, inner_extent, options);
  if (!frame) return frame.status();
  Extent row;
  row.rank = rank - 1;
  std::copy(inner_extent.begin(), inner_extent.end(), row.size.begin());
  const auto elements = row.element_count();
  const auto row_bytes = elements ? core::checked_multiply(*elements, size_of(dtype)) : std::nullopt;
  if (!row_bytes) return invalid("an outermost entry is larger than 2^64 bytes");
  return StreamPlan{std::move(*frame), *row_bytes};
}

Result<FramePlan> plan_decoding(format::Header header, std::span<const std::uint8_t> header_bytes) {
  FramePlan plan;
  plan.codec = registry::find_codec(header.codec_id);
  if (plan.codec == nullptr) return Status{ErrorCode::unsupported_codec, 24, "the frame's codec is unknown to this version"};
  if (plan.codec->word_bits != 8 * size_of(header.dtype))
    return Status{ErrorCode::corrupt_frame, 24, "the frame's codec does not take its element type"};
  std::uint32_t dimensionality = 1;
  if (plan.codec->takes_dimensionality) {
    if (header.codec_parameters.size() != 1)
      return Status{ErrorCode::corrupt_frame, format::fixed_header_bytes, "the codec's parameters have the wrong length"};
    dimensionality = header.codec_parameters[0];
    if (dimensionality < 1 || dimensionality > largest_dimensionality) {
      return Status{ErrorCode::corrupt_frame, format::fixed_header_bytes, "the dimensionality is not 1 to 32"};
    }
  } else if (!header.codec_parameters.empty()) {
    return Status{ErrorCode::corrupt_frame, format::fixed_header_bytes, "the codec has no parameters"};
  }
  plan.header = std::move(header);
  plan.header_bytes.assign(header_bytes.begin(), header_bytes.end());
  plan.context = context_of(plan.header, dimensionality);
  return plan;
}

}  // namespace floe::api
