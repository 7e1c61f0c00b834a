// What divides nearly all integers of a stream.
#pragma once

#include <optional>

#include "encodings/encoding.hpp"
#include "tree/plan.hpp"

namespace floe::trees {

/// `divide` by what divides all words but a few, where that makes fewer bits than what divides all of them;
/// else nothing. Looks at all words.
std::optional<PlanNode> divisor_of_most(const ColumnView& stream);

}  // namespace floe::trees
