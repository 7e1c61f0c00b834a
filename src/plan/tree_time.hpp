// The time of a tree by the times of its encodings, and the choice between two trees where speed is demanded.
#pragma once

#include <cstdint>

#include "plan/objective.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {

/// For all words of a stream.
struct TreeTime {
  std::uint64_t encode_picoseconds = 0, decode_picoseconds = 0;
};

/// Besides its words, for each of the different ones of a dictionary: the first position of each cannot be
/// foreseen, and they are sorted.
inline constexpr EncodingTime time_of_entry{12000, 0};

/// Of a node, without its children. Codecs with a match history take much longer than the others.
EncodingTime time_of(const PlanNode& node, const Objective& objective);

/// Precondition: the tree has its sizes; `type` is that of its stream.
TreeTime time_of(const EncodedTree& tree, DType type, const Objective& objective);

/// What a tree made of its stream, even if its bytes went elsewhere.
inline std::uint64_t encoded_bytes(const EncodedTree& tree) {
  return tree.sizes.empty() ? tree.body.size() : tree.sizes[0].encoded_bytes;
}

/// The same, and the tree, which takes many of few bytes.
inline std::uint64_t stored_bytes(const EncodedTree& tree) {
  return encoded_bytes(tree) + written_bytes(tree.plan);
}

/// Whether the stream's words are decoded as fast as is demanded. The same precondition, if speed is
/// demanded.
bool keeps_speed(const EncodedTree& tree, const ColumnView& stream, const Objective& objective);

/// Whether `tree` is better than `other` for a stream that both encoded: it keeps the demanded speed, or else
/// is faster; among those that keep it, the shorter one is better.
bool is_preferred(const EncodedTree& tree, const EncodedTree& other, const ColumnView& stream,
                  const Objective& objective);

}  // namespace floe::trees
