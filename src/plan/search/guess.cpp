#include "plan/search/guess.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "plan/search/candidates.hpp"
#include "plan/search/facts/integer_facts.hpp"
#include "plan/search/far/window_chains.hpp"
#include "plan/search/guess_parts.hpp"
#include "plan/search/search.hpp"
#include "plan/search/windows.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {
namespace {

/// Of each window, that facts are found in; that chains are tried on; that chains and their rivals are.
constexpr std::uint64_t looked_at_words = 512, tried_words = 256, compared_words = 1024;
/// Of more windows, every second one at first: a device waits.
constexpr std::size_t few_windows = 3;
/// Of the cost of a chain: where others cost less by a greater part, windows differ.
constexpr std::uint64_t hardly_more = 16;
/// What runs or a dictionary may come to at best they seldom do: they must promise as small a part of the
/// cost of what is guessed.
constexpr std::uint64_t rival_part = 3;
/// Of words that may be divided, bits that are saved.
constexpr std::uint64_t useful_divisor_bits = 4;

constexpr PlanNode constant_leaf{EncodingId::constant, {}}, runs_node{EncodingId::rle, {}};

std::uint64_t sum_of(const std::vector<std::uint64_t>& costs) {
  return std::accumulate(costs.begin(), costs.end(), std::uint64_t{0});
}
/// By a quarter, because few words were looked at.
bool is_clearly_cheaper(const GuessedTree& a, const GuessedTree& b) {
  return sum_of(a.costs) < sum_of(b.costs) / 4 * 3;
}

/// Bits that most floats end with alike, as those do that were narrower before: zeros. Where there would be
/// hardly a bit left, words are zero.
unsigned common_bits(const ColumnView& words) {
  if (!is_float(words.type) || size_of(words.type) < 4) return 0;
  const auto divisor = find_divisor(words);
  if (!divisor || divisor->saved_bits < useful_divisor_bits * divisor->sampled) return 0;
  return divisor->parameters[1] <= 6 * size_of(words.type) ? divisor->parameters[1] : 0;
}

/// Whether both are dictionaries whose codes, most of their bytes, become the same.
bool have_same_codes(const Plan& one, const Plan& other) {
  const auto codes = [](const Plan& plan) { return std::span(plan.nodes).subspan(next_sibling(plan, 1)); };
  return one.nodes[0].encoding == EncodingId::dict && one.nodes[0] == other.nodes[0] &&
         std::ranges::equal(codes(one), codes(other));
}

class TreeGuess {
 public:
  /// Windows from `few` on are looked at only where those before differ.
  TreeGuess(std::vector<ColumnView> windows, std::size_t few, std::uint64_t count, const Objective& objective,
            SearchThreads& threads, Scratch& scratch)
      : windows_(std::move(windows)),
        few_(few),
        count_(count),
        objective_(objective),
        threads_(threads),
        scratch_(scratch) {}

  std::optional<Guess> guess() {
    look_at(few_);
    std::size_t chain = best_chain();
    if (few_ < windows_.size()) {
      if (is_best_everywhere(chain)) {
        chain = best_of_rivals(chain);
      } else {
        look_at(windows_.size());
        chain = best_chain();
      }
    }
    std::vector<GuessedTree> trees = {{chains_[chain], costs_[chain]}};
    const bool may_have_dictionary = promises_dictionary(trees[0]);
    const Runs runs = look_for_runs(trees[0]);
    if (runs == Runs::everywhere)
      trees.push_back(guess_runs(seen(), facts_, count_, objective_, threads_, scratch_));
    if (may_have_dictionary)
      trees.push_back(guess_dictionary(seen(), facts_, count_, objective_, threads_, scratch_));
    const bool is_chain = trees.size() == 1;
    std::erase_if(trees, [](const GuessedTree& guessed) { return guessed.tree.nodes.empty(); });
    if (trees.size() == 2) drop_dearer(trees);
    GuessedTree& best = trees[trees.size() == 1 ? 0 : cheapest_of(trees)];
    // Words that are equal in the middle of a window only.
    if (best.tree.nodes[0] == constant_leaf) return std::nullopt;
    return Guess{std::move(best.tree), is_chain};
  }

