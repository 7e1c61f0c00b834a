// The number of the filter, and the parameters that users give it: a goal, then a codec or 0, then a tree as
// text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "floe/floe.hpp"

#if !defined(FLOE_HDF5_FILTER_ID)
#define FLOE_HDF5_FILTER_ID 493  // of the range for tests, 256 to 511: not registered with the HDF Group
#endif

namespace floe::hdf5 {

/// Of the text of a tree, four characters in a parameter, the first one in its lowest byte; zeros behind the
/// last one. HDF5 gives out no more than 256 parameters.
inline constexpr std::size_t max_tree_bytes = 960, characters_per_parameter = 4;

inline void append_tree(std::vector<unsigned>& parameters, std::string_view tree) {
  for (std::size_t at = 0; at < tree.size(); at += characters_per_parameter) {
    unsigned word = 0;
    for (std::size_t i = std::min(characters_per_parameter, tree.size() - at); i-- > 0;)
      word = word << 8 | static_cast<unsigned char>(tree[at + i]);
    parameters.push_back(word);
  }
}

inline std::string tree_of(std::span<const unsigned> parameters) {
  std::string tree;
  for (const unsigned word : parameters) {
    for (std::size_t i = 0; i < characters_per_parameter; ++i)
      tree += static_cast<char>(word >> 8 * i & 0xFF);
  }
  tree.erase(tree.find_last_not_of('\0') + 1);
  return tree;
}

/// As few as say it.
inline std::vector<unsigned> user_parameters(Goal goal, unsigned codec, std::string_view tree) {
  std::vector<unsigned> parameters = {static_cast<unsigned>(goal)};
  if (codec != 0 || !tree.empty()) parameters.push_back(codec);
  append_tree(parameters, tree);
  return parameters;
}

}  // namespace floe::hdf5
