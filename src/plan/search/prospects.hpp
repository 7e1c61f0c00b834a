// What may trees come to, going by times and facts alone, before any of them is tried?
#pragma once

#include <vector>

#include "plan/objective.hpp"
#include "plan/search/facts.hpp"
#include "plan/search/sample.hpp"
#include "tree/plan.hpp"

namespace floe::trees {

/// What good trees may come to, per word. Not a bound: entropy coders may need less. But a tree that looks
/// too long by bits alone is hardly ever the best one.
std::uint64_t optimistic_cost(const StreamFacts& facts);

/// The candidates in the order of their times, so that the first ones bound the others.
std::vector<PlanNode> fastest_first(std::vector<PlanNode> candidates, const Objective& objective);

/// Whether trees that begin with this encoding hardly cost less than `limit`, going by times and by the facts
/// of its words.
bool is_hopeless(const PlanNode& node, const Sample& sample, const StreamFacts& facts, std::uint64_t limit,
                 const Objective& objective);

}  // namespace floe::trees
