#include "plan/search/guess.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "plan/search/candidates.hpp"
#include "plan/search/search.hpp"
#include "plan/search/windows.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {
namespace {

constexpr PlanNode runs_node{EncodingId::rle, {}};

/// A tree, and what it costs by each window, for the whole stream.
struct GuessedTree {
  Plan tree;
  std::vector<std::uint64_t> costs;
};

/// Of a stream, that digits are looked for in, which takes longest.
constexpr std::uint64_t decimal_words = 64;
/// With more digits, any floats may be decimals.
constexpr std::uint32_t few_digits = 5;

/// What stands before and behind a chain of integers.
struct Frame {
  std::vector<PlanNode> before, behind;
};

void add_new(Plan chain, std::vector<Plan>& chains) {
  if (std::find(chains.begin(), chains.end(), chain) == chains.end()) chains.push_back(std::move(chain));
}

/// The chains of integers that their facts speak for.
void add_chains_of_integers(const StreamFacts& facts, const Frame& frame, bool with_entropy,
                            std::vector<Plan>& chains) {
  const auto add_with = [&](const std::vector<PlanNode>& differences, EncodingId leaf) {
    Plan chain{frame.before};
    chain.nodes.insert(chain.nodes.end(), differences.begin(), differences.end());
    chain.nodes.push_back({leaf, {}});
    chain.nodes.insert(chain.nodes.end(), frame.behind.begin(), frame.behind.end());
    add_new(std::move(chain), chains);
  };
  const auto add = [&](const std::vector<PlanNode>& differences, bool are_equal = false) {
    add_with(differences, are_equal ? EncodingId::constant : EncodingId::bitpack);
    if (!are_equal && with_entropy) add_with(differences, EncodingId::entropy);
  };
  const ShorterDifferences shorter = shorter_differences(facts);
  // The first difference counts among those of second order.
  const bool is_straight =
      facts.sampled > max_stride_tried &&
      facts.second_difference_bits * (facts.sampled - max_stride_tried) == facts.difference_bits[1];
  // Those that are mostly the best ones first: the others need not be tried to their end.
  if (shorter.stride > 1)
    add({{EncodingId::delta, {1, shorter.stride}}}, facts.difference_bits[shorter.stride] == 0);
  if (shorter.of_neighbours) add({{EncodingId::delta, {1, 1}}}, is_straight);
  if (shorter.of_differences && !is_straight) add({{EncodingId::delta, {2, 1}}});
  add({});
}

/// Adds the chains that may be good for a stream, going by its facts, and are not there yet. A chain is bit
/// packing, or entropy if that is wanted, below at most one map and one delta.
void add_likely_chains(const ColumnView& stream, const StreamFacts& facts, bool with_entropy,
                       std::vector<Plan>& chains) {
  if (facts.runs == 1) return add_new({{{EncodingId::constant, {}}}}, chains);
  if (is_integer(stream.type)) return add_chains_of_integers(facts, {}, with_entropy, chains);
  const DecimalFacts decimals =
      find_decimals({stream.type, stream.values, std::min(stream.count, decimal_words)});
  if (decimals.exceptions == 0) {
    // Leaves of exceptions that there are none of.
    const Frame frame{{{EncodingId::decimal, {decimals.digits, decimals.integer_bytes}}},
                      {{EncodingId::bitpack, {}}, {EncodingId::raw, {}}}};
    add_chains_of_integers(find_coarse_facts_of_decimals(stream, decimals, max_stride_tried), frame,
                           with_entropy, chains);
    if (decimals.digits <= few_digits) return;
  }
  add_chains_of_integers(facts, {{{EncodingId::sortable, {}}}, {}}, with_entropy, chains);
  if (with_entropy) add_new({{{EncodingId::entropy, {}}}}, chains);
}

/// Of each window: with fewer, fewer guesses are right; with more, they take longer.
constexpr std::uint64_t useful_runs = 64;
/// Lengths and words.
constexpr std::size_t parts = 2;

/// What one part of the runs may be encoded with, and what that costs in each window.
struct PartTrees {
  std::vector<Plan> trees;
  std::vector<std::vector<std::uint64_t>> costs;  ///< [window][tree]
  [[nodiscard]] std::size_t best_of(std::size_t window) const {
    return static_cast<std::size_t>(std::min_element(costs[window].begin(), costs[window].end()) -
                                    costs[window].begin());
  }
};

/// Lengths that alternate have the same remainders. The divisor takes long to find.
void add_quotients(const ColumnView& lengths, std::vector<Plan>& trees) {
  if (const auto divisor = find_divisor(lengths))
    trees.push_back(
        {{{EncodingId::divide, divisor->parameters}, {EncodingId::bitpack, {}}, {EncodingId::bitpack, {}}}});
}

/// Of the trees that are best in some window, the one that is best in all. `time`: what finding runs costs.
GuessedTree best_of_windows(const std::array<PartTrees, parts>& of_part, std::uint64_t time) {
  const auto& [lengths, words] = of_part;
  GuessedTree best;
  std::uint64_t least = ~std::uint64_t{0};
  for (std::size_t window = 0; window < lengths.costs.size(); ++window) {
    const std::size_t of_lengths = lengths.best_of(window), of_words = words.best_of(window);
    std::vector<std::uint64_t> costs;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < lengths.costs.size(); ++i)
      sum += costs.emplace_back(time + lengths.costs[i][of_lengths] + words.costs[i][of_words]);
    if (sum >= least) continue;
    least = sum;
    best = {{{runs_node}}, std::move(costs)};
    for (const Plan* tree : {&lengths.trees[of_lengths], &words.trees[of_words]})
      best.tree.nodes.insert(best.tree.nodes.end(), tree->nodes.begin(), tree->nodes.end());
  }
  return best;
}

