// Lines of a text that are no rows, and bytes behind the last whole record, as streams.
#pragma once

#include <string_view>
#include <vector>

#include "rows/cells/column_content.hpp"
#include "rows/csv/cell_index.hpp"

namespace floe::rows {

/// The rows before each of them, their lengths, and all their bytes; no streams if there are none.
std::vector<Words> malformed_words(std::string_view text, const std::vector<MalformedLine>& lines);

}  // namespace floe::rows
