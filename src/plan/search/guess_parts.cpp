#include "plan/search/guess_parts.hpp"

#include <algorithm>
#include <array>

#include "plan/search/candidates.hpp"
#include "plan/search/device_trees.hpp"
#include "plan/search/dict_growth.hpp"
#include "plan/search/facts/integer_facts.hpp"
#include "plan/search/search.hpp"
#include "plan/search/windows.hpp"

namespace floe::trees {
namespace {

/// Of a stream, that digits are looked for in, which takes longest.
constexpr std::uint64_t decimal_words = 64;
/// With more digits, any floats may be decimals.
constexpr std::uint32_t few_digits = 5;

/// Nodes of a plan around a chain of integers.
struct Affixes {
  std::vector<PlanNode> prefix, suffix;
};

void add_new(Plan chain, std::vector<Plan>& chains) {
  if (std::find(chains.begin(), chains.end(), chain) == chains.end()) chains.push_back(std::move(chain));
}

/// The chains of integers that their facts speak for.
void add_chains_of_integers(const StreamFacts& facts, const Affixes& affixes, bool with_entropy,
                            std::vector<Plan>& chains) {
  const auto add_with = [&](const std::vector<PlanNode>& differences, EncodingId leaf) {
    Plan chain{affixes.prefix};
    chain.nodes.insert(chain.nodes.end(), differences.begin(), differences.end());
    chain.nodes.push_back({leaf, {}});
    chain.nodes.insert(chain.nodes.end(), affixes.suffix.begin(), affixes.suffix.end());
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

}  // namespace

void add_likely_chains(const ColumnView& stream, const StreamFacts& facts, bool with_entropy, unsigned shift,
                       std::vector<Plan>& chains) {
  if (facts.runs == 1) return add_new({{{EncodingId::constant, {}}}}, chains);
  if (is_integer(stream.type)) return add_chains_of_integers(facts, {}, with_entropy, chains);
  const DecimalFacts decimals =
      find_decimals({stream.type, stream.values, std::min(stream.count, decimal_words)});
  if (decimals.exceptions == 0) {
    // Leaves of exceptions that there are none of.
    const Affixes affixes{{{EncodingId::decimal, {decimals.digits, decimals.integer_bytes}}},
                          {{EncodingId::bitpack, {}}, {EncodingId::raw, {}}}};
    add_chains_of_integers(find_coarse_facts_of_decimals(stream, decimals, max_stride_tried), affixes,
                           with_entropy, chains);
    if (decimals.digits <= few_digits) return;
  }
  const Affixes affixes = shift > 0
                              ? Affixes{{{EncodingId::divide, {1, shift}}}, {{EncodingId::constant, {}}}}
                              : Affixes{{{EncodingId::sortable, {}}}, {}};
  add_chains_of_integers(facts, affixes, with_entropy, chains);
  if (with_entropy && shift == 0) add_new({{{EncodingId::entropy, {}}}}, chains);
}

namespace {

constexpr std::size_t parts = 2;

/// What an encoding made of each window.
struct Windows {
  std::vector<std::vector<Stream>> streams;              ///< [window][part]
  std::vector<std::array<std::uint64_t, parts>> scales;  ///< The same.
  std::vector<std::uint64_t> costs;                      ///< Of the encoding itself.

  explicit Windows(std::size_t count) : streams(count), scales(count), costs(count) {}
};

/// What one part may be encoded with, and what that costs in each window.
struct PartTrees {
  std::vector<Plan> trees;
  std::vector<std::vector<std::uint64_t>> costs;  ///< [window][tree]
  [[nodiscard]] std::size_t best_of(std::size_t window) const {
    return static_cast<std::size_t>(std::min_element(costs[window].begin(), costs[window].end()) -
                                    costs[window].begin());
  }
};
using TreesOfParts = std::array<PartTrees, parts>;

/// Adds what is likely for parts, by the facts of each. What looks constant may be so in windows only: bit
/// packing finds out.
void add_likely(const Windows& windows, bool with_entropy, TreesOfParts& of_part) {
  for (const std::vector<Stream>& streams : windows.streams) {
    for (std::size_t part = 0; part < parts; ++part) {
      const ColumnView stream = streams[part].view();
      add_likely_chains(stream, find_coarse_facts(stream, max_stride_tried), with_entropy, 0,
                        of_part[part].trees);
      if (!is_integer(stream.type)) continue;
      for (Plan& chain : of_part[part].trees) {
        PlanNode& leaf = chain.nodes.back();
        if (leaf.encoding == EncodingId::constant) leaf.encoding = EncodingId::bitpack;
      }
    }
  }
}

/// What all trees of parts cost.
void find_costs(const Windows& windows, std::uint64_t count, const Objective& objective,
                SearchThreads& threads, Scratch& scratch, TreesOfParts& of_part) {
  struct Try {
    std::size_t part, window, tree;
  };
  std::vector<Try> tries;
  for (std::size_t part = 0; part < parts; ++part) {
    of_part[part].costs.assign(windows.streams.size(),
                               std::vector<std::uint64_t>(of_part[part].trees.size()));
    for (std::size_t window = 0; window < windows.streams.size(); ++window) {
      for (std::size_t tree = 0; tree < of_part[part].trees.size(); ++tree)
        tries.push_back({part, window, tree});
    }
  }
  threads.run(tries.size(), scratch, [&](std::size_t i, Scratch& own) {
    const auto [part, window, tree] = tries[i];
    const Sample sample{windows.streams[window][part].view(), windows.scales[window][part], false};
    of_part[part].costs[window][tree] =
        estimate_tree(of_part[part].trees[tree].nodes, sample, count, objective, own);
  });
}

/// Of the trees that are best in some window, the one that is best in all; `behind` ends it.
GuessedTree best_of_windows(const PlanNode& root, const Windows& windows, const TreesOfParts& of_part,
                            const std::vector<PlanNode>& behind) {
  const auto& [first, second] = of_part;
  GuessedTree best;
  std::uint64_t min_sum = ~std::uint64_t{0};
  for (std::size_t window = 0; window < first.costs.size(); ++window) {
    const std::size_t of_first = first.best_of(window), of_second = second.best_of(window);
    std::vector<std::uint64_t> costs;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < first.costs.size(); ++i)
      sum += costs.emplace_back(windows.costs[i] + first.costs[i][of_first] + second.costs[i][of_second]);
    if (sum >= min_sum) continue;
    min_sum = sum;
    best = {{{root}}, std::move(costs)};
    for (const std::vector<PlanNode>* nodes :
         {&first.trees[of_first].nodes, &second.trees[of_second].nodes, &behind})
      best.tree.nodes.insert(best.tree.nodes.end(), nodes->begin(), nodes->end());
  }
  return best;
}

/// Of each window: with fewer, fewer guesses are right; with more, they take longer.
constexpr std::uint64_t useful_runs = 64;

/// Lengths that alternate have the same remainders. The divisor takes long to find.
void add_quotients(const ColumnView& lengths, std::vector<Plan>& trees) {
  if (const auto divisor = find_divisor(lengths))
    trees.push_back(
        {{{EncodingId::divide, divisor->parameters}, {EncodingId::bitpack, {}}, {EncodingId::bitpack, {}}}});
}

}  // namespace

GuessedTree guess_runs(std::span<const ColumnView> windows, std::span<const StreamFacts> facts,
                       std::uint64_t count, const Objective& objective, SearchThreads& threads,
                       Scratch& scratch) {
  const PlanNode root{EncodingId::rle, {}};
  Windows made(windows.size());
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const ColumnView some =
        middle_of(windows[i], std::min(windows[i].count, useful_runs * facts[i].sampled / facts[i].runs));
    made.scales[i].fill(scale_of(some, count));
    made.costs[i] = time_cost(objective, encoding_of(root.encoding), count);
    ByteWriter header;
    Encoded encoded{header, made.streams[i], scratch};
    (void)encoding_of(root.encoding).encode(some, root.parameters, encoded);
  }
  TreesOfParts of_part;
  add_likely(made, false, of_part);
  add_quotients(made.streams[0][0].view(), of_part[0].trees);
  find_costs(made, count, objective, threads, scratch, of_part);
  return best_of_windows(root, made, of_part, {});
}

GuessedTree guess_dictionary(std::span<const ColumnView> windows, std::span<const StreamFacts> facts,
                             std::uint64_t count, const Objective& objective, SearchThreads& threads,
                             Scratch& scratch) {
  constexpr std::uint64_t useful_words = 1024;
  const bool are_near = std::any_of(facts.begin(), facts.end(), [](const StreamFacts& of) {
    return shorter_differences(of).of_neighbours;
  });
  const PlanNode root{
      EncodingId::dict,
      {are_near ? DictRules::by_value : DictRules::by_frequency_then_value, DictRules::ranges[1].usual}};
  const Encoding& encoding = encoding_of(root.encoding);
  Windows made(windows.size());
  std::vector<std::uint8_t> fail(windows.size());
  threads.run(windows.size(), scratch, [&](std::size_t i, Scratch& own) {
    const Sample sample{middle_of(windows[i], useful_words),
                        scale_of(middle_of(windows[i], useful_words), count)};
    ByteWriter header;
    Encoded encoded{header, made.streams[i], own};
    fail[i] = encoding.encode(sample.words, root.parameters, encoded) ? 0 : 1;
    if (fail[i] != 0) return;
    const DictGrowth growth = growth_of(root, sample, made.streams[i]);
    if (growth.is_too_large) fail[i] = 1;
    const std::uint64_t entries = made.streams[i][0].view().count * growth.entry_scale / 256;
    made.scales[i] = {growth.entry_scale, sample.scale};
    made.costs[i] = time_cost(objective, encoding, count) + growth.code_cost +
                    time_cost(objective, device_time_of_entry(entries), entries);
  });
  if (std::any_of(fail.begin(), fail.end(), [](std::uint8_t one) { return one != 0; })) return {};
  TreesOfParts of_part;
  add_likely(made, true, of_part);
  find_costs(made, count, objective, threads, scratch, of_part);
  return best_of_windows(root, made, of_part, {{EncodingId::raw, {}}});
}

}  // namespace floe::trees