 private:
  /// Where runs may be better than a chain.
  enum class Runs : std::uint8_t { nowhere, somewhere, everywhere };

  [[nodiscard]] std::span<const ColumnView> seen() const { return std::span(windows_).first(facts_.size()); }

  /// By all windows, of the chains that cost hardly more by the few.
  std::size_t best_of_rivals(std::size_t best) {
    std::vector<std::size_t> rivals;
    for (std::size_t chain = 0; chain < chains_.size(); ++chain) {
      if (sum_of(costs_[chain]) <= sum_of(costs_[best]) / hardly_more * (hardly_more + 1))
        rivals.push_back(chain);
    }
    if (rivals.size() == 1) return best;
    const std::size_t more = windows_.size() - few_;
    std::vector<std::uint64_t> costs(rivals.size() * more);
    threads_.run(costs.size(), scratch_, [&](std::size_t i, Scratch& scratch) {
      costs[i] = cost_of(rivals[i / more], few_ + i % more, scratch);
    });
    std::uint64_t min_sum = unlimited_cost;
    for (std::size_t i = 0; i < rivals.size(); ++i) {
      std::uint64_t sum = sum_of(costs_[rivals[i]]);
      for (std::size_t k = 0; k < more; ++k) sum += costs[i * more + k];
      if (sum >= min_sum) continue;
      min_sum = sum;
      best = rivals[i];
    }
    return best;
  }

  [[nodiscard]] std::uint64_t cost_of(std::size_t chain, std::size_t window, Scratch& scratch) const {
    return estimate_tree(chains_[chain].nodes, middle_of(windows_[window], tried_words), count_, objective_,
                         scratch);
  }

  /// Looks at windows up to `end`, and tries all chains that are likely for some window on all of them.
  void look_at(std::size_t end) {
    const std::size_t first = facts_.size();
    facts_.resize(end);
    std::vector<std::vector<Plan>> of_window(end - first);
    threads_.run(end - first, scratch_, [&](std::size_t i, Scratch&) {
      const ColumnView middle = middle_of(windows_[first + i], looked_at_words);
      facts_[first + i] = find_coarse_facts(middle, max_stride_tried);
      add_likely_chains(middle, facts_[first + i], true, common_bits(middle), of_window[i]);
    });
    add_chains(of_window);
    struct Try {
      std::size_t chain, window;
    };
    std::vector<Try> tries;
    costs_.resize(chains_.size());
    for (std::size_t chain = 0; chain < chains_.size(); ++chain) {
      for (std::size_t window = costs_[chain].size(); window < end; ++window)
        tries.push_back({chain, window});
      costs_[chain].resize(end);
    }
    threads_.run(tries.size(), scratch_, [&](std::size_t i, Scratch& scratch) {
      const auto [chain, window] = tries[i];
      costs_[chain][window] = cost_of(chain, window, scratch);
    });
  }

  /// If bits are common to the words of several windows, as many as all of these have.
  void add_chains(std::vector<std::vector<Plan>>& of_window) {
    const auto is_divided = [](const Plan& chain) { return chain.nodes[0].encoding == EncodingId::divide; };
    std::uint32_t min = ~std::uint32_t{0};
    for (const std::vector<Plan>& own : of_window) {
      for (const Plan& chain : own)
        if (is_divided(chain)) min = std::min(min, chain.nodes[0].parameters[1]);
    }
    for (std::vector<Plan>& own : of_window) {
      for (Plan& chain : own) {
        if (is_divided(chain)) chain.nodes[0].parameters[1] = min;
        if (std::find(chains_.begin(), chains_.end(), chain) == chains_.end())
          chains_.push_back(std::move(chain));
      }
    }
  }

