// What is wanted of a frame is read and decoded: elements of an array, or some rows of some columns of a
// table.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "container/frame_index.hpp"
#include "core/workers.hpp"
#include "rows/cells/column_printer.hpp"

namespace floe::pipeline {

/// Columns of a segment, or of a part of it, and the rows that are wanted.
struct RowsOfSegment {
  const rows::ColumnsOfSegment& columns;
  std::uint64_t first_row = 0;  ///< Of the columns, in the table.
  std::uint32_t first = 0, end = 0;
};

/// Calls use(rows) for the segments that `rows` overlaps, with the columns in their order. Errors:
/// invalid_argument, corrupt_frame, out_of_memory, those of the source and of `use`. Throws std::bad_alloc.
Status for_each_part(const container::ByteSource& source, const container::FrameIndex& index,
                     std::span<const std::size_t> columns, Slice rows, core::Workers& workers,
                     const DecodeOptions& options, const std::function<Status(const RowsOfSegment&)>& use);

/// Decodes a slice; out.size() must be that of its elements. Errors: invalid_argument, corrupt_frame,
/// out_of_memory, those of the source. Throws std::bad_alloc.
Status decode_slice(const container::ByteSource& source, const container::FrameIndex& index,
                    std::span<std::uint8_t> out, Slice slice, const DecodeOptions& options);

}  // namespace floe::pipeline
