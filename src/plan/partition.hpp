// Cuts a segment where its kind of data changes; each part gets a tree of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "encodings/stream.hpp"
#include "plan/objective.hpp"
#include "plan/plan_cache.hpp"

namespace floe::trees {

/// How closely a segment is looked at.
enum class Look : std::uint8_t {
  close,
  cursory,  ///< Like a column that has kept its kind for some segments. What is shorter than an eighth of
            ///< 2^20 words may be missed.
};

/// Lengths of the parts, in order; they sum to the length of the segment. One part if the data keep their
/// kind, or change it too often.
std::vector<std::uint64_t> partition(const ColumnView& segment, Look look = Look::close);

/// The same without cuts that do not pay, going by samples of the parts: by the trees of `known` kinds, or by
/// searches. Throws std::bad_alloc.
std::vector<std::uint64_t> partition(const ColumnView& segment, Look look, const Objective& objective,
                                     const PlanCache& known, Scratch& scratch);

}  // namespace floe::trees
