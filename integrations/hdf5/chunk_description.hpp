// What the filter knows of the chunks of a dataset, and how it is kept in the parameters of the filter.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "floe/floe.hpp"
#include "hdf5_functions.hpp"
#include "parameters.hpp"

namespace floe::hdf5 {

/// Parameters are stored as 32-bit numbers: a mark with the version, the type, the goal, the codec, the rank,
/// the sizes of a chunk, and the tree.
struct ChunkDescription {
  static constexpr unsigned mark = 0xF10E0001;
  static constexpr std::size_t fixed_values = 5;
  static constexpr std::size_t max_values =
      fixed_values + max_rank + max_tree_bytes / characters_per_parameter;

  DType dtype = DType::u8;
  bool is_big_endian = false;
  Goal goal = Goal::balance;
  unsigned codec = 0;  ///< Its id; 0: none.
  std::string tree;    ///< Instead of a codec; empty: none.
  Extent extent = {{}, 0};

  /// Nothing for parameters that make no sense.
  static std::optional<ChunkDescription> from_values(std::span<const unsigned> values);
  [[nodiscard]] std::vector<unsigned> values() const;
  /// Of elements of some type of HDF5: floats, integers and pairs of floats keep it, all else is bytes.
  void describe_elements(const Functions& hdf5, Id type);
  /// What the goal, codec or tree is for the library; refers to `tree`. Nothing for a codec that there is
  /// not.
  [[nodiscard]] std::optional<Options> options() const;
};

}  // namespace floe::hdf5
