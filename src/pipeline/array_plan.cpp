#include "pipeline/array_plan.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "core/bits.hpp"

namespace floe::pipeline {
namespace {

constexpr std::uint64_t leaf_segment_bytes = std::uint64_t{64} << 20,
                        tree_segment_bytes = std::uint64_t{1} << 20,
                        text_segment_bytes = std::uint64_t{4} << 20;  // bytes repeat at greater distances
constexpr std::uint64_t gpu_segment_words = std::uint64_t{1} << 16;

Status invalid(const char* detail) { return {ErrorCode::invalid_argument, 0, detail}; }

/// The bytes of the rows of an array that is likely to be a table: where segments consist of whole ones, the
/// columns of each come in the same order. Bytes are mostly pixels, and what has more dimensions is no table.
std::uint64_t bytes_of_row(std::span<const std::uint64_t> inner_extent, std::size_t word_bytes) {
  constexpr std::uint64_t max_columns = 16;
  const bool is_table = inner_extent.size() == 1 && inner_extent[0] - 1 < max_columns && word_bytes > 1;
  return is_table ? inner_extent[0] * word_bytes : word_bytes;
}

/// Precondition: a goal that there is.
trees::Preset preset_of(Goal goal) {
  constexpr std::array presets = {trees::Preset::fast, trees::Preset::balanced, trees::Preset::ratio,
                                  trees::Preset::max};
  return presets[static_cast<std::size_t>(goal)];
}

/// A tree that is the name of a codec, or one like "gfc(3)", for which a parser would take too long. Nothing
/// for other trees, and for those that may be wrong.
std::optional<chunks::Leaf> leaf_of_text(std::string_view tree, std::uint32_t word_bits) {
  const std::size_t name_end = std::min(tree.find('('), tree.size());
  const auto* const codec = registry::find_codec(tree.substr(0, name_end), word_bits);
  if (codec == nullptr) return std::nullopt;
  if (name_end == tree.size()) return chunks::Leaf{codec, 1};
  const std::string_view digit = tree.substr(name_end + 1);
  const bool is_short = digit.size() == 2 && digit[0] >= '1' && digit[0] <= '9' && digit[1] == ')';
  if (!codec->takes_dimensionality || !is_short) return std::nullopt;
  return chunks::Leaf{codec, static_cast<std::uint32_t>(digit[0] - '0')};
}

Status choose_trees(ArrayPlan& plan, std::span<const std::uint64_t> inner_extent, const Options& options) {
  if (options.tree.empty()) {
    Result<trees::Objective> objective = objective_of(options);
    if (!objective) return objective.status();
    plan.objective = *objective;
    if (options.profile == Profile::gpu && options.goal == Goal::speed)
      plan.objective = trees::fast_array_objective_for_devices();
    if (options.profile == Profile::cpu && size_of(plan.header.dtype) == 8)
      plan.objective = trees::objective_for_wide_words(plan.objective, preset_of(options.goal));
    if (options.goal != Goal::speed) plan.objective.strides = trees::far_strides_of(inner_extent);
    return {};
  }
  plan.leaf = leaf_of_text(options.tree, static_cast<std::uint32_t>(8 * plan.word_bytes()));
  if (plan.leaf) return {};
  Result<trees::Plan> tree = trees::plan_from_text(options.tree, plan.header.dtype);
  if (!tree) return tree.status();
  const trees::PlanNode& root = tree->nodes[0];
  if (root.encoding == trees::EncodingId::codec) {
    plan.leaf = chunks::Leaf{registry::find_codec(static_cast<std::uint16_t>(root.parameters[0])),
                             root.parameters[1]};
  } else {
    plan.tree = std::move(*tree);
  }
  return {};
}

}  // namespace

Result<trees::Objective> objective_of(const Options& options) {
  if (options.goal > Goal::max) return invalid("unknown goal");
  if (options.profile > Profile::gpu) return invalid("unknown profile");
  if (options.profile == Profile::gpu && options.decode_megabytes_per_second > 0)
    return invalid("times of encodings are those of CPUs");
  trees::Objective objective = trees::objective_of(preset_of(options.goal), options.profile == Profile::gpu);
  objective.decode_megabytes_per_second = options.decode_megabytes_per_second;
  return objective;
}

Result<ArrayPlan> plan_array(DType dtype, std::uint32_t rank, std::span<const std::uint64_t> inner_extent,
                             const Options& options) {
  if (!is_element_type(dtype)) return invalid("unknown element type");
  if (rank > max_rank || inner_extent.size() != (rank == 0 ? 0 : rank - 1))
    return invalid("an array has at most 8 dimensions");
  if (options.segment_bytes % core::chunk_bytes != 0 || options.segment_bytes > container::max_segment_bytes)
    return invalid("segment_bytes must be a multiple of 16384, at most 1 GiB");
  if (options.prefix.size() > container::max_prefix_bytes) return invalid("the prefix is longer than 1 MiB");

  ArrayPlan plan;
  plan.header.dtype = dtype;
  plan.header.rank = rank;
  std::copy(inner_extent.begin(), inner_extent.end(), plan.header.inner_extent.begin());
  plan.header.checksums = options.checksum;
  const auto* prefix = reinterpret_cast<const std::uint8_t*>(options.prefix.data());
  plan.header.prefix.assign(prefix, prefix + options.prefix.size());
  if (const Status status = choose_trees(plan, inner_extent, options); !status.ok()) return status;
  const std::uint64_t usual = plan.leaf                         ? leaf_segment_bytes
                              : options.profile == Profile::gpu ? gpu_segment_words * size_of(dtype)
                              : plan.objective.match_effort >= 0 && size_of(dtype) == 1 ? text_segment_bytes
                                                                                        : tree_segment_bytes;
  const bool is_planned = !plan.leaf && !plan.tree && options.profile == Profile::cpu;
  plan.segment_bytes = options.segment_bytes == 0 ? usual : options.segment_bytes;
  if (is_planned && options.segment_bytes == 0)
    plan.segment_bytes -= usual % bytes_of_row(inner_extent, plan.word_bytes());
  if (usual == text_segment_bytes)  // as many samples as the shorter segments have: images, too, are bytes
    plan.objective =
        trees::objective_for_long_segments(plan.objective, text_segment_bytes / tree_segment_bytes);
  // Finding matches in all words takes longer than trees do, which `speed` has no time for.
  const bool has_time = options.goal != Goal::speed && options.decode_megabytes_per_second == 0;
  if (is_planned && size_of(dtype) == 8 && has_time)
    plan.history_bytes = options.segment_bytes == 0
                             ? leaf_segment_bytes - leaf_segment_bytes % plan.segment_bytes
                             : options.segment_bytes;
  plan.joins_segments = is_planned && has_time && options.segment_bytes == 0 && plan.objective.rival;
  const std::uint64_t joined_bytes = plan.joins_segments ? usual_group_bytes : 0;
  plan.header.max_segment_length =
      std::max({plan.segment_bytes, plan.history_bytes, joined_bytes}) / size_of(dtype);
  return plan;
}

Result<ArrayPlan> plan_array(DType dtype, const Extent& extent, const Options& options) {
  if (extent.rank > max_rank) return invalid("an array has at most 8 dimensions");
  const auto elements = extent.element_count();
  if (is_element_type(dtype) && (!elements || *elements > container::max_content_bytes / size_of(dtype)))
    return invalid("the array is larger than 2^63 bytes");
  const std::size_t inner = extent.rank == 0 ? 0 : extent.rank - 1;
  return plan_array(dtype, extent.rank, std::span(extent.size).subspan(extent.rank == 0 ? 0 : 1, inner),
                    options);
}

Result<std::uint64_t> row_bytes_of(DType dtype, std::span<const std::uint64_t> inner_extent) {
  Extent row;
  row.rank = static_cast<std::uint32_t>(inner_extent.size());
  std::copy(inner_extent.begin(), inner_extent.end(), row.size.begin());
  const auto elements = row.element_count();
  const auto row_bytes = elements ? core::checked_multiply(*elements, size_of(dtype)) : std::nullopt;
  if (!row_bytes) return invalid("an outermost entry is larger than 2^64 bytes");
  return *row_bytes;
}

std::uint64_t frame_bound(const ArrayPlan& plan, std::uint64_t content_bytes) {
  const std::uint64_t whole_segments = content_bytes / plan.segment_bytes,
                      rest = content_bytes % plan.segment_bytes;
  const auto segment_bound = [&](std::uint64_t bytes) {
    const std::uint64_t leaf = chunks::stream_bound(bytes, plan.header.checksums);
    return container::array_segment_header_bytes +
           (plan.leaf ? leaf : std::max(leaf, chunks::padded(bytes) + max_tree_overhead));
  };
  const std::uint64_t segments = whole_segments + (rest == 0 ? 0 : 1);
  return container::array_header_bytes(plan.header) + whole_segments * segment_bound(plan.segment_bytes) +
         (rest == 0 ? 0 : segment_bound(rest)) + container::footer_bytes(segments);
}

}  // namespace floe::pipeline
