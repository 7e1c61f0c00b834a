// The picture of a plan: one page of HTML that needs nothing else, with the trees and what each segment
// became.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "floe/frame.hpp"
#include "report/plan_drawings.hpp"

namespace floe::cli {

/// What bytes became in all segments together, and in each.
struct PlanSum {
  std::uint64_t source_bytes = 0, stored_bytes = 0;
  std::vector<RatioPoint> ratios;

  void add(std::uint64_t first, std::uint64_t source, std::uint64_t stored);
};

/// What is known of a file that was compressed to see how. Of all segments but the first only the ratios are
/// kept.
struct FramePlan {
  std::string file;
  FrameInfo info;
  std::uint64_t source_bytes = 0;
  PlannedSegment first;
  PlanSum segments;
  std::vector<PlanSum> columns;

  void add(const PlannedSegment& segment);
};

std::string plan_page(const FramePlan& plan);

}  // namespace floe::cli
