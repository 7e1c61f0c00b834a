// Guesses the tree that a search will end with, by facts and a few words, so that a device can begin before
// the search ends.
#pragma once

#include <optional>
#include <span>

#include "encodings/scratch.hpp"
#include "plan/objective.hpp"
#include "plan/search/search_threads.hpp"
#include "tree/plan.hpp"

namespace floe::trees {

/// A chain – bit packing or entropy below at most one map and one delta – or, where runs
/// are clearly better, two chains below them. The best one, going by planning windows of a stream of `count`
/// words; nothing where runs may be better or not, or a dictionary. Costs a few dozen microseconds. Throws
/// std::bad_alloc. The same tree whatever threads there are.
std::optional<Plan> guess_tree(std::span<const ColumnView> windows, std::uint64_t count,
                               const Objective& objective, SearchThreads& threads, Scratch& scratch);

}  // namespace floe::trees
