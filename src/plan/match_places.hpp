// Streams that encodings make of words, in which repetitions may show that the words do not have: differences,
// values of runs, exceptions.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "plan/objective.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {

/// A stream in a tree: the tree but for its sub-tree.
struct MatchPlace {
  std::vector<PlanNode> before, behind;
  std::uint64_t bytes = 0;  ///< That the stream takes so far, or all that it was made of.
};

/// Those below the root of a tree that encoded a stream, and not below matches, that take `min_bytes` or more,
/// and may have `min_words` or more.
std::vector<MatchPlace> places_in(const EncodedTree& tree, std::uint64_t min_bytes, std::uint64_t min_words);
/// Differences that a tree takes first, on the way to the first leaf, if it does so.
std::optional<MatchPlace> first_differences(const Plan& plan);
/// Whether that is what a place is.
bool are_first_differences(const MatchPlace& place);
/// Differences of words in their order, and of what else integers stand for, at these strides; if not `all`,
/// of the integers that are likely to repeat where words do. Precondition: 1024 words. Throws std::bad_alloc.
std::vector<MatchPlace> places_of_differences(const ColumnView& stream,
                                              std::span<const std::uint32_t> strides, bool all,
                                              const Objective& objective, Scratch& scratch);
/// Values of runs, if samples show so many times fewer of these than words. The same precondition.
std::optional<MatchPlace> place_of_runs(const ColumnView& stream, std::uint64_t mean_run);

/// How many words before it a word of the place depends on.
std::uint64_t reach_of(const MatchPlace& place);

/// What a tree makes of some words at a place.
struct PlaceWords {
  ColumnView words;
  std::shared_ptr<const void> owner;
};
/// Nothing if the tree does not take the words. The memo of the scratch memory saves work. Throws
/// std::bad_alloc.
std::optional<PlaceWords> words_at(const MatchPlace& place, const ColumnView& stream, Scratch& scratch);

}  // namespace floe::trees
