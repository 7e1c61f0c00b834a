// What the rules of an encoding say, one struct for each: how many children and parameters it has, which
// words it takes, and which its children have. Planners, CPUs, GPUs, cursors and texts go by the same rules;
// `a` and `b` are the parameters.
#pragma once

#include <cstdint>

#include "core/bits.hpp"
#include "core/type.hpp"

namespace floe::trees {

/// What a parameter may be, and what it is when a text does not say.
struct ParameterRange {
  std::uint32_t least = 0, most = 0, usual = 0;
};

/// By value, because device code has no memory with the ranges.
FLOE_HD constexpr bool is_within(std::uint32_t parameter, std::uint32_t least, std::uint32_t most) {
  return parameter - least <= most - least;  // smaller ones wrap around
}

/// The first parameter says how many children there are.
inline constexpr unsigned children_by_parameter = 15;

}  // namespace floe::trees
