// Whether words that stood before may be worth matches: samples of windows lack what repeats at a distance,
// so some positions are looked for in much of the stream, and a part of text is tried.
#pragma once

#include <vector>

#include "plan/objective.hpp"
#include "tree/plan.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {

/// Whether time counts where trees with matches are compared with others.
constexpr bool weighs_time(const Objective& objective) {
  return !objective.rival && objective.decode_megabytes_per_second == 0;
}
/// The same objective, where encoding counts a fourth: what repeats is several times smaller often.
constexpr Objective patient(Objective objective) {
  objective.encode_nanosecond /= 4;
  return objective;
}

/// Trees of literals and matches that may be shorter than `known`, which encoded the stream; none if matches
/// hardly pay. Their children are plain leaves, for a ChildPlanner.
std::vector<Plan> match_plans(const ColumnView& stream, const EncodedTree& known, const Objective& objective,
                              Scratch& scratch);

}  // namespace floe::trees
