// Planners for TableOptions::planners: that of the thesis, and the standard one with times of encodings that
// were measured.
#pragma once

#include <memory>
#include <vector>

#include "floe/floe.hpp"
#include "research/encoding_times.hpp"

namespace floe::research {

/// The planner of edge_stat_planner.hpp.
std::shared_ptr<const PlannerFactory> thesis_planners();

/// The standard planner, going by these times; encodings that are not named keep those that are built in.
/// Precondition: times as parse_encoding_times gives them.
std::shared_ptr<const PlannerFactory> planners_with_times(const std::vector<EncodingTime>& times);

}  // namespace floe::research
