// What chooses the trees of a column, segment by segment.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "plan/look_ahead/look_ahead.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::series {

/// What was decided so far.
struct PlanningReport {
  std::uint64_t segments = 0;
  std::uint64_t searches = 0;       ///< How often trees were searched.
  std::uint64_t encoded_twice = 0;  ///< Segments for which a remembered tree turned out bad.
};

/// A segment that was encoded by something else, in the hope that a planner would choose this tree: what encode_tree() would make of it.
struct EncodedAhead {
  Plan wanted;
  Plan plan;                           ///< As it was used.
  std::span<const std::uint8_t> body;  ///< Headers and payloads.
};

inline EncodedTree tree_of(const EncodedAhead& ahead) {
  EncodedTree tree;
  tree.plan = ahead.plan;
  tree.wanted = ahead.wanted;
  tree.body.put_bytes(ahead.body);
  return tree;
}

/// The bytes depend on the segments given so far and on the planner's options alone. Not thread-safe.
class Planner {
 public:
  virtual ~Planner() = default;
  /// Chooses and encodes. What was encoded `ahead`, and what is known because the segment was `looked_at`, saves work if it is what is
  /// chosen; it never changes the choice. Both may be null. Precondition: at least one word. Throws std::bad_alloc.
  virtual EncodedTree encode(const ColumnView& segment, Scratch& scratch, const EncodedAhead* ahead, PartAhead* looked_at) = 0;
  /// The tree that encode() would try first if this segment came next; none if it would search. Changes nothing.
  [[nodiscard]] virtual std::optional<Plan> expected_plan(const ColumnView& segment) = 0;
  /// What is known now, but for how closely segments are looked at; none if nothing can be guessed of the next segment.
  [[nodiscard]] virtual std::optional<Outlook> outlook() const = 0;
  /// Whether a segment may be cut where its kind changes.
  [[nodiscard]] virtual bool takes_parts() const = 0;
  [[nodiscard]] const PlanningReport& report() const { return report_; }

 protected:
  PlanningReport report_;
};

}  // namespace floe::series
