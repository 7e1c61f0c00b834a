// How much memory a block needs to encode a segment with a plan: as much as any words need.
#pragma once

#include <algorithm>
#include <optional>

#include "gpu/encode/encode_target.hpp"
#include "gpu/entropy/pack_entropy_memory.hpp"

namespace floe::gpu {

/// Blocks of an H200 that encode at once with dictionaries, without, and that pack entropy; more are of no
/// use on any device so far.
inline constexpr std::uint64_t max_encode_blocks = 396, max_small_encode_blocks = 740,
                               max_pack_entropy_blocks = 1056;
/// Scratch of all blocks together: where one needs a great deal, fewer of them work at a time.
inline constexpr std::uint64_t max_encode_scratch_bytes = std::uint64_t{4} << 30;

/// Blocks that are worth their memory.
inline std::uint64_t useful_encode_blocks(std::uint64_t segments, std::uint64_t scratch_bytes,
                                          std::uint64_t max_blocks) {
  const std::uint64_t affordable =
      std::max<std::uint64_t>(1, max_encode_scratch_bytes / std::max<std::uint64_t>(1, scratch_bytes));
  return std::min({segments, max_blocks, affordable});
}

/// The same plan, in the form for devices. Precondition: checked, without encodings that devices lack.
inline EncodePlan encode_plan_of(const trees::Plan& plan) {
  EncodePlan made;
  for (const trees::PlanNode& node : plan.nodes)
    made.put(node.encoding, node.parameters[0], node.parameters[1]);
  made.find_siblings();
  return made;
}

/// Bytes that the sub-tree at `node` may take for `count` words, the words themselves excluded.
inline std::uint64_t encode_scratch_of(const EncodePlan& plan, unsigned node, DType type,
                                       std::uint64_t count) {
  constexpr std::uint64_t headers = 1408 + 16 * 16;
  const EncodingId id = plan.id(node);
  const std::uint32_t a = plan.parameter[node][0], b = plan.parameter[node][1];
  const unsigned packed = packed_nodes(plan, node);
  std::uint64_t sum = headers;
  if (packed > 0) {
    const unsigned width = is_map(id) ? word_bytes(trees::child_type_of(id, type, b, 0)) : word_bytes(type);
    sum += slots_bytes(count, width) + count * width;
  } else if ((id == EncodingId::constant || id == EncodingId::dict) && !is_float(type)) {
    sum += slots_bytes(count, word_bytes(type));  // where they do not take their words
  }
  if (id == EncodingId::entropy) sum += entropy_scratch_bytes(count, word_bytes(type));
  // Of exceptions: their positions.
  if (id == EncodingId::decimal || id == EncodingId::sparse || id == EncodingId::grid) sum += 4 * count;
  std::uint64_t below = 0;  // of children, which need it after what takes the stream apart
  unsigned at = node + 1;
  for (unsigned i = 0; i < trees::children_of(id, a); ++i, at = plan.next[at]) {
    if (packed > 0 && (i == 0 || id != EncodingId::decimal)) continue;  // it is packed with its parent
    const DType child = trees::child_type_of(id, type, b, i);
    const std::uint64_t words = id == EncodingId::stride_split     ? (count + a - 1 - i) / a
                                : id == EncodingId::dict && i == 0 ? std::min<std::uint64_t>(count, b)
                                : id == EncodingId::dict && i == 2 ? max_dict_exceptions(count, b)
                                : id == EncodingId::grid && i == 1 ? count * word_bytes(type)
                                                                   : count;
    sum += words * word_bytes(child) + 16;
    below += encode_scratch_of(plan, at, child, words);
  }
  return sum + (id == EncodingId::dict ? std::max(below, DictMemory::bytes(count)) : below);
}

/// What a block needs for segments with one tree.
struct EncodeNeeds {
  bool packs_entropy = false;  ///< Another kernel takes them.
  std::uint64_t scratch_bytes = 0;
  bool can_fail = false;  ///< The other kernel takes them only where all words are decimals, or enough.
  bool in_large_blocks = false;  ///< There is a dictionary.
  bool has_two_parts = false;    ///< As EncodeColumnsJob says: segments take times of any length then.
  bool has_narrow = false;       ///< Not all words have 64 bits.
  bool has_stride = false;       ///< That kernel is one that takes strides,
  bool is_divided = false;       ///< or quotients, and nothing else,
  bool is_stored = false;        ///< or grids and deltas whose words are stored,
  std::uint64_t scratch_bytes_of_stored = 0;  ///< which may need more.

