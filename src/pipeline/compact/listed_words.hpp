// Words of many columns that repeat each other here and there: a list of all that there are, and their
// positions in it.
#pragma once

#include <optional>

#include "plan/objective.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::pipeline {

/// Nothing if the words are few, or not half of them repeat others. Throws std::bad_alloc.
std::optional<trees::EncodedTree> encode_with_list(const trees::ColumnView& words,
                                                   const trees::Objective& objective);

}  // namespace floe::pipeline
