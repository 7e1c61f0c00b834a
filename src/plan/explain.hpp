// Explains the tree of a stream: the trees that could have been chosen, what samples say of them, and what
// they make of it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "encodings/stream.hpp"
#include "plan/objective.hpp"
#include "plan/tree_time.hpp"
#include "tree/plan.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {

struct Candidate {
  Plan plan;  ///< As it was used: leaves may have taken the place of trees that gained nothing.
  std::uint64_t estimated_bytes = 0;  ///< From samples.
  std::uint64_t encoded_bytes = 0;    ///< Of the whole stream.
  TreeTime estimated_time;            ///< Going by the times of its encodings.
  TreeTime measured_time;             ///< Of this run, on this machine.
  bool is_unbeaten =
      false;  ///< No other one is better in size or estimated time of decoding, and as good in the other.
  bool keeps_speed = true;  ///< Whether it is as fast as the objective demands.
};

/// The chosen tree, the best one for each encoding at the root that is worth a try, and the best ones if time
/// counts more or less than the objective says; smallest estimate first. Encodes and decodes the stream with
/// each of them. Precondition: at least one word, `chosen` is checked. Throws std::bad_alloc.
std::vector<Candidate> explain_stream(const ColumnView& stream, const Plan& chosen,
                                      const Objective& objective, Scratch& scratch);

/// A node of a tree that encoded a stream.
struct ExplainedNode {
  PlanNode node;
  std::string_view role;  ///< What its words are to its parent; empty for the root.
  DType type = DType::u8;
  NodeSize size;
};

/// Encodes a stream with a checked plan and says what became of it, node by node. Throws std::bad_alloc.
std::vector<ExplainedNode> explain_tree(const ColumnView& stream, const Plan& plan, Scratch& scratch);

}  // namespace floe::trees
