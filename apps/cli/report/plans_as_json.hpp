// What floe plan --json prints: an array of plans, segment by segment as they come about, so that nothing is
// collected.
#pragma once

#include <string>

#include "floe/frame.hpp"

namespace floe::cli {

/// Prints an object for each file. A plan that an error ended stays without the members that stand behind its
/// segments.
class PlansAsJson {
 public:
  void begin(const std::string& file);
  void add(const PlannedSegment& segment);
  void finish(const FrameInfo& info, std::uint64_t source_bytes);
  /// Ends the array.
  void finish();

 private:
  void end_plan(const std::string& members);

  std::uint64_t plan_count_ = 0, segment_count_ = 0;
  bool is_open_ = false;
};

}  // namespace floe::cli
