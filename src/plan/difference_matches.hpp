// Whether differences that stood before may be worth matches: times and coordinates go on in the same steps,
// though no word stood before.
#pragma once

#include <optional>
#include <vector>

#include "plan/objective.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {

/// Trees of differences with matches that may be shorter than the best tree so far. Their children are plain
/// leaves, for a ChildPlanner. Only for goals that look at size first. Of the differences that `tree` has;
/// nothing if matches hardly pay.
std::optional<Plan> own_difference_matches(const ColumnView& stream, const Plan& tree,
                                           std::uint64_t best_bytes, const Objective& objective,
                                           Scratch& scratch);
/// Of others, but for those of `own`; only if sizes are all that counts.
std::vector<Plan> other_difference_matches(const ColumnView& stream, std::uint64_t best_bytes,
                                           const std::optional<Plan>& own, const Objective& objective,
                                           Scratch& scratch);
/// The same tree with another effort of its matches.
Plan with_match_effort(Plan plan, std::uint32_t effort);

}  // namespace floe::trees
