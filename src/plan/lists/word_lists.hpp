// Trees of all different words and their positions in that list. Words of a large set that come again a few
// times each hardly do so in samples, nor do words that are nearly equal.
#pragma once

#include <optional>

#include "plan/objective.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {

/// Whether a tree begins with a list of all words, or of all magnitudes.
bool is_word_list(const Plan& plan);

/// The best tree of that kind, if any may be shorter than `best`, which encoded the stream. For goals with a
/// rival. Throws std::bad_alloc.
std::optional<EncodedTree> best_word_list(const ColumnView& stream, const EncodedTree& best,
                                          const Objective& objective, Scratch& scratch);

}  // namespace floe::trees
