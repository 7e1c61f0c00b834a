// A segment through a tree: every node is encoded, then its children.
#pragma once

#include "series/plan.hpp"

namespace floe::series {

/// What became of a segment.
struct EncodedTree {
  Plan plan;        ///< As it was used: where the wanted one did not fit, or gained nothing, a leaf took its place.
  ByteWriter body;  ///< Headers and payloads in pre-order.
};

/// The leaf that takes every stream of a type: afl for integers, raw for the others.
PlanNode plain_leaf(Type type) noexcept;

/// Encodes with a checked plan. Streams of equal words become constants, and sub-trees that would be longer than their words become raw,
/// whatever the plan says. Throws std::bad_alloc.
EncodedTree encode_tree(const ColumnView& column, const Plan& plan, Scratch& scratch);

/// Plan and body as one string of bytes.
std::vector<std::uint8_t> serialize(const EncodedTree& tree);

}  // namespace floe::series
