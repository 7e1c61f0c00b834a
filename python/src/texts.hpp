// Texts of CSV cells: what stands between their quotes, for lists of Python and for columns of Arrow.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

namespace floe::python {

/// A str for each cell, with one quote for two, or None for an empty cell. `""` is a text of no characters.
nanobind::list texts_of(const std::vector<std::string>& cells);

/// The same as a column of Arrow: the number of nulls, and its buffers: the bitmap of valid texts, or None;
/// 64-bit offsets; UTF-8. Throws what Python does where cells are not UTF-8.
nanobind::tuple text_column_of(const std::vector<std::string>& cells);

}  // namespace floe::python
