// How much memory a block needs to encode a segment with a plan: as much as any words need.
#pragma once

#include <algorithm>

#include "gpu/encode/encode_segment.hpp"

namespace floe::gpu {

/// Blocks of an H200 that encode at once; more blocks than that are of no use on any device so far.
inline constexpr std::uint64_t max_encode_blocks = 296;
/// Scratch of all blocks together: where one needs a great deal, fewer of them work at a time.
inline constexpr std::uint64_t max_encode_scratch_bytes = std::uint64_t{4} << 30;

/// Blocks that are worth their memory.
inline std::uint64_t useful_encode_blocks(std::uint64_t segments, std::uint64_t scratch_bytes) {
  const std::uint64_t affordable =
      std::max<std::uint64_t>(1, max_encode_scratch_bytes / std::max<std::uint64_t>(1, scratch_bytes));
  return std::min({segments, max_encode_blocks, affordable});
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
  const auto words = [&](unsigned child) {
    return count * word_bytes(trees::child_type_of(id, type, b, child));
  };
  const auto below = [&](unsigned child, std::uint64_t child_count) {
    unsigned at = node + 1;
    for (unsigned i = 0; i < child; ++i) at = plan.next[at];
    return encode_scratch_of(plan, at, trees::child_type_of(id, type, b, child), child_count);
  };
  const std::uint64_t plain = is_float(type) ? 0 : slots_bytes(count, word_bytes(type));
  // Exceptions of decimals: places, gaps, words, and what is made of them.
  const std::uint64_t rare =
      id == EncodingId::decimal ? 4 * count + words(1) + words(2) + below(1, count) + below(2, count) : 0;
  if (packed_nodes(plan, node) > 0) {
    const unsigned width = is_map(id) ? word_bytes(trees::child_type_of(id, type, b, 0)) : word_bytes(type);
    return headers + slots_bytes(count, width) + count * width + rare;
  }
  switch (id) {
    case EncodingId::raw:
      return headers;
    case EncodingId::constant:
      return headers + plain;
    case EncodingId::decimal:
      return headers + words(0) + rare + below(0, count);
    case EncodingId::divide:
    case EncodingId::rle:
      return headers + words(0) + words(1) + below(0, count) + below(1, count);
    case EncodingId::sparse:
      return headers + words(0) + words(1) + 4 * count + below(0, count) + below(1, count);
    case EncodingId::split:
      return headers + words(0) + words(1) + words(2) + below(0, count) + below(1, count) + below(2, count);
    case EncodingId::dict:
      return headers + words(0) + words(1) + words(2) + DictMemory::bytes(count) + plain +
             below(0, std::min<std::uint64_t>(count, b)) + below(1, count) + below(2, count);
    case EncodingId::stride_split: {
      std::uint64_t sum = headers;
      for (unsigned i = 0; i < a; ++i)
        sum += (count + a - 1 - i) / a * word_bytes(type) + 16 + below(i, (count + a - 1 - i) / a);
      return sum;
    }
    default:
      return headers + words(0) + below(0, count);
  }
}

/// Bytes of scratch that a block needs for segments of `count` words.
inline std::uint64_t encode_scratch_bytes(const EncodePlan& plan, DType type, std::uint64_t count) {
  return (encode_scratch_of(plan, 0, type, count) + max_tree_header_bytes + 255 + 16) / 256 * 256;
}

}  // namespace floe::gpu
