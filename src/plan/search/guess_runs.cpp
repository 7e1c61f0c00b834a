#include "plan/search/guess_runs.hpp"

#include <algorithm>
#include <array>

#include "plan/search/likely_chains.hpp"
#include "plan/search/search.hpp"
#include "plan/search/windows.hpp"

namespace floe::trees {
namespace {

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
    trees.push_back({{{EncodingId::divide, *divisor}, {EncodingId::bitpack, {}}, {EncodingId::bitpack, {}}}});
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

}  // namespace

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
      add_likely_chains(stream, find_coarse_facts(stream, max_stride_tried), of_part[part].trees);
    }
  }
  add_quotients(runs[0][0].view(), of_part[0].trees);
  for (std::size_t part = 0; part < parts; ++part) {
    for (std::size_t i = 0; i < windows.size(); ++i) {
      std::vector<std::uint64_t>& costs = of_part[part].costs.emplace_back();
      for (const Plan& tree : of_part[part].trees)
        costs.push_back(
            estimate_tree(tree.nodes, Sample{runs[i][part].view(), scales[i]}, count, objective, scratch));
    }
  }
  return best_of_windows(of_part, time_cost(objective, encoding_of(runs_node.encoding), count));
}

}  // namespace floe::trees
