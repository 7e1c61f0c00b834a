// Which chains may be good for a stream, going by its facts?
#pragma once

#include <vector>

#include "plan/search/facts.hpp"
#include "tree/plan.hpp"

namespace floe::trees {

/// Adds those that are not there yet. A chain is bit packing below at most one map and one delta.
void add_likely_chains(const ColumnView& stream, const StreamFacts& facts, std::vector<Plan>& chains);

}  // namespace floe::trees
