// A segment through a tree: every node is encoded, then its children.
#pragma once

#include "tree/plan.hpp"

namespace floe::trees {

/// Finds trees for child streams that are much shorter than their parents: of those, samples of the parents
/// showed little.
class ChildPlanner {
 public:
  virtual ~ChildPlanner() = default;
  /// A plan for the stream of at most `depth` nodes above each other. `known`: what the plan at hand has for
  /// it; nothing where that does not take the words.
  virtual Plan plan_for(const ColumnView& child, std::size_t depth, const Plan& known) = 0;
  /// Whether short children are planned, too, or only those that the plan at hand does not fit.
  [[nodiscard]] virtual bool plans_short_children() const { return true; }
  /// Whether all children are.
  [[nodiscard]] virtual bool plans_all_children() const { return false; }
  /// Of a tree with all that it finds.
  [[nodiscard]] virtual std::size_t max_nodes() const { return max_plan_nodes; }
};

/// What a node and all below it made of its stream.
struct NodeSize {
  std::uint64_t words_bytes = 0, encoded_bytes = 0;
};

/// What became of a segment.
struct EncodedTree {
  Plan plan;  ///< As it was used: where the wanted one did not fit, or gained nothing, a leaf took its place.
  Plan wanted;  ///< What to encode the next segment with: the plan, with what a ChildPlanner found.
  std::vector<NodeSize> sizes;  ///< Of the nodes of `plan`.
  ByteWriter body;              ///< Headers and payloads in pre-order.
};

/// The leaf that takes every stream of a type: bitpack for integers, raw for the others.
PlanNode plain_leaf(DType type) noexcept;

/// Whether all words are equal; true for none.
bool is_constant(const ColumnView& column);

/// Encodes with a checked plan. Streams of equal words become constants, and sub-trees that would be longer
/// than their words become raw, whatever the plan says. Throws std::bad_alloc.
EncodedTree encode_tree(const ColumnView& column, const Plan& plan, Scratch& scratch,
                        ChildPlanner* child_planner = nullptr);

}  // namespace floe::trees
