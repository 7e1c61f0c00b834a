// The columns that the benchmarks of encodings and trees measure on a device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "floe/types.hpp"
#include "program.hpp"

namespace floe::bench {

/// Words to encode, and the tree: "" leaves the choice to the planner.
struct SeriesCase {
  std::string data, tree;
  DType type;
  std::vector<std::uint8_t> words;
};

/// The cases whose tree or data are called `only`, or whose tree is chosen by the planner if that is
/// "optimizer"; all if it is empty. Throws std::runtime_error if there are none.
std::vector<SeriesCase> series_cases(std::uint64_t count, const std::string& only);

/// Prints the CSV's header and the line of a copy. Returns the rate of the copy, in bytes per second.
double print_series_header(const Arguments& arguments);

}  // namespace floe::bench
