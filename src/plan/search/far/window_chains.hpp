// Chains that begin with differences to words of another row or plane, for segments of which only windows are
// at hand.
#pragma once

#include <optional>
#include <vector>

#include "plan/objective.hpp"
#include "plan/search/search_threads.hpp"
#include "plan/search/windows.hpp"
#include "tree/plan.hpp"

namespace floe::trees {

/// A leaf of entropy below one difference of neighbours, or of a stride of up to four words, or none; below
/// differences at a far stride; and what turns words into integers.
struct FarChain {
  std::vector<PlanNode> map;   ///< Sortable, decimal or nothing.
  PlanNode far;                ///< A delta.
  std::vector<PlanNode> near;  ///< A delta or nothing.

  [[nodiscard]] Plan plan() const;
  friend bool operator==(const FarChain&, const FarChain&) = default;
};
/// Nothing if a plan is no such chain with one of these strides.
std::optional<FarChain> far_chain_of(const Plan& plan, const FarStrides& strides);

/// The chain that promises the fewest bits, and what it costs: a number for each window, for the whole
/// stream, as estimate_tree() says. All of these throw std::bad_alloc.
struct CostlyChain {
  FarChain chain;
  std::uint64_t cost = 0;  ///< The sum of all windows.
};
/// Nothing if no differences at segment.strides are clearly shorter than those of neighbours. `other`: the
/// best tree without such; none is sought beside runs and dictionaries. The same whatever threads there are.
std::optional<CostlyChain> best_far_chain(const SegmentWindows& segment, const Plan& other,
                                          const Objective& objective, SearchThreads& threads,
                                          Scratch& scratch);
/// What a chain costs; unlimited_cost if the segment is none for it. Precondition: that of segment.strides.
std::uint64_t cost_of_far_chain(const FarChain& chain, const SegmentWindows& segment,
                                const Objective& objective, SearchThreads& threads, Scratch& scratch);

}  // namespace floe::trees
