// Trees that predict words by their neighbours in several dimensions. Samples of words lack the rows before,
// so that only the whole stream tells what these trees make of it.
#pragma once

#include <vector>

#include "plan/objective.hpp"
#include "tree/plan.hpp"

namespace floe::trees {

/// Worth a try beside the best tree that a search found for the stream.
std::vector<Plan> neighbour_predictions(const ColumnView& stream, const Plan& best,
                                        const Objective& objective);

}  // namespace floe::trees
