// What is said about a column of one segment: how it is stored, and how that came about.
#pragma once

#include <cstdint>
#include <span>

#include "container/parts.hpp"
#include "floe/frame.hpp"
#include "plan/objective.hpp"

namespace floe::pipeline {

/// `schema` is that of the table, `streams` are the stored bytes of the column's streams. Errors:
/// corrupt_frame, with a position in a stream. Throws std::bad_alloc.
Result<StoredColumn> describe_column(const container::ColumnEntry& entry, const Schema& schema,
                                     bool checksums, std::span<const std::span<const std::uint8_t>> streams);

/// How a stream was encoded to `stored`. `is_explained`: with nodes and candidates, for which it is encoded
/// again several times. Throws std::bad_alloc.
PlannedStream describe_stream(const trees::ColumnView& words, std::span<const std::uint8_t> stored,
                              const trees::Objective& objective, bool is_explained);

}  // namespace floe::pipeline
