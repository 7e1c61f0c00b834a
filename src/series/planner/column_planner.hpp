// Chooses trees for the segments of one column: remembers the trees of regimes, notices when they no longer fit, and searches anew then.
#pragma once

#include <cstdint>
#include <vector>

#include "series/planner/fingerprint.hpp"
#include "series/planner/planner.hpp"
#include "series/planner/search.hpp"

namespace floe::series {

class ColumnPlanner final : public Planner {
 public:
  explicit ColumnPlanner(const Objective& objective) : objective_(objective) {}
  EncodedTree encode(const ColumnView& segment, Scratch& scratch) override;
  [[nodiscard]] bool takes_parts() const override { return true; }

 private:
  /// A kind of data that the column had, and the tree for it.
  struct Regime {
    Fingerprint fingerprint{};
    Plan plan;
    std::uint64_t bits_per_kiloword = 0;  ///< What the tree needed.
    std::uint64_t last_used = 0;
    std::int64_t drift = 0;      ///< Sum of what segments needed more than that, in 1/256 of a doubling.
    std::uint64_t patience = 1;  ///< Segments to wait after a search that found nothing better.
    std::uint64_t searched = 0;  ///< Segment of the last search.
  };

  Regime* nearest_regime(const Fingerprint& fingerprint);
  Regime& new_regime();
  EncodedTree search_and_encode(const ColumnView& segment, Scratch& scratch);
  bool is_drifting(Regime& regime, std::uint64_t bits_per_kiloword) const;

  Objective objective_;
  std::vector<Regime> regimes_;
};

/// The best tree for a stream, from samples of it. Precondition: at least one word.
Plan plan_stream(const ColumnView& stream, const Objective& objective, std::size_t most_depth, Scratch& scratch);

}  // namespace floe::series
