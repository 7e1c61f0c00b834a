#include "plan/search/budgeted_search.hpp"

#include <algorithm>

#include "plan/search/search.hpp"
#include "plan/search/windows.hpp"

namespace floe::trees {
namespace {

class BudgetedSearch {
 public:
  BudgetedSearch(std::span<const ColumnView> windows, std::uint64_t count, const Objective& objective,
                 std::size_t max_depth, SearchThreads& threads, Scratch& scratch)
      : windows_(windows),
        count_(count),
        objective_(objective),
        depth_(std::min<std::size_t>(max_depth, objective.search_depth)),
        threads_(threads),
        scratch_(scratch) {}

  std::vector<PlanNode> best_tree(const OtherTrees& others) {
    // What turns out not to be needed costs no time where others do it.
    const bool is_alone = !threads_.are_there();
    search(is_alone ? windows_.first(1) : windows_);
    std::vector<Choice> finalists = std::move(choices_[0]);
    const bool has_begun = others.begun.plan != nullptr;
    if (windows_.size() == 1 && !has_begun && others.known.empty()) return std::move(finalists[0].nodes);
    finalists.resize(std::min<std::size_t>(finalists.size(), objective_.finalists));
    const std::vector<std::uint8_t> are_like_first = cost_the_same(finalists[0]);
    for (std::size_t i = 1; i < windows_.size(); ++i) {
      if (are_like_first[i] != 0) continue;
      if (is_alone) search(windows_.subspan(i, 1));
      add_new(choices_[is_alone ? 0 : i], finalists);
    }
    put_cheapest_first(finalists);
    for (const Plan& plan : others.known) {
      std::vector<Choice> known = {{plan.nodes, unlimited_cost}};
      add_new(known, finalists);
    }
    if (has_begun) {  // it is the last one
      std::erase_if(finalists,
                    [&](const Choice& choice) { return choice.nodes == others.begun.plan->nodes; });
      finalists.push_back({others.begun.plan->nodes, unlimited_cost});
    }
    std::vector<PlanNode>& best = finalists[best_of(finalists, others.begun)].nodes;
    const bool is_begun = has_begun && best == others.begun.plan->nodes;
    return is_begun ? std::move(best) : with_differences(std::move(best));
  }

 private:
  /// Entries of a dictionary may be differences of integers that stand for floats, which is deeper than what
  /// is searched: where the best tree is a dictionary of floats, the ones with differences are tried, too.
  std::vector<PlanNode> with_differences(std::vector<PlanNode> best) {
    if (best[0].encoding != EncodingId::dict || !is_float(windows_[0].type)) return best;
    const bool is_mapped =
        best[1].encoding == EncodingId::sortable || best[1].encoding == EncodingId::decimal;
    const std::size_t leaf = is_mapped ? 2 : 1;
    if (encoding_of(best[leaf].encoding).children_of(best[leaf].parameters) > 0) return best;
    std::vector<Choice> choices = {{std::move(best), unlimited_cost}};
    for (const std::uint32_t order : {1U, 2U}) {
      std::vector<PlanNode> nodes = choices[0].nodes;
      const auto at = nodes.insert(nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(leaf)),
                                   {{EncodingId::delta, {order, 1}}, {EncodingId::entropy, {}}});
      if (!is_mapped) nodes.insert(at, {EncodingId::sortable, {}});
      choices.push_back({std::move(nodes), unlimited_cost});
    }
    return std::move(choices[best_of(choices, {})].nodes);
  }

  [[nodiscard]] ColumnView searched_part(const ColumnView& window) const {
    return windows_.size() == 1 ? window : middle_of(window, objective_.window_words);
  }