  [[nodiscard]] std::size_t best_chain() const {
    std::vector<std::uint64_t> sums;
    for (const std::vector<std::uint64_t>& costs : costs_) sums.push_back(sum_of(costs));
    return static_cast<std::size_t>(std::min_element(sums.begin(), sums.end()) - sums.begin());
  }
  /// But for a part of the cost.
  [[nodiscard]] bool is_best_everywhere(std::size_t chain) const {
    for (const std::vector<std::uint64_t>& costs : costs_) {
      for (std::size_t i = 0; i < costs.size(); ++i)
        if (costs[i] + costs[i] / hardly_more < costs_[chain][i]) return false;
    }
    return true;
  }

  [[nodiscard]] bool promises(const PlanNode& node, std::size_t window, std::uint64_t limit) const {
    return !is_hopeless(node, {windows_[window], scale_of(windows_[window], count_)}, facts_[window], limit,
                        objective_);
  }
  [[nodiscard]] bool promises_dictionary(const GuessedTree& chain) const {
    for (std::size_t i = 0; i < few_; ++i) {
      if (repeats_words(facts_[i]) && promises({EncodingId::dict, {2}}, i, chain.costs[i] / rival_part))
        return true;
    }
    return false;
  }

  /// Windows of equal words have no say.
  [[nodiscard]] Runs look_for_runs(const GuessedTree& chain) const {
    std::size_t without_runs = 0;
    bool are_rivals = false;
    for (std::size_t i = 0; i < few_; ++i) {
      if (facts_[i].runs == 1) continue;
      if (has_runs(facts_[i]) && promises(runs_node, i, chain.costs[i])) {
        are_rivals = are_rivals || promises(runs_node, i, chain.costs[i] / rival_part);
      } else {
        ++without_runs;
      }
    }
    if (without_runs == 0) return Runs::everywhere;
    return are_rivals ? Runs::somewhere : Runs::nowhere;
  }

  /// The one of two trees that clearly costs more. Of windows of equal words, the few words that
  /// the chain was tried on say too little.
  void drop_dearer(std::vector<GuessedTree>& trees) const {
    const auto is_equal = [](const StreamFacts& facts) { return facts.runs == 1; };
    if (std::any_of(facts_.begin(), facts_.end(), is_equal)) return;
    if (is_clearly_cheaper(trees[0], trees[1])) {
      trees.pop_back();
    } else if (is_clearly_cheaper(trees[1], trees[0])) {
      trees.erase(trees.begin());
    }
  }

  /// By more words. The first tree, a chain, is encoded fastest: others must clearly cost less.
  [[nodiscard]] std::size_t cheapest_of(const std::vector<GuessedTree>& trees) {
    const std::size_t count = windows_.size();
    std::vector<std::uint64_t> costs(trees.size() * count), sums(trees.size());
    threads_.run(costs.size(), scratch_, [&](std::size_t i, Scratch& scratch) {
      costs[i] = estimate_tree(trees[i / count].tree.nodes, middle_of(windows_[i % count], compared_words),
                               count_, objective_, scratch);
    });
    for (std::size_t i = 0; i < costs.size(); ++i) sums[i / count] += costs[i];
    sums[0] = sums[0] / 8 * 7;
    return static_cast<std::size_t>(std::min_element(sums.begin(), sums.end()) - sums.begin());
  }

  const std::vector<ColumnView> windows_;
  const std::size_t few_;
  const std::uint64_t count_;
  const Objective& objective_;
  SearchThreads& threads_;
  Scratch& scratch_;
  std::vector<StreamFacts> facts_;  ///< Of each window that was looked at.
  std::vector<Plan> chains_;
  std::vector<std::vector<std::uint64_t>> costs_;  ///< Of each chain in each of these windows.
};

}  // namespace

