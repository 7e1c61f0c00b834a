// Which tree over runs will a search end with, if it ends with one?
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "encodings/scratch.hpp"
#include "plan/objective.hpp"
#include "plan/search/facts.hpp"
#include "tree/plan.hpp"

namespace floe::trees {

inline constexpr PlanNode runs_node{EncodingId::rle, {}};

/// A tree, and what it costs by each window, for the whole stream.
struct GuessedTree {
  Plan tree;
  std::vector<std::uint64_t> costs;
};

/// Runs, with a chain for their lengths and one for their words: of the best ones of each window, those that
/// are best for all of them. Throws std::bad_alloc.
GuessedTree guess_runs(std::span<const ColumnView> windows, std::span<const StreamFacts> facts,
                       std::uint64_t count, const Objective& objective, Scratch& scratch);

}  // namespace floe::trees
