// What is said about a column of one segment: how it is stored, and how that came about.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "floe/series.hpp"
#include "plan/objective.hpp"
#include "rows/cells/column_content.hpp"
#include "container/table_parts.hpp"

namespace floe::tables {

/// `payloads` are the stored bytes of its streams. Errors: corrupt_frame. Throws std::bad_alloc.
Result<StoredColumn> describe_column(const ColumnEntry& entry, std::span<const std::span<const std::uint8_t>> payloads);

/// How a stream was encoded to `stored`. `is_explained`: with nodes and candidates, for which it is encoded again several times.
/// Throws std::bad_alloc.
PlannedStream describe_stream(const Words& words, std::span<const std::uint8_t> stored, const series::Objective& objective,
                              bool is_explained);

}  // namespace floe::tables