std::optional<Guess> guess_tree(std::span<const ColumnView> windows, std::uint64_t count,
                                const Objective& objective, SearchThreads& threads, Scratch& scratch) {
  if (std::all_of(windows.begin(), windows.end(), is_constant)) return Guess{{{constant_leaf}}, true};
  // Every second window first.
  std::vector<ColumnView> ordered;
  const std::size_t distance = windows.size() > few_windows ? 2 : 1;
  for (std::size_t i = 0; i < windows.size(); i += distance) ordered.push_back(windows[i]);
  const std::size_t few = ordered.size();
  for (std::size_t i = 1; distance == 2 && i < windows.size(); i += 2) ordered.push_back(windows[i]);
  return TreeGuess(std::move(ordered), few, count, objective, threads, scratch).guess();
}

bool guesses_tree(const Plan& tree, std::span<const ColumnView> windows, std::uint64_t count,
                  const Objective& objective, SearchThreads& threads, Scratch& scratch) {
  constexpr std::uint64_t part_of_entries = 32;
  const auto guess = guess_tree(windows, count, objective, threads, scratch);
  if (!guess) return false;
  if (guess->plan == tree) return true;
  if (!have_same_codes(guess->plan, tree)) return false;
  const Plan* const trees[] = {&guess->plan, &tree};
  std::vector<std::uint64_t> costs(2 * windows.size());
  threads.run(costs.size(), scratch, [&](std::size_t i, Scratch& own) {
    costs[i] =
        estimate_tree(trees[i % 2]->nodes, middle_of(windows[i / 2], compared_words), count, objective, own);
  });
  std::uint64_t sums[2] = {};
  for (std::size_t i = 0; i < costs.size(); ++i) sums[i % 2] += costs[i];
  return sums[1] <= sums[0] + sums[0] / part_of_entries;
}

std::uint64_t cost_of_tree(const Plan& tree, const SegmentWindows& segment, const Objective& objective,
                           SearchThreads& threads, Scratch& scratch) {
  if (const auto chain = far_chain_of(tree, segment.strides))
    return cost_of_far_chain(*chain, segment, objective, threads, scratch);
  const std::vector<ColumnView> windows = windows_of(segment, planning_window_words);
  std::vector<std::uint64_t> costs(windows.size());
  threads.run(costs.size(), scratch, [&](std::size_t i, Scratch& own) {
    costs[i] = estimate_tree(tree.nodes, windows[i], segment.planned_count(), objective, own);
  });
  return sum_of(costs);
}

std::optional<Guess> guess_tree(const SegmentWindows& segment, const Objective& objective,
                                SearchThreads& threads, Scratch& scratch) {
  auto guess = guess_tree(windows_of(segment, planning_window_words), segment.planned_count(), objective,
                          threads, scratch);
  if (!guess || guess->plan.nodes[0] == constant_leaf) return guess;
  const auto far = best_far_chain(segment, guess->plan, objective, threads, scratch);
  if (far &&
      is_worth_far_differences(far->cost, cost_of_tree(guess->plan, segment, objective, threads, scratch)))
    return Guess{far->chain.plan(), true};
  return guess;
}

bool guesses_tree(const Plan& tree, const SegmentWindows& segment, const Objective& objective,
                  SearchThreads& threads, Scratch& scratch) {
  constexpr std::uint64_t hardly_different = 32;
  const auto guess = guess_tree(segment, objective, threads, scratch);
  if (!guess) return false;
  if (guess->plan == tree) return true;
  if (far_chain_of(tree, segment.strides)) {
    const std::uint64_t least = cost_of_tree(guess->plan, segment, objective, threads, scratch);
    return cost_of_tree(tree, segment, objective, threads, scratch) <= least + least / hardly_different;
  }
  return !far_chain_of(guess->plan, segment.strides) &&
         guesses_tree(tree, windows_of(segment, planning_window_words), segment.planned_count(), objective,
                      threads, scratch);
}

}  // namespace floe::trees
