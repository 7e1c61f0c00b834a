// What the entropy leaf would take, quickly: from one histogram of some words, without choosing a model.
#pragma once

#include <cstdint>

#include "encodings/stream.hpp"

namespace floe::trees {

struct EntropyCost {
  std::uint64_t coded = 0;  ///< Of the words of the sample, in 1/256 bit.
  std::uint64_t table = 0;  ///< Of a table for them, in 1/256 bit.
};

/// Precondition: at least one word.
EntropyCost estimate_entropy_cost(const ColumnView& sample);

}  // namespace floe::trees
