// Chooses trees for the segments of one stream before any of them is encoded with them, because devices
// encode many at once: a tree for each kind of data, and for each segment the known tree that promises most.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "plan/fingerprint.hpp"
#include "plan/objective.hpp"
#include "plan/plan_cache.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {

/// A segment, and what it is to be encoded with.
struct AheadSegment {
  ColumnView words;
  Plan plan;
  std::optional<EncodedTree> tree;  ///< If the words were encoded to find the plan.
};

/// The plans depend on the segments given so far, on which of them were given together, and on the objective.
/// Not thread-safe.
class AheadPlanner {
 public:
  explicit AheadPlanner(const Objective& objective) : objective_(objective) {}
  /// Not for `max`, which searches every segment.
  static bool suits(const Objective& objective) { return objective.for_devices && objective.remembers; }

  /// Calls work(index, scratch) for all indices below `count`, in any order and number of threads.
  using ForEach =
      std::function<void(std::size_t count, const std::function<void(std::size_t index, Scratch&)>& work)>;
  /// Precondition: at least one word in each. Throws std::bad_alloc, and what `for_each` throws.
  void plan(std::span<AheadSegment* const> segments, const ForEach& for_each);
  /// How often trees were searched so far.
  [[nodiscard]] std::uint64_t search_count() const { return search_count_; }

 private:
  struct Look;

  void assign(Look& look);
  [[nodiscard]] std::vector<const Plan*> plans_for(const Look& look) const;
  [[nodiscard]] bool may_search_more(std::size_t planned) const;
  void search(AheadSegment& segment, Scratch& scratch) const;
  std::uint64_t estimate(const AheadSegment& segment, Scratch& scratch) const;
  void compare_with_known(Look& look, Scratch& scratch) const;
  void fit_if_known(Look& look, Scratch& scratch) const;
  void fit(Look& look, Scratch& scratch) const;
  void fit(Look& look, std::span<const Plan* const> plans, Scratch& scratch) const;
  static bool is_surprising(const Look& look);
  std::vector<Look*> surprising(std::span<Look> looks) const;
  void search_again(Look& look, Scratch& scratch) const;
  void note(const Look& look);

  Objective objective_;
  PlanCache plans_{PlanCache::many};
  std::uint64_t segment_count_ = 0, search_count_ = 0;
};

}  // namespace floe::trees
