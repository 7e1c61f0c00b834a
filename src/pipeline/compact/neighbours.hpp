// Which neighbouring streams of a type get a tree together, going by estimates of the bits of their words:
// in time that is linear in words and streams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tree/tree_encoder.hpp"

namespace floe::pipeline {

/// Streams lie one behind the other in `words`, with so many words each. Gives how many streams each group
/// has. `group_bytes`: what a group takes besides its words. Throws std::bad_alloc.
std::vector<std::size_t> group_neighbours(const trees::ColumnView& words,
                                          std::span<const std::uint64_t> counts, std::uint64_t group_bytes);

}  // namespace floe::pipeline
