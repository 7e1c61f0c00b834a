// The decoded columns of a segment of a table as the text or the records that they came from.
#pragma once

#include <vector>

#include "container/parts.hpp"
#include "core/workers.hpp"
#include "floe/floe.hpp"
#include "rows/cells/column_printer.hpp"

namespace floe::pipeline {

/// The streams of a segment.
struct DecodedSegment {
  std::vector<rows::Words> malformed, padding;
  std::vector<rows::ColumnContent> columns;
};

/// Calls `sink` with the bytes in order. Errors: corrupt_frame, before the first call of the sink; those of
/// the sink. Throws std::bad_alloc.
Status print_segment(const container::TableDescription& table, const container::SegmentHeader& segment,
                     const DecodedSegment& decoded, core::Workers& workers, const Sink& sink);

}  // namespace floe::pipeline
