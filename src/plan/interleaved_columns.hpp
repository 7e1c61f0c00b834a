// Trees for segments whose words are columns of several kinds that take turns, as in the rows of an array
// whose last dimension is short.
#pragma once

#include <vector>

#include "plan/objective.hpp"
#include "tree/plan.hpp"

namespace floe::trees {

/// Trees that split a segment into its columns, each of which has a tree of its own: of the strides of the
/// objective, up to 64, the one by which the columns differ most. None where they hardly differ, or samples
/// promise clearly more than `known_bytes`. Uses what the scratch memory remembers of the segment. Throws
/// std::bad_alloc.
std::vector<Plan> plans_of_columns(const ColumnView& segment, const Objective& objective,
                                   std::uint64_t known_bytes, Scratch& scratch);

}  // namespace floe::trees
