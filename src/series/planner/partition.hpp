// Where does a segment change its kind? Each part gets a tree of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "series/stream.hpp"

namespace floe::series {

/// Lengths of the parts, in order; they sum to the length of the segment. One part if the data keep their kind, or change it too often.
std::vector<std::uint64_t> partition(const ColumnView& segment);

}  // namespace floe::series
