// Whether differences that stood before may be worth matches: times and coordinates go on in the same steps,
// though no word stood before.
#pragma once

#include <vector>

#include "plan/objective.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {

/// Trees of differences with matches that may be shorter than `best`, the best tree so far with its sizes;
/// none if matches hardly pay. Their children are plain leaves, for a ChildPlanner. Only for goals that look
/// at size first.
std::vector<Plan> difference_match_plans(const ColumnView& stream, const EncodedTree& best,
                                         const Objective& objective, Scratch& scratch);

}  // namespace floe::trees
