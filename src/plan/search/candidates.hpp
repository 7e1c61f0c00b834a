// Which encodings are worth a try on a stream?
#pragma once

#include <optional>
#include <vector>

#include "plan/search/facts.hpp"
#include "tree/plan.hpp"

namespace floe::trees {

/// Where in a tree a stream is.
struct Position {
  std::optional<EncodingId> parent{};
  unsigned child = 0;       ///< Of the parent.
  bool below_dict = false;  ///< Some ancestor is a dict.
};

/// Leaves that take the type, whatever the words.
std::vector<PlanNode> candidate_leaves(DType type);

/// Shorter streams are not worth a tree.
inline constexpr std::uint64_t min_words_for_transforms = 16;

/// Which differences are clearly shorter than the words, or differences, that they are taken of? Of facts
/// with all strides.
struct ShorterDifferences {
  bool of_neighbours = false, of_differences = false;
  std::uint32_t stride = 1;  ///< The smallest one at which words are clearly nearer to each other than
                             ///< neighbours are; 1 if there is none.
};
ShorterDifferences shorter_differences(const StreamFacts& facts);

/// Whether runs, or a dictionary, are worth a try.
constexpr bool has_runs(const StreamFacts& facts) { return facts.runs * 3 <= facts.sampled * 2; }
constexpr bool repeats_words(const StreamFacts& facts) { return facts.distinct * 3 <= facts.sampled * 2; }

/// Encodings with children whose chances the words and their facts show. Precondition: at least two different
/// words.
std::vector<PlanNode> candidate_transforms(const ColumnView& sample, const StreamFacts& facts,
                                           const Position& position);

}  // namespace floe::trees
