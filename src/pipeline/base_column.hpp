// Numbers of a column as differences from those of another one, docs/format/cells.md, "Base columns".
#pragma once

#include <cstdint>
#include <span>

#include "container/parts.hpp"
#include "core/workers.hpp"
#include "rows/cells/column_content.hpp"

namespace floe::pipeline {

/// ⌊number · multiplier / divisor⌋ of a number that is extended to 64 bits. The product is taken modulo 2^64.
std::uint64_t base_term(std::uint64_t number, const container::BaseColumn& relation);

/// Adds ⌊base · multiplier / divisor⌋ to each word, modulo 2^W, or takes it off. Precondition: as many words.
void add_base(rows::Words& words, const rows::Words& base, const container::BaseColumn& relation);
void subtract_base(rows::Words& words, const rows::Words& base, const container::BaseColumn& relation);

/// The numbers of all columns of a segment that have a base column. Precondition: all columns are there.
void add_bases(std::span<const container::ColumnEntry> entries, std::span<rows::ColumnContent> columns,
               core::Workers& workers);

}  // namespace floe::pipeline
