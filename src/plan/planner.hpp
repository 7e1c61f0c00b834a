// Planners of other kinds than the standard one, which choose trees segment by segment in their order.
#pragma once

#include <memory>

#include "plan/objective.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {

/// The bytes depend on the segments given so far and on the planner's options alone. Not thread-safe.
class Planner {
 public:
  virtual ~Planner() = default;
  /// Chooses and encodes. Precondition: at least one word. Throws std::bad_alloc.
  virtual EncodedTree encode(const ColumnView& segment, Scratch& scratch) = 0;
};

}  // namespace floe::trees

namespace floe {

/// Planning that is not the standard one.
class PlannerFactory {
 public:
  virtual ~PlannerFactory() = default;
  /// What streams are planned by; null for the standard planner.
  [[nodiscard]] virtual std::unique_ptr<trees::Planner> make() const { return nullptr; }
  /// Changes what the standard planner goes by.
  virtual void adjust(trees::Objective&) const {}
};

}  // namespace floe
