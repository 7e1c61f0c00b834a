// What a block knows of the nodes of a tree.
#pragma once

#include "core/bits.hpp"
#include "encodings/rules.hpp"
#include "tree/plan.hpp"

namespace floe::gpu {

using trees::EncodingId;

inline constexpr unsigned max_nodes = trees::max_plan_nodes;
inline constexpr unsigned max_depth = trees::max_plan_depth;
FLOE_HD constexpr unsigned word_bytes(DType type) {
  constexpr std::uint64_t all =
      trees::nibbles([](unsigned i) { return static_cast<unsigned>(size_of(static_cast<DType>(i))); });
  return trees::nibble_of(all, static_cast<unsigned>(type));
}

/// One node of the tree that a block works on.
struct Node {
  EncodingId encoding{};
  DType type{};
  std::uint8_t parent = 0, slot = 0;  ///< Of the parent, which child.
  std::uint8_t child[8] = {};         ///< Where its children are; those of a stride_split may be 8.
  std::uint8_t child_count = 0;       ///< Of them, that were read so far.
  bool is_stream = false;             ///< Its words are written to memory; otherwise they belong to a chain.
  std::uint32_t parameter[2] = {};
  std::uint32_t count = 0;        ///< Words.
  std::uint32_t at = 0, end = 0;  ///< Where its header's lists or its payload lie in the segment.
  std::uint64_t number[2] = {};   ///< From its header.
  std::uint8_t* words = nullptr;  ///< Of a stream.
  std::uint8_t* table = nullptr;  ///< Memory besides; of bitpack the places of its vectors, if known.
};

}  // namespace floe::gpu