  /// Finds the choices of each window.
  void search(std::span<const ColumnView> windows) {
    std::vector<StagedSearch> searches;
    for (const ColumnView& window : windows)
      searches.emplace_back(searched_part(window), count_, objective_, depth_);
    threads_.run(searches.size(), scratch_,
                 [&](std::size_t i, Scratch& scratch) { searches[i].begin(scratch); });
    struct Try {
      std::size_t search, candidate;
    };
    std::vector<Try> tries;
    for (std::size_t i = 0; i < searches.size(); ++i) {
      for (std::size_t k = 0; k < searches[i].left(); ++k) tries.push_back({i, k});
    }
    std::vector<Choice> found(tries.size());
    threads_.run(tries.size(), scratch_, [&](std::size_t i, Scratch& scratch) {
      found[i] = searches[tries[i].search].try_next(tries[i].candidate, scratch);
    });
    choices_.clear();
    std::size_t first = 0;
    for (StagedSearch& search : searches) {
      const std::size_t left = search.left();
      choices_.push_back(search.end(std::span(found).subspan(first, left)));
      first += left;
    }
  }

  /// Where a tree of the first window costs the same elsewhere, the stream is the same elsewhere: says so of
  /// each window.
  [[nodiscard]] std::vector<std::uint8_t> cost_the_same(const Choice& choice) {
    std::vector<std::uint8_t> are_same(windows_.size(), 1);
    threads_.run(windows_.size() - 1, scratch_, [&](std::size_t i, Scratch& scratch) {
      const std::uint64_t cost =
          estimate_tree(choice.nodes, searched_part(windows_[i + 1]), count_, objective_, scratch);
      are_same[i + 1] =
          cost <= choice.cost + choice.cost / 8 && cost + choice.cost / 8 >= choice.cost ? 1 : 0;
    });
    return are_same;
  }

  void add_new(std::vector<Choice>& choices, std::vector<Choice>& finalists) const {
    choices.resize(std::min<std::size_t>(choices.size(), objective_.finalists));
    for (Choice& choice : choices) {
      const auto is_same = [&](const Choice& other) { return other.nodes == choice.nodes; };
      if (std::none_of(finalists.begin(), finalists.end(), is_same)) finalists.push_back(std::move(choice));
    }
  }

  /// Which one costs least on all whole windows: the first one of those; or the last one, if that was begun
  /// and costs hardly more.
  [[nodiscard]] std::size_t best_of(const std::vector<Choice>& finalists, const BegunTree& begun) {
    if (finalists.size() == 1) return 0;
    const bool is_alone = !threads_.are_there();
    std::vector<std::uint64_t> costs(finalists.size() * windows_.size());
    if (!is_alone) {
      threads_.run(costs.size(), scratch_, [&](std::size_t i, Scratch& scratch) {
        costs[i] = estimate_tree(finalists[i / windows_.size()].nodes, windows_[i % windows_.size()], count_,
                                 objective_, scratch);
      });
    }
    std::size_t best = 0;
    std::uint64_t min_cost = unlimited_cost;
    for (std::size_t i = 0; i < finalists.size(); ++i) {
      const bool is_preferred = begun.plan != nullptr && i + 1 == finalists.size();
      const std::uint64_t limit = is_preferred ? min_cost + begun.tolerated(min_cost) : min_cost;
      std::uint64_t sum = 0;
      for (std::size_t k = 0; k < windows_.size() && sum < limit; ++k) {
        sum += is_alone
                   ? estimate_tree(finalists[i].nodes, windows_[k], count_, objective_, scratch_, limit - sum)
                   : costs[i * windows_.size() + k];
      }
      if (sum >= limit) continue;
      min_cost = sum;
      best = i;
    }
    return best;
  }

  const std::span<const ColumnView> windows_;
  const std::uint64_t count_;
  const Objective& objective_;
  const std::size_t depth_;
  SearchThreads& threads_;
  Scratch& scratch_;
  std::vector<std::vector<Choice>> choices_;  ///< Of each window of the last search, best first.
};

}  // namespace

Plan plan_budgeted(std::span<const ColumnView> windows, std::uint64_t count, const Objective& objective,
                   std::size_t max_depth, SearchThreads& threads, Scratch& scratch,
                   const OtherTrees& others) {
  const Awake awake(&threads);
  return {BudgetedSearch(windows, count, objective, max_depth, threads, scratch).best_tree(others)};
}

}  // namespace floe::trees
