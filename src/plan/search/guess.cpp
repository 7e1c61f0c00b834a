#include "plan/search/guess.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "plan/search/candidates.hpp"
#include "plan/search/guess_runs.hpp"
#include "plan/search/likely_chains.hpp"
#include "plan/search/prospects.hpp"
#include "plan/search/search.hpp"
#include "plan/search/windows.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {
namespace {

/// Of each window, that facts are found in; that chains are tried on.
constexpr std::uint64_t looked_at_words = 512, tried_words = 256;
/// What runs or a dictionary may come to at best they seldom do: they must promise as small a part of the
/// cost of what is guessed.
constexpr std::uint64_t rival_part = 3;

constexpr PlanNode constant_leaf{EncodingId::constant, {}};

/// By an eighth, because few words were looked at.
bool is_clearly_cheaper(const GuessedTree& a, const GuessedTree& b) {
  const auto sum = [](const std::vector<std::uint64_t>& costs) {
    return std::accumulate(costs.begin(), costs.end(), std::uint64_t{0});
  };
  return sum(a.costs) < sum(b.costs) / 8 * 7;
}

class TreeGuess {
 public:
  TreeGuess(std::span<const ColumnView> windows, std::uint64_t count, const Objective& objective,
            Scratch& scratch)
      : windows_(windows), count_(count), objective_(objective), scratch_(scratch) {}

  std::optional<Plan> guess() {
    GuessedTree best = best_chain();
    switch (look_for_runs(best)) {
      case Runs::nowhere:
        break;
      case Runs::somewhere:
        return std::nullopt;
      case Runs::everywhere:
        if (!choose_runs(best)) return std::nullopt;
    }
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      if (repeats_words(facts_[i]) && promises({EncodingId::dict, {2}}, i, best.costs[i] / rival_part))
        return std::nullopt;
    }
    // Words that are equal in the middle of a window only.
    if (best.tree.nodes[0] == constant_leaf) return std::nullopt;
    return std::move(best.tree);
  }

 private:
  /// Where runs may be better than a chain.
  enum class Runs : std::uint8_t { nowhere, somewhere, everywhere };

  GuessedTree best_chain() {
    std::vector<Plan> chains;
    for (const ColumnView& window : windows_) {
      const ColumnView middle = middle_of(window, looked_at_words);
      facts_.push_back(find_coarse_facts(middle, max_stride_tried));
      add_likely_chains(middle, facts_.back(), chains);
    }
    GuessedTree best;
    std::vector<std::uint64_t> costs(windows_.size());
    std::uint64_t least = ~std::uint64_t{0};
    for (Plan& chain : chains) {
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < windows_.size() && sum < least; ++i)
        sum += costs[i] = estimate_tree(chain.nodes, middle_of(windows_[i], tried_words), count_, objective_,
                                        scratch_, least - sum);
      if (sum >= least) continue;
      least = sum;
      best = {std::move(chain), costs};
    }
    return best;
  }

  [[nodiscard]] bool promises(const PlanNode& node, std::size_t window, std::uint64_t limit) const {
    return !is_hopeless(node, {windows_[window], scale_of(windows_[window], count_)}, facts_[window], limit,
                        objective_);
  }

  /// Windows of equal words have no say.
  [[nodiscard]] Runs look_for_runs(const GuessedTree& chain) const {
    std::size_t with_runs = 0, equal = 0;
    bool are_rivals = false;
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      if (facts_[i].runs == 1) {
        ++equal;
      } else if (has_runs(facts_[i]) && promises(runs_node, i, chain.costs[i])) {
        ++with_runs;
        are_rivals = are_rivals || promises(runs_node, i, chain.costs[i] / rival_part);
      }
    }
    if (with_runs + equal == windows_.size()) return Runs::everywhere;
    return are_rivals ? Runs::somewhere : Runs::nowhere;
  }

  /// Takes runs instead of the chain where they are better. False if neither clearly is.
  bool choose_runs(GuessedTree& best) {
    const auto is_equal = [](const StreamFacts& facts) { return facts.runs == 1; };
    if (std::any_of(facts_.begin(), facts_.end(), is_equal)) {
      // The few words that the chain was tried on say too little.
      for (std::size_t i = 0; i < windows_.size(); ++i)
        best.costs[i] = estimate_tree(best.tree.nodes, windows_[i], count_, objective_, scratch_);
    }
    GuessedTree runs = guess_runs(windows_, facts_, count_, objective_, scratch_);
    if (is_clearly_cheaper(best, runs)) return true;
    if (!is_clearly_cheaper(runs, best)) return false;
    best = std::move(runs);
    return true;
  }

  const std::span<const ColumnView> windows_;
  const std::uint64_t count_;
  const Objective& objective_;
  Scratch& scratch_;
  std::vector<StreamFacts> facts_;  ///< Of each window.
};

}  // namespace

std::optional<Plan> guess_tree(std::span<const ColumnView> windows, std::uint64_t count,
                               const Objective& objective, Scratch& scratch) {
  if (std::all_of(windows.begin(), windows.end(), is_constant)) return Plan{{constant_leaf}};
  return TreeGuess(windows, count, objective, scratch).guess();
}

}  // namespace floe::trees
