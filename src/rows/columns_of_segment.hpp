// Columns of a segment, decoded and ready to be printed row by row.
#pragma once

#include <vector>

#include "core/workers.hpp"
#include "rows/cells/column_content.hpp"
#include "rows/cells/column_printer.hpp"

namespace floe::rows {

struct ColumnsOfSegment {
  std::vector<ColumnContent> contents;
  std::vector<ColumnPrinter> printers;  ///< Of the contents.

  /// Opens the printers. Errors: corrupt_frame. Throws std::bad_alloc.
  Status open(std::uint32_t row_count, core::Workers& workers) {
    printers.assign(contents.size(), {});
    std::vector<Status> outcomes(contents.size());
    core::for_each_task(workers, static_cast<std::uint32_t>(contents.size()),
                        [&](std::uint32_t i) { outcomes[i] = printers[i].open(contents[i], row_count); });
    for (const Status& outcome : outcomes) {
      if (!outcome.ok()) return outcome;
    }
    return {};
  }
};

}  // namespace floe::rows
