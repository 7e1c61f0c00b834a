// Trees that searches found encode streams: what they turn out to cost decides.
#pragma once

#include "plan/objective.hpp"
#include "plan/search/finalists.hpp"
#include "plan/tree_time.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {

/// Of bytes and time, in 1/256 bit.
std::uint64_t cost_of(const EncodedTree& tree, DType type, const Objective& weighed);

/// Whether a tree that costs more than its estimate by such a part was chosen by a sample that deceives.
constexpr bool deceives(std::uint64_t estimate, std::uint64_t cost, std::uint64_t part = 8) {
  return cost > estimate + estimate / part;
}

/// Encodes a stream with as many of the trees as the objective has trials, or more if samples deceive, and
/// keeps the best result. `child_planner` may be null. Throws std::bad_alloc.
EncodedTree encode_best(const ColumnView& stream, const Finalists& finalists, const Objective& objective,
                        ChildPlanner* child_planner, Scratch& scratch);
/// The same where the first tree is encoded already.
EncodedTree best_of(EncodedTree first, const ColumnView& stream, const Finalists& finalists,
                    const Objective& objective, ChildPlanner* child_planner, Scratch& scratch);

/// Searches for trees of children.
class SampledChildPlanner final : public ChildPlanner {
 public:
  /// `whole_cost`: about what the stream above all costs. If it `plans_all`, not only short children.
  SampledChildPlanner(const Objective& objective, std::uint64_t whole_cost, Scratch& scratch,
                      bool plans_all = false);
  Plan plan_for(const ColumnView& child, std::size_t depth, const Plan& known) override;
  [[nodiscard]] bool plans_all_children() const override { return plans_all_; }
  [[nodiscard]] std::size_t max_nodes() const override { return trees::max_nodes(objective_); }

 private:
  [[nodiscard]] bool is_minor(const ColumnView& child, const Plan& known) const;
  [[nodiscard]] bool is_better(const Plan& known, const Plan& found, const ColumnView& child) const;
  Plan search(const ColumnView& child, std::size_t depth, const Plan& known, bool is_brief);

  Objective objective_, quick_;  ///< The latter for minor children.
  std::uint64_t whole_cost_;
  bool plans_all_;
  Scratch& scratch_;
};

}  // namespace floe::trees
