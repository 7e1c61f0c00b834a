// The search for a tree while a device waits for it: its steps run side by side.
#pragma once

#include <span>

#include "plan/objective.hpp"
#include "plan/search/search_threads.hpp"
#include "tree/plan.hpp"

namespace floe::trees {

/// The best tree going by windows of a stream of `count` words: the same whatever threads there are. This
/// thread calls `meanwhile`, if there is one, when others have begun, or before. Preconditions: at least one
/// word, a budgeted objective. Throws std::bad_alloc, and what `meanwhile` throws.
Plan plan_budgeted(std::span<const ColumnView> windows, std::uint64_t count, const Objective& objective,
                   std::size_t max_depth, SearchThreads& threads, Scratch& scratch,
                   const SearchThreads::Meanwhile& meanwhile = {});

}  // namespace floe::trees
