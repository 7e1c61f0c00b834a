// Trees whose errors stand in the order of how large those around them are in the row before: of the best
// tree so far, and of differences in two dimensions.
#pragma once

#include <vector>

#include "plan/objective.hpp"
#include "tree/plan.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {

/// None if the words are in no rows. Precondition: 1024 words. Throws std::bad_alloc.
std::vector<Plan> context_plans(const ColumnView& stream, const EncodedTree& best, const Objective& objective,
                                Scratch& scratch);

}  // namespace floe::trees