/// Runs, with a chain for their lengths and one for their words: of the best ones of each window, those that
/// are best for all of them. Throws std::bad_alloc.
GuessedTree guess_runs(std::span<const ColumnView> windows, std::span<const StreamFacts> facts,
                       std::uint64_t count, const Objective& objective, Scratch& scratch) {
  std::vector<std::vector<Stream>> runs(windows.size());
  std::vector<std::uint64_t> scales;
  std::array<PartTrees, parts> of_part;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const ColumnView some =
        middle_of(windows[i], std::min(windows[i].count, useful_runs * facts[i].sampled / facts[i].runs));
    scales.push_back(scale_of(some, count));
    ByteWriter header;
    Encoded encoded{header, runs[i], scratch};
    (void)encoding_of(runs_node.encoding).encode(some, runs_node.parameters, encoded);
    for (std::size_t part = 0; part < parts; ++part) {
      const ColumnView stream = runs[i][part].view();
      add_likely_chains(stream, find_coarse_facts(stream, max_stride_tried), false, of_part[part].trees);
    }
  }
  add_quotients(runs[0][0].view(), of_part[0].trees);
  for (std::size_t part = 0; part < parts; ++part) {
    for (std::size_t i = 0; i < windows.size(); ++i) {
      std::vector<std::uint64_t>& costs = of_part[part].costs.emplace_back();
      for (const Plan& tree : of_part[part].trees)
        costs.push_back(estimate_tree(tree.nodes, Sample{runs[i][part].view(), scales[i], false}, count,
                                      objective, scratch));
    }
  }
  return best_of_windows(of_part, time_cost(objective, encoding_of(runs_node.encoding), count));
}

/// Of each window, that facts are found in; that chains are tried on.
constexpr std::uint64_t looked_at_words = 512, tried_words = 256;
/// Of more windows, every second one: a device waits.
constexpr std::size_t guessed_windows = 3;
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
            SearchThreads& threads, Scratch& scratch)
      : windows_(windows),
        count_(count),
        objective_(objective),
        threads_(threads),
        scratch_(scratch),
        facts_(windows.size()) {}

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
    const std::size_t count = windows_.size();
    std::vector<std::vector<Plan>> of_window(count);
    threads_.run(count, scratch_, [&](std::size_t i, Scratch&) {
      const ColumnView middle = middle_of(windows_[i], looked_at_words);
      facts_[i] = find_coarse_facts(middle, max_stride_tried);
      add_likely_chains(middle, facts_[i], true, of_window[i]);
    });
    std::vector<Plan> chains;
    for (std::vector<Plan>& own : of_window) {
      for (Plan& chain : own) add_new(std::move(chain), chains);
    }
    const auto cost_of = [&](std::size_t chain, std::size_t window, Scratch& scratch, std::uint64_t limit) {
      return estimate_tree(chains[chain].nodes, middle_of(windows_[window], tried_words), count_, objective_,
                           scratch, limit);
    };
    const bool is_alone = !threads_.are_there();
    std::vector<std::uint64_t> costs(chains.size() * count);
    if (!is_alone) {
      threads_.run(costs.size(), scratch_, [&](std::size_t i, Scratch& scratch) {
        costs[i] = cost_of(i / count, i % count, scratch, unlimited_cost);
      });
    }
    std::size_t best = 0;
    std::uint64_t least = unlimited_cost;
    for (std::size_t chain = 0; chain < chains.size(); ++chain) {
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < count && sum < least; ++i) {
        std::uint64_t& cost = costs[chain * count + i];
        if (is_alone) cost = cost_of(chain, i, scratch_, least - sum);
        sum += cost;
      }
      if (sum >= least) continue;
      least = sum;
      best = chain;
    }
    const auto first = costs.begin() + static_cast<std::ptrdiff_t>(best * count);
    return {std::move(chains[best]), {first, first + static_cast<std::ptrdiff_t>(count)}};
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
  SearchThreads& threads_;
  Scratch& scratch_;
  std::vector<StreamFacts> facts_;  ///< Of each window.
};

}  // namespace

std::optional<Plan> guess_tree(std::span<const ColumnView> windows, std::uint64_t count,
                               const Objective& objective, SearchThreads& threads, Scratch& scratch) {
  if (std::all_of(windows.begin(), windows.end(), is_constant)) return Plan{{constant_leaf}};
  std::vector<ColumnView> some;
  const std::size_t distance = windows.size() > guessed_windows ? 2 : 1;
  for (std::size_t i = 0; i < windows.size(); i += distance) some.push_back(windows[i]);
  return TreeGuess(some, count, objective, threads, scratch).guess();
}

}  // namespace floe::trees
