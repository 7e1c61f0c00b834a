// Trees that begin with differences to words in other dimensions. They are searched on samples of these
// differences, because samples of the words lack the neighbours.
#pragma once

#include "plan/search/search.hpp"

namespace floe::trees {

/// The best trees of that kind; none if no differences at the objective's strides are clearly shorter than
/// those of neighbours. `distinct`: about how many different words the stream has, or 0. At most `max_depth`
/// nodes above each other. Throws std::bad_alloc.
std::vector<Choice> find_far_choices(const ColumnView& stream, std::uint64_t distinct,
                                     const Objective& objective, std::size_t max_depth, Scratch& scratch,
                                     std::uint64_t max_cost = unknown_cost);

}  // namespace floe::trees
