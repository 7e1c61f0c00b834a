#include "plan/chains.hpp"

#include <algorithm>

#include "plan/rare_remainders.hpp"
#include "plan/search/dict_growth.hpp"
#include "plan/trials.hpp"

namespace floe::trees {
namespace {

/// A chain is tried if it promises to cost no more than the best tree and this part of that; where the faster
/// goal has its say, too, a smaller one.
constexpr std::uint64_t chain_part = 4, chain_part_for_ratio = 16;
/// None is looked for if those that other weights led to promised to cost so many times what a tree does.
constexpr std::uint64_t hopeless_factor = 2;
/// Another chain must promise to save such a part of what a chain costs; where sizes count most, it may cost
/// such a part more.
constexpr std::uint64_t gain_part = 32;
/// A tree with a dictionary may cost less than its estimate by such a part.
constexpr std::uint64_t dictionary_part = 4;
/// Where samples made too much of it by such a part, a few words may be no multiples of what they show.
constexpr std::uint64_t doubtful_part = 32;
/// Samples make much too much of a chain by such a part.
constexpr std::uint64_t much_part = 8;

bool is_chain(const Plan& plan) {
  return std::all_of(plan.nodes.begin(), plan.nodes.end(), [](const PlanNode& node) {
    return is_in_chains(node.encoding) || encoding_of(node.encoding).children_of(node.parameters) == 0;
  });
}

}  // namespace

std::optional<EncodedTree> Chains::encode_best(const Objective& by, const Finalists& finalists) {
  const std::uint64_t estimate = finalists.choices[0].cost;
  if (!are_tried() || is_chain({finalists.choices[0].nodes}) || min_estimate_ > hopeless_factor * estimate)
    return {};
  const std::uint64_t part = objective_.rival ? chain_part_for_ratio : chain_part,
                      max_cost = estimate + estimate / part;
  const Choice best =
      find_finalists(segment_, {}, chains_of(by), max_plan_depth, scratch_, max_cost + max_cost / part)
          .choices[0];
  min_estimate_ = min_estimate_ == 0 ? best.cost : std::min(min_estimate_, best.cost);
  if (best.cost > max_cost) return {};
  const auto is_same = [&](const Known& chain) { return chain.tree.wanted.nodes == best.nodes; };
  if (const auto known = std::find_if(encoded_.begin(), encoded_.end(), is_same); known != encoded_.end()) {
    const std::ptrdiff_t first_counted = static_cast<std::ptrdiff_t>(first_counted_);
    if (known - encoded_.begin() >= first_counted) return {};
    Known again{{known->tree.plan, known->tree.wanted, known->tree.sizes, {}}, best.cost};
    encoded_.push_back(std::move(again));
    return {};
  }
  // Samples mostly make as much of one chain as of another.
  const auto is_no_worse = [&](const Known& chain) {
    const std::uint64_t cost = cost_of(chain.tree, segment_.type, finalists.weighed);
    const std::uint64_t likely = best.cost / 256 * (cost * 256 / chain.estimate);
    return objective_.rival ? likely >= cost + cost / gain_part : likely >= cost - cost / gain_part;
  };
  if (std::any_of(counted().begin(), counted().end(), is_no_worse)) return {};
  SampledChildPlanner child_planner(by, best.cost, scratch_);
  EncodedTree tree = encode_tree(segment_, {best.nodes}, scratch_, &child_planner);
  if (deceives(best.cost, cost_of(tree, segment_.type, finalists.weighed), doubtful_part))
    encode_but_for_few(segment_, tree, scratch_, &child_planner);
  encoded_.push_back({{tree.plan, {best.nodes}, tree.sizes, {}}, best.cost});
  return tree;
}

// Half of what samples made too much of the chain, they probably make too much of the tree, too; all of it if
// that is much, because they miss what the words are mostly like.
bool Chains::are_better_than(const Finalists& finalists) const {
  const std::uint64_t estimate = finalists.choices[0].cost;
  const bool is_dictionary = trees::is_dictionary(finalists.choices[0].nodes[0].encoding);
  return std::any_of(counted().begin(), counted().end(), [&](const Known& chain) {
    const std::uint64_t cost = cost_of(chain.tree, segment_.type, finalists.weighed),
                        excess = chain.estimate - std::min(chain.estimate, cost),
                        shared = excess * much_part >= chain.estimate ? excess : excess / 2;
    const std::uint64_t likely = is_dictionary ? estimate - estimate / dictionary_part
                                               : estimate - estimate * (shared * 256 / chain.estimate) / 256;
    return cost <= likely;
  });
}

void Chains::begin_again() {
  first_counted_ = encoded_.size();
  min_estimate_ = 0;
}

// Speed that is demanded leads to trees of its own.
bool Chains::are_tried() const {
  return objective_.trials == 1 && !objective_.for_devices && !is_fast(objective_) &&
         objective_.decode_megabytes_per_second == 0;
}

}  // namespace floe::trees