  /// The same for segments that are encoded again, mostly none: a launch of fewer blocks takes less time.
  [[nodiscard]] EncodeNeeds again() const {
    EncodeNeeds needs = *this;
    needs.in_large_blocks = true;
    return needs;
  }
  /// Of several trees.
  void add(const EncodeNeeds& other) {
    const bool in_parts = has_two_parts || other.has_two_parts;
    const auto bytes = [&](const EncodeNeeds& needs) {
      return needs.scratch_bytes * (in_parts && !needs.has_two_parts ? 2 : 1);
    };
    scratch_bytes = std::max(bytes(*this), bytes(other));
    has_two_parts = in_parts;
    can_fail = can_fail || other.can_fail;
    in_large_blocks = in_large_blocks || other.in_large_blocks;
    has_narrow = has_narrow || other.has_narrow;
    has_stride = has_stride || other.has_stride;
    is_divided = is_divided || other.is_divided;
    is_stored = is_stored || other.is_stored;
    scratch_bytes_of_stored = std::max(scratch_bytes_of_stored, other.scratch_bytes_of_stored);
    if (is_stored) scratch_bytes = std::max(scratch_bytes, scratch_bytes_of_stored);
  }
  [[nodiscard]] EncodeKernel kernel(bool finds_facts) const {
    if (packs_entropy)
      return is_divided   ? pack_quotients_kernel(finds_facts)
             : is_stored  ? pack_stored_kernel(finds_facts)
             : has_stride ? pack_strides_kernel(finds_facts)
             : can_fail   ? pack_decimals_kernel(finds_facts)
             : has_narrow ? pack_neighbours_kernel(finds_facts)
                          : pack_wide_neighbours_kernel(finds_facts);
    return in_large_blocks ? encode_kernel() : small_encode_kernel();
  }
  /// Blocks that are worth their memory.
  [[nodiscard]] std::uint64_t useful_blocks(std::uint64_t segments) const {
    return useful_encode_blocks(segments, scratch_bytes,
                                packs_entropy     ? max_pack_entropy_blocks
                                : in_large_blocks ? max_encode_blocks
                                                  : max_small_encode_blocks);
  }
};

/// A leaf of entropy that is packed.
struct PackedLeaf {
  DType type;
  bool has_stride = false;  ///< Of the only delta.
  bool is_decimal = false, is_grid = false, is_divided = false;
  unsigned stored = 0;  ///< Deltas that are stored.
};

/// The leaf if a plan for segments of at most `count` words is a leaf of entropy of one section, below at
/// most a step to sortable words, integers of decimals or multiples, and deltas that are_stored but for the
/// last one; or quotients of floats by a power of two, with a remainder that all have, or vectors. The other
/// children of decimal and grid do not matter where no word is an exception, but for the bits below a grid,
/// which are raw.
inline std::optional<PackedLeaf> packed_entropy_leaf(const EncodePlan& plan, DType type,
                                                     std::uint64_t count) {
  unsigned node = 0;
  if (word_bytes(type) < 2 || count > trees::section_words) return std::nullopt;
  PackedLeaf leaf{type};
  leaf.is_decimal = plan.id(0) == EncodingId::decimal;
  leaf.is_grid = plan.id(0) == EncodingId::grid;
  leaf.is_divided = plan.id(0) == EncodingId::divide;
  if (leaf.is_divided && (!is_float(type) || plan.parameter[0][0] != 1)) return std::nullopt;
  if (leaf.is_decimal || leaf.is_grid || leaf.is_divided || plan.id(0) == EncodingId::sortable)
    leaf.type = trees::child_type_of(plan.id(node++), type, plan.parameter[0][1], 0);
  const unsigned width = word_bytes(leaf.type);
  DeltaSteps deltas;
  for (; plan.id(node) == EncodingId::delta; ++node) {
    if (deltas.count == DeltaSteps::max_steps) return std::nullopt;
    deltas.step[deltas.count++] = {plan.parameter[node][0], plan.parameter[node][1]};
  }
  leaf.has_stride = !leaf.is_grid && !leaf.is_divided &&
                    deltas.stored(width, true) < deltas.stored(width, false) && deltas.count == 1;
  leaf.stored = deltas.stored(width, leaf.has_stride);
  const bool has_raw_bits = !leaf.is_grid || plan.id(plan.next[1]) == EncodingId::raw,
             has_remainders = leaf.stored == 0 && (plan.id(node + 1) == EncodingId::constant ||
                                                   plan.id(node + 1) == EncodingId::bitpack),
             is_leaf = plan.id(node) == EncodingId::entropy &&
                       (leaf.is_decimal || leaf.is_grid || (leaf.is_divided && has_remainders) ||
                        node + 1u == plan.count);
  return is_leaf && has_raw_bits && are_stored(deltas, leaf.stored) ? std::optional(leaf) : std::nullopt;
}

/// For segments of at most `count` words. `by_blocks`: with the kernel for every tree.
inline EncodeNeeds encode_needs(const EncodePlan& plan, DType type, std::uint64_t count,
                                bool by_blocks = false) {
  EncodeNeeds needs;
  const auto leaf = by_blocks ? std::nullopt : packed_entropy_leaf(plan, type, count);
  needs.packs_entropy = leaf.has_value();
  needs.has_narrow = word_bytes(type) < 8;
  needs.has_stride = leaf && leaf->has_stride;
  needs.is_stored = leaf && (leaf->is_grid || leaf->stored > 0);
  needs.is_divided = leaf && leaf->is_divided;
  needs.can_fail = leaf && (leaf->is_decimal || needs.is_divided || needs.is_stored);
  for (unsigned node = 0; node < plan.count; ++node)
    needs.in_large_blocks = needs.in_large_blocks || plan.id(node) == EncodingId::dict;
  const auto rounded = [](std::uint64_t bytes) { return (bytes + 255) / 256 * 256; };
  if (leaf) {
    const auto scratch_of = [&](unsigned stored) {
      const unsigned width = word_bytes(leaf->type);
      return rounded(PackEntropyScratch::bytes(
          count, width,
          leaf->is_divided ? stored_remainders_bytes(count, width)
                           : all_stored_bytes(count, width, leaf->is_decimal, leaf->is_grid, stored)));
    };
    needs.scratch_bytes = scratch_of(leaf->stored);
    needs.scratch_bytes_of_stored = scratch_of(leaf->stored + (leaf->has_stride ? 1 : 0));
  } else {
    needs.has_two_parts = needs.in_large_blocks;
    needs.scratch_bytes = rounded(encode_scratch_of(plan, 0, type, count) + max_tree_header_bytes + 16 +
                                  max_pieces * sizeof(EncodePiece)) *
                          (needs.has_two_parts ? 2 : 1);
  }
  return needs;
}

}  // namespace floe::gpu
