// Which columns of a segment are stored as differences from which others: both go up and down together, or
// say the same in other units.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "container/parts.hpp"
#include "core/workers.hpp"
#include "rows/cells/column_reader.hpp"

namespace floe::pipeline {

/// For each column its base column, if it may have one and that saves bytes by samples. No base column has
/// one itself. Depends on the content alone. `cost` is called by several threads. Throws std::bad_alloc.
std::vector<std::optional<container::BaseColumn>> choose_bases(std::span<const rows::ColumnContent> columns,
                                                               const std::vector<bool>& may_have_base,
                                                               const rows::WordsCost& cost,
                                                               core::Workers& workers);

}  // namespace floe::pipeline
