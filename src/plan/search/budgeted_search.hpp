// The search for a tree while a device waits for it: its steps run side by side.
#pragma once

#include <span>

#include "plan/objective.hpp"
#include "plan/search/search_threads.hpp"
#include "tree/plan.hpp"

namespace floe::trees {

/// A tree that something has begun with, or none. It is the best one where it costs hardly more.
struct BegunTree {
  const Plan* plan = nullptr;
  std::uint64_t before = 0;  ///< Segments of the stream, which would be encoded anew with this one.

  /// By how much more than so little it may cost.
  [[nodiscard]] std::uint64_t tolerated(std::uint64_t cost) const { return cost / (before > 0 ? 8 : 16); }
};

/// Trees that take part in a search beside those that it finds.
struct OtherTrees {
  std::span<const Plan> known;  ///< Of other streams of the same kind, or of what came before.
  BegunTree begun;
};

/// The best tree going by windows of a stream of `count` words: the same whatever threads there are.
/// Preconditions: at least one word, a budgeted objective. Throws std::bad_alloc.
Plan plan_budgeted(std::span<const ColumnView> windows, std::uint64_t count, const Objective& objective,
                   std::size_t max_depth, SearchThreads& threads, Scratch& scratch,
                   const OtherTrees& others = {});

}  // namespace floe::trees
