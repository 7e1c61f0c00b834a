// The best trees for a whole stream, going by samples of it.
#pragma once

#include <span>
#include <vector>

#include "encodings/stream.hpp"
#include "plan/objective.hpp"
#include "plan/search/search.hpp"
#include "tree/plan.hpp"

namespace floe::trees {

struct Finalists {
  std::vector<Choice> choices;  ///< At least one, the cheapest first.
  std::vector<Choice> others;   ///< That seem to cost clearly more, the cheapest first.
  Objective weighed;            ///< What their costs go by.
};
/// Trees of at most `max_depth` nodes above each other: what the planning windows suggest, tried on all of
/// them, and the best of these on a longer window. Precondition: at least one word. Throws std::bad_alloc.
Finalists find_finalists(const ColumnView& stream, const Objective& objective, std::size_t max_depth,
                         Scratch& scratch);

/// The codecs that the objective lets take the stream, by samples of theirs: without their times, so that
/// searches with other weights need not do that again.
std::vector<Choice> estimate_codecs(const ColumnView& stream, const Objective& objective);
/// `max_cost`: trees that seem to cost clearly more are not looked for; then the best one may be a leaf.
Finalists find_finalists(const ColumnView& stream, std::vector<Choice> codecs, const Objective& objective,
                         std::size_t max_depth, Scratch& scratch, std::uint64_t max_cost = unknown_cost);

/// Adds the best trees to finalists that are codecs so far, and weighed. The same preconditions.
void add_trees(const ColumnView& stream, const Objective& objective, std::size_t max_depth,
               std::uint64_t max_cost, Scratch& scratch, Finalists& finalists);

/// Leaves of entropy get several tables where an objective wants that.
void take_tables(std::vector<PlanNode>& nodes, const Objective& objective);

/// About what the best tree costs, without codecs, by one small sample, in 1/256 bit. The same preconditions.
std::uint64_t estimate_best_tree(const ColumnView& stream, const Objective& objective, Scratch& scratch);
/// That tree, of at most so many nodes above each other.
Choice find_tree_briefly(const ColumnView& stream, const Objective& objective, std::size_t max_depth,
                         Scratch& scratch);

/// Samples of words lack those at far strides.
bool shows_in_samples(const Plan& plan);

/// What a tree costs that was found for other streams. The same preconditions.
std::uint64_t estimate_known_tree(const ColumnView& stream, const Plan& plan, const Objective& objective,
                                  Scratch& scratch);

/// Which of the plans costs least, and what it costs; the first one if another costs hardly less. The same
/// preconditions.
struct KnownTree {
  std::size_t index = 0;
  std::uint64_t cost = 0;
};
KnownTree cheapest_known_tree(const ColumnView& stream, std::span<const Plan* const> plans,
                              const Objective& objective, Scratch& scratch);

/// The best tree going by the planning windows of a stream of `count` words alone: all that is at hand of a
/// stream on a device.
Plan plan_windows(std::span<const ColumnView> windows, std::uint64_t count, const Objective& objective,
                  std::size_t max_depth, Scratch& scratch);

}  // namespace floe::trees
