// Guesses the tree that a search will end with, by facts and a few words, so that a device can begin before
// the search ends.
#pragma once

#include <optional>
#include <span>

#include "encodings/scratch.hpp"
#include "plan/objective.hpp"
#include "plan/search/search_threads.hpp"
#include "plan/search/windows.hpp"
#include "tree/plan.hpp"

namespace floe::trees {

/// A tree, and whether it is a chain and nothing else was tried.
struct Guess {
  Plan plan;
  bool is_chain = false;
};

/// A chain – bit packing or entropy below at most one map and one delta, or below a division of floats that
/// end alike – or two of them below runs or a dictionary. The best one, going by planning windows of a stream
/// of `count` words; nothing where words are equal in the middle of windows only. Costs a few dozen
/// microseconds; where there may be runs or a dictionary, some hundred with one thread. Throws
/// std::bad_alloc. The same tree whatever threads there are.
std::optional<Guess> guess_tree(std::span<const ColumnView> windows, std::uint64_t count,
                                const Objective& objective, SearchThreads& threads, Scratch& scratch);

/// Whether that is the guess for a stream; or one whose entries of a dictionary become something else, and
/// which costs hardly more than the guess. Throws std::bad_alloc.
bool guesses_tree(const Plan& tree, std::span<const ColumnView> windows, std::uint64_t count,
                  const Objective& objective, SearchThreads& threads, Scratch& scratch);

/// The same two of a segment. Where there are words before its windows, the guess may be a chain that begins
/// with differences to words of another row or plane.
std::optional<Guess> guess_tree(const SegmentWindows& segment, const Objective& objective,
                                SearchThreads& threads, Scratch& scratch);
bool guesses_tree(const Plan& tree, const SegmentWindows& segment, const Objective& objective,
                  SearchThreads& threads, Scratch& scratch);

/// What a tree costs by a segment's windows: the sum for all of these. Throws std::bad_alloc.
std::uint64_t cost_of_tree(const Plan& tree, const SegmentWindows& segment, const Objective& objective,
                           SearchThreads& threads, Scratch& scratch);
/// A chain with far differences must promise to be so clearly cheaper, which others take less time to begin.
inline bool is_worth_far_differences(std::uint64_t cost, std::uint64_t other) {
  constexpr std::uint64_t part = 64;
  return cost < other && cost + cost / part < other;
}

}  // namespace floe::trees
