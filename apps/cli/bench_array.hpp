// Which array `floe bench` measures on: that of a file, its begin, or as long as the user wants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "floe/floe.hpp"

namespace floe::cli {

struct BenchArray {
  std::vector<std::byte> bytes;
  std::span<const std::byte> elements;  ///< In `bytes`.
  DType dtype = DType::u8;
  Extent extent;
};

/// The array of a file, or its begin if it is longer than the user wants. Throws a Failure, also if there are
/// no elements.
BenchArray load_array(const Arguments& arguments, const std::string& file);

/// A one-dimensional array of `bytes` bytes (rounded down to whole elements, at least one): all elements
/// again and again, or those in the middle, as files often begin with what is not typical of them.
BenchArray repeated(const BenchArray& array, std::uint64_t bytes);

}  // namespace floe::cli
