// What chooses the trees of a column, segment by segment.
#pragma once

#include <cstdint>

#include "series/tree_encoder.hpp"

namespace floe::series {

/// What was decided so far.
struct PlanningReport {
  std::uint64_t segments = 0;
  std::uint64_t searches = 0;       ///< How often trees were searched.
  std::uint64_t encoded_twice = 0;  ///< Segments for which a remembered tree turned out bad.
};

/// The bytes depend on the segments given so far and on the planner's options alone. Not thread-safe.
class Planner {
 public:
  virtual ~Planner() = default;
  /// Chooses and encodes. Precondition: at least one word. Throws std::bad_alloc.
  virtual EncodedTree encode(const ColumnView& segment, Scratch& scratch) = 0;
  /// Whether a segment may be cut where its kind changes.
  [[nodiscard]] virtual bool takes_parts() const = 0;
  [[nodiscard]] const PlanningReport& report() const { return report_; }

 protected:
  PlanningReport report_;
};

}  // namespace floe::series
