// How many cases a property is tried with.
#pragma once

#include <cstdlib>

#include "tests/support/sanitized.hpp"

namespace floe::test {

/// Set before the first property is tried, unless the caller of the program says how many.
inline const bool more_cases = setenv("RC_PARAMS", sanitized ? "max_success=40" : "max_success=200", 0) == 0;

}  // namespace floe::test
