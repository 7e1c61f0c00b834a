// The search for the best tree: dynamic programming over samples. The cost of an encoding is the sum of the
// costs of its children, so the best tree consists of the best trees of the children.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "plan/objective.hpp"
#include "plan/search/distinct_words.hpp"
#include "plan/search/facts/facts.hpp"
#include "plan/search/windows.hpp"
#include "simd/decimal_rounding.hpp"
#include "tree/plan.hpp"

namespace floe::trees {

/// A tree and what it costs.
struct Choice {
  std::vector<PlanNode> nodes;
  std::uint64_t cost = 0;  ///< In 1/256 bit, for the whole stream that the sample stands for.
};

/// Of which nothing is known.
inline constexpr std::uint64_t unknown_cost = ~std::uint64_t{0} / 4;

inline bool is_cheaper(const Choice& a, const Choice& b) { return a.cost < b.cost; }
/// Those that cost the same keep their order. Throws std::bad_alloc.
void put_cheapest_first(std::vector<Choice>& choices);

/// Integers on lines, or floats that are rounded, of a whole stream: a tree that begins so is tried beside
/// others, and takes nobody's place, because samples deceive about errors and exceptions.
inline bool may_be_beside_others(const PlanNode& root) {
  return root.encoding == EncodingId::affine ||
         (root.encoding == EncodingId::narrow && root.parameters[1] != DecimalRounding::none);
}
inline bool is_beside_others(const Choice& choice) {
  return !choice.nodes.empty() && may_be_beside_others(choice.nodes[0]);
}

/// The best trees for a stream of `whole_count` words that `sample` stands for, one per encoding at the root,
/// cheapest first. At most `depth_left` nodes above each other. `distinct`: about how many different words
/// the stream has, if that is known. `known_cost`: what a tree costs that is known; trees that clearly cost
/// more may be left out, but for one. `count`, if there is one, counts different words where a dictionary
/// promises the fewest bits. Throws std::bad_alloc, and what `count` throws.
std::vector<Choice> search_trees(const ColumnView& sample, std::uint64_t whole_count,
                                 const Objective& objective, std::size_t depth_left, Scratch& scratch,
                                 DistinctCount distinct = {}, std::uint64_t known_cost = unknown_cost,
                                 const std::function<DistinctCount()>& count = {});

/// The same in steps, so that candidates are tried side by side: what each of them is compared with is known
/// before, so that trees do not depend on the order. Where trees are tried that hardly pay, that is more
/// work; in budgeted searches they are not.
class StagedSearch {
 public:
  StagedSearch() = default;
  /// The words of the sample and the objective must remain.
  StagedSearch(const ColumnView& sample, std::uint64_t whole_count, const Objective& objective,
               std::size_t depth_left)
      : sample_(sample), whole_count_(whole_count), objective_(&objective), depth_left_(depth_left) {}
  /// Tries leaves and the first candidate. All of these throw std::bad_alloc.
  void begin(Scratch& scratch);
  /// How many candidates are left.
  [[nodiscard]] std::size_t left() const { return candidates_.empty() ? 0 : candidates_.size() - 1; }
  /// The best tree with one of them; no nodes if there is none worth a mention. Thread-safe.
  [[nodiscard]] Choice try_next(std::size_t index, Scratch& scratch) const;
  /// All choices, best first. `found`: what try_next() returned for all that were left, in their order.
  [[nodiscard]] std::vector<Choice> end(std::span<Choice> found);

 private:
  ColumnView sample_;
  std::uint64_t whole_count_ = 0;
  const Objective* objective_ = nullptr;
  std::size_t depth_left_ = 0;
  std::vector<Choice> choices_;
  StreamFacts facts_;
  std::vector<PlanNode> candidates_;
  std::uint64_t best_ = 0;
};

/// More than any tree costs; twice as much is still a number.
inline constexpr std::uint64_t unlimited_cost = ~std::uint64_t{0} / 2;

/// What a tree would cost for the stream that `sample` stands for; if that is `limit` or more, some number
/// from there on. Where an encoding does not fit the sample, the plain leaf is reckoned.
std::uint64_t estimate_tree(const std::vector<PlanNode>& nodes, const ColumnView& sample,
                            std::uint64_t whole_count, const Objective& objective, Scratch& scratch,
                            std::uint64_t limit = ~std::uint64_t{0}, DistinctCount distinct = {});
/// The same of a sub-tree, for a sample of the stream at its root. The column itself has `whole_count` words.
std::uint64_t estimate_tree(const std::vector<PlanNode>& nodes, const Sample& sample,
                            std::uint64_t whole_count, const Objective& objective, Scratch& scratch,
                            std::uint64_t limit = ~std::uint64_t{0});

}  // namespace floe::trees
