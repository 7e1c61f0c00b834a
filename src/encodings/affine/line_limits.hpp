// How steps and offsets of lines are limited, for CPUs and devices.
#pragma once

#include "simd/affine_line.hpp"

namespace floe::trees {

/// Steps are from 1 / limit to limit, offsets from -limit to limit, so that no result is infinite or no
/// number. `word_bytes`: of the floats.
FLOE_HD constexpr double limit_of_lines(unsigned word_bytes) { return word_bytes == 8 ? 0x1p400 : 0x1p60; }

}  // namespace floe::trees
