// Chooses trees for the segments of one column: remembers the trees of regimes, notices when they no longer fit, and searches anew then.
#pragma once

#include "plan/objective.hpp"
#include "plan/planner.hpp"
#include "plan/regimes.hpp"

namespace floe::series {

class ColumnPlanner final : public Planner {
 public:
  explicit ColumnPlanner(const Objective& objective) : objective_(objective) {}
  EncodedTree encode(const ColumnView& segment, Scratch& scratch, const EncodedAhead* ahead, PartAhead* looked_at) override;
  [[nodiscard]] std::optional<Plan> expected_plan(const ColumnView& segment) override;
  [[nodiscard]] std::optional<Outlook> outlook() const override { return Outlook{std::nullopt, objective_, regimes_}; }
  [[nodiscard]] bool takes_parts() const override { return true; }

 private:
  EncodedTree search_and_encode(const ColumnView& segment, Scratch& scratch, PartAhead* looked_at);

  Objective objective_;
  Regimes regimes_;
};

}  // namespace floe::series
