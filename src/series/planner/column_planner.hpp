// Chooses trees for the segments of one column: remembers the trees of regimes, notices when they no longer fit, and searches anew then.
#pragma once

#include <cstdint>
#include <span>

#include "series/planner/planner.hpp"
#include "series/planner/regimes.hpp"
#include "series/planner/search.hpp"

namespace floe::series {

class ColumnPlanner final : public Planner {
 public:
  explicit ColumnPlanner(const Objective& objective) : objective_(objective) {}
  EncodedTree encode(const ColumnView& segment, Scratch& scratch) override;
  [[nodiscard]] bool takes_parts() const override { return true; }

 private:
  EncodedTree search_and_encode(const ColumnView& segment, Scratch& scratch);

  Objective objective_;
  Regimes regimes_;
};

/// The best tree for a stream, from samples of it. Precondition: at least one word.
Plan plan_stream(const ColumnView& stream, const Objective& objective, std::size_t most_depth, Scratch& scratch);
/// The same from its planning windows, for a stream of `count` words.
Plan plan_stream(std::span<const ColumnView> windows, std::uint64_t count, const Objective& objective, std::size_t most_depth,
                 Scratch& scratch);

}  // namespace floe::series
