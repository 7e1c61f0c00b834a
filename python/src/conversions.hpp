// Small values of the library from and to those of Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "floe/floe.hpp"

namespace floe::python {

inline DType type_named(const std::string& name) {
  const auto type = dtype_from_name(name);
  if (!type) throw nanobind::value_error(("floe has no type '" + name + "'").c_str());
  return *type;
}

inline Extent extent_of(const std::vector<std::uint64_t>& shape) {
  if (shape.size() > max_rank) throw nanobind::value_error("floe's arrays have at most 8 dimensions");
  Extent extent;
  extent.rank = static_cast<std::uint32_t>(shape.size());
  std::copy(shape.begin(), shape.end(), extent.size.begin());
  return extent;
}

inline std::span<const std::byte> bytes_of(const nanobind::bytes& bytes) {
  return {static_cast<const std::byte*>(bytes.data()), bytes.size()};
}

inline nanobind::list list_of(const std::vector<std::string>& texts) {
  nanobind::list list;
  for (const std::string& text : texts) list.append(text);
  return list;
}

/// What a frame says of itself.
nanobind::dict dict_of(const FrameInfo& info);
/// What is stored of a segment, as dictionaries.
nanobind::dict dict_of(const StoredSegment& segment);

}  // namespace floe::python
