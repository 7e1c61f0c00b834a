// The picture of a plan: one page of HTML that needs nothing else, with the trees and what each segment
// became.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "floe/series.hpp"
#include "plan_drawings.hpp"

namespace floe::cli {

/// What bytes became in all segments together, and in each.
struct PlanSum {
  std::uint64_t source_bytes = 0, stored_bytes = 0;
  std::vector<RatioPoint> ratios;

  void add(std::uint64_t first_row, std::uint64_t source, std::uint64_t stored);
};

/// What is known of a table that was compressed to see how. Of all segments but the first only the ratios are
/// kept.
struct TablePlan {
  std::string file;
  tables::TableInfo info;
  std::uint64_t source_bytes = 0;
  tables::PlannedSegment first;
  PlanSum segments;
  std::vector<PlanSum> columns;

  void add(const tables::PlannedSegment& segment);
};

/// 0 if nothing is stored.
double ratio_of(std::uint64_t source_bytes, std::uint64_t stored_bytes);

std::string plan_page(const TablePlan& plan);

}  // namespace floe::cli
