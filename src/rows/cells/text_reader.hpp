// Reads a column of any texts.
#pragma once

#include "rows/cells/column_content.hpp"
#include "rows/cells/column_reader.hpp"

namespace floe::rows {

/// Each text once, in the order in which they appear, and a code per cell; without codes where most texts
/// differ.
ColumnContent read_texts(const ColumnCells& cells);

}  // namespace floe::rows
