// A table of generated series, to try tables with.
#pragma once

#include <cstdint>

#include "floe/floe.hpp"

namespace floe::research {

/// A table like those of K. Dzitkowski's thesis (2016), the same on every machine: times, two patterns of
/// integers, decimals, and two patterns of floating-point numbers. Writes CSV text with a row of names to
/// `sink` in pieces.
Status generate_table(std::uint64_t row_count, const Sink& sink);
/// Its schema.
Schema generated_schema();

}  // namespace floe::research
