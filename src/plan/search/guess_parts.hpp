// Guesses trees with two children, each of which gets a chain: runs, with lengths and words; dictionaries,
// with entries and codes.
#pragma once

#include <span>
#include <vector>

#include "encodings/scratch.hpp"
#include "plan/objective.hpp"
#include "plan/search/facts/facts.hpp"
#include "plan/search/search_threads.hpp"
#include "tree/plan.hpp"

namespace floe::trees {

/// A tree, and what it costs by each window, for the whole stream.
struct GuessedTree {
  Plan tree;
  std::vector<std::uint64_t> costs;
};

/// Adds the chains that may be good for a stream, going by its facts, and are not there yet. A chain is bit
/// packing, or entropy if that is wanted, below at most one map and one delta. `shift`: bits that all words
/// of the stream end with alike; if there are some, chains of floats begin with a division.
void add_likely_chains(const ColumnView& stream, const StreamFacts& facts, bool with_entropy, unsigned shift,
                       std::vector<Plan>& chains);

/// Runs, with a chain for their lengths and one for their words: of the best ones of each window, those that
/// are best for all of them. Throws std::bad_alloc.
GuessedTree guess_runs(std::span<const ColumnView> windows, std::span<const StreamFacts> facts,
                       std::uint64_t count, const Objective& objective, SearchThreads& threads,
                       Scratch& scratch);

/// The same of a dictionary with chains for entries and codes. No tree where dictionaries do not reach.
GuessedTree guess_dictionary(std::span<const ColumnView> windows, std::span<const StreamFacts> facts,
                             std::uint64_t count, const Objective& objective, SearchThreads& threads,
                             Scratch& scratch);

}  // namespace floe::trees
