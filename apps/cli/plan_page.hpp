// The picture of a plan: one page of HTML that needs nothing else, with the trees and what each segment became.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "floe/series.hpp"

namespace floe::cli {

/// What is known of a table that was compressed to see how.
struct TablePlan {
  std::string file;
  tables::TableInfo info;
  std::uint64_t source_bytes = 0;
  std::vector<tables::PlannedSegment> segments;
};

std::string plan_page(const TablePlan& plan);

}  // namespace floe::cli
