#include "plan/trials.hpp"

#include <algorithm>

#include "plan/search/dict_growth.hpp"
#include "plan/search/search_memo.hpp"

namespace floe::trees {
namespace {

/// Where samples deceive, trees that begin otherwise are tried, but no more than these: the first one if its
/// estimate is no higher than what the best tree costs, of a finalist this part of that; the next ones if
/// they cost less where samples make half as much too little of them as of the best one.
constexpr std::uint64_t others_part = 8;
constexpr std::size_t max_others = 3;
constexpr std::uint64_t max_excess = 16;  ///< Of what the best tree costs, in multiples of its estimate.
/// Beside lattices that cost what their sample promised, another tree is not tried if it would have to cost
/// less than this part of its estimate; one that begins with a dictionary may cost half.
constexpr std::uint64_t likely_quarters = 3, likely_quarters_of_dictionary = 2;
/// A child that costs no more than this part of the whole is searched for briefly, and keeps its tree unless
/// the one that is found makes fewer bytes of all its words.
constexpr std::uint64_t minor_part = 32;

/// Where the first tree costs more than its estimate by such a part, trees that samples made little of are
/// compared on so many times the windows, but for those that seem to cost more than the best one by another.
constexpr std::uint64_t misleading_part = 2;
constexpr std::uint32_t denser_windows = 4;

Objective with_denser_windows(Objective objective) {
  objective.windows *= denser_windows;
  return objective;
}

bool is_hopeless(const Choice& choice, std::uint64_t best_cost) {
  const bool is_dictionary = trees::is_dictionary(choice.nodes[0].encoding);
  return choice.cost / 4 * (is_dictionary ? likely_quarters_of_dictionary : likely_quarters) > best_cost;
}

/// The tree with a transform that more samples promise most of; null if they promise no less than a known
/// cost.
const Choice* judge_again(const ColumnView& stream, const Finalists& finalists,
                          std::span<const Choice* const> tried, std::uint64_t known_cost, Scratch& scratch) {
  const Objective judging = with_denser_windows(finalists.weighed);
  const std::uint64_t max_estimate = known_cost + known_cost / others_part;
  const Choice* best = nullptr;
  for (const std::vector<Choice>* const some : {&finalists.choices, &finalists.others}) {
    for (const Choice& choice : *some) {
      if (choice.nodes.size() == 1 || choice.cost > max_estimate ||
          std::ranges::find(tried, &choice) != tried.end())
        continue;
      const std::uint64_t cost = estimate_known_tree(stream, {choice.nodes}, judging, scratch);
      if (cost >= known_cost) continue;
      best = &choice;
      known_cost = cost;
    }
  }
  return best;
}

}  // namespace

std::uint64_t cost_of(const EncodedTree& tree, DType type, const Objective& weighed) {
  const TreeTime time = time_of(tree, type, weighed);
  return encoded_bytes(tree) * cost_of_byte + (weighed.encode_nanosecond * time.encode_picoseconds +
                                               weighed.decode_nanosecond * time.decode_picoseconds) /
                                                  1000;
}

EncodedTree encode_best(const ColumnView& stream, const Finalists& finalists, const Objective& objective,
                        ChildPlanner* child_planner, Scratch& scratch) {
  EncodedTree first = encode_tree(stream, {finalists.choices[0].nodes}, scratch, child_planner);
  return best_of(std::move(first), stream, finalists, objective, child_planner, scratch);
}

EncodedTree best_of(EncodedTree best, const ColumnView& stream, const Finalists& finalists,
                    const Objective& objective, ChildPlanner* child_planner, Scratch& scratch) {
  const std::vector<Choice>& choices = finalists.choices;
  const std::uint64_t cost = cost_of(best, stream.type, finalists.weighed);
  std::vector<const Choice*> tried_out{&choices[0]};
  const auto try_out = [&](const Choice& choice) {
    tried_out.push_back(&choice);
    EncodedTree tree = encode_tree(stream, {choice.nodes}, scratch, child_planner);
    if (is_preferred(tree, best, stream, objective)) best = std::move(tree);
  };
  const auto tries_beside =
      static_cast<std::size_t>(objective.trials > 1 || objective.rival || is_beside_others(choices[0])
                                   ? std::count_if(choices.begin(), choices.end(), is_beside_others)
                                   : 0);
  const auto trials =
      static_cast<std::ptrdiff_t>(std::min<std::size_t>(objective.trials + tries_beside, choices.size()));
  for (std::ptrdiff_t i = 1; i < trials; ++i) {
    const Choice& choice = choices[static_cast<std::size_t>(i)];
    if (objective.trials > 1 || deceives(choices[0].cost, cost) || !is_hopeless(choice, cost))
      try_out(choice);
  }
  if (tries_beside > 0)
    std::for_each(choices.begin() + trials, choices.end(), [&](const Choice& choice) {
      if (is_beside_others(choice)) try_out(choice);
    });
  if (!deceives(choices[0].cost, cost)) return best;
  std::vector<PlanNode> tried{choices[0].nodes[0]};
  // In 256ths of the estimate, which may be 0.
  const std::uint64_t excess =
      std::min(256 * max_excess, cost * 256 / std::max<std::uint64_t>(choices[0].cost, 1) - 256);
  const auto may_be_better = [&](const Choice& other, bool is_finalist) {
    const std::uint64_t known = cost_of(best, stream.type, finalists.weighed);
    return tried.size() > 1 ? other.cost + other.cost / 512 * excess <= known
           : is_finalist    ? other.cost <= known + known / others_part
                            : other.cost <= known;
  };
  const std::size_t max_count = is_fast(objective) ? 1 : max_others;
  const auto try_others = [&](std::span<const Choice> others, bool are_finalists) {
    for (const Choice& other : others) {
      if (tried.size() > max_count || !may_be_better(other, are_finalists)) return;
      if (std::find(tried.begin(), tried.end(), other.nodes[0]) != tried.end()) continue;
      tried.push_back(other.nodes[0]);
      try_out(other);
    }
  };
  try_others(std::span(choices).subspan(static_cast<std::size_t>(trials)), true);
  try_others(finalists.others, false);
  if (weighs_encoding(objective) && deceives(choices[0].cost, cost, misleading_part)) {
    const std::uint64_t known = cost_of(best, stream.type, finalists.weighed);
    if (const Choice* const other = judge_again(stream, finalists, tried_out, known, scratch))
      try_out(*other);
  }
  return best;
}

SampledChildPlanner::SampledChildPlanner(const Objective& objective, std::uint64_t whole_cost,
                                         Scratch& scratch, bool plans_all)
    : objective_(objective), whole_cost_(whole_cost), plans_all_(plans_all), scratch_(scratch) {
  objective_.decode_megabytes_per_second =
      0;                    // Speed is demanded of the whole tree; children follow the weight of time.
  objective_.strides = {};  // of the words, not of children that are much shorter
  objective_.tries_codecs = objective_.trials > 1;
  quick_ = quick_objective(objective_);
  quick_.tries_codecs = false;
  quick_.max_candidates = objective_.max_candidates;
}

Plan SampledChildPlanner::plan_for(const ColumnView& child, std::size_t depth, const Plan& known) {
  // Searches do not find matches: where a tree has some, somebody wants them.
  if (!known.nodes.empty() && known.nodes[0].encoding == EncodingId::match) return known;
  const bool is_brief = is_minor(child, known);
  SearchMemo* const memo = objective_.trials > 1 ? nullptr : scratch_.search_memo;
  const auto find = [&] {
    if (memo == nullptr) return search(child, depth, known, is_brief);
    const auto care = is_brief ? SearchMemo::Care::brief : SearchMemo::Care::full;
    if (const auto* const found = memo->find(child, care, known)) return found->tree;
    Plan plan = search(child, depth, known, is_brief);
    memo->keep({child, care, known, plan});
    return plan;
  };
  Plan found = find();
  return !is_brief && is_better(known, found, child) ? known : found;
}

/// Whether more samples promise less of a known tree than of one that was found. A leaf is hardly better.
bool SampledChildPlanner::is_better(const Plan& known, const Plan& found, const ColumnView& child) const {
  if (known.nodes.size() < 2 || known == found || objective_.trials > 1 || objective_.for_devices ||
      is_fast(objective_))
    return false;
  const Objective judging = with_denser_windows(objective_);
  const auto cost = [&](const Plan& plan) { return estimate_known_tree(child, plan, judging, scratch_); };
  return cost(known) < cost(found);
}

Plan SampledChildPlanner::search(const ColumnView& child, std::size_t depth, const Plan& known,
                                 bool is_brief) {
  Finalists finalists = find_finalists(child, is_brief ? quick_ : objective_, depth, scratch_);
  if (objective_.trials > 1) return encode_best(child, finalists, objective_, nullptr, scratch_).wanted;
  Plan found{std::move(finalists.choices[0].nodes)};
  if (!is_brief || found == known) return found;
  const auto bytes = [&](const Plan& plan) { return stored_bytes(encode_tree(child, plan, scratch_)); };
  return bytes(found) < bytes(known) ? found : known;
}

/// Whether a child costs so little that a short search is enough. A constant says nothing of what later
/// segments need.
bool SampledChildPlanner::is_minor(const ColumnView& child, const Plan& known) const {
  if (known.nodes.empty() || known.nodes[0].encoding == EncodingId::constant || objective_.trials > 1)
    return false;
  return estimate_known_tree(child, known, objective_, scratch_) * minor_part <= whole_cost_;
}

}  // namespace floe::trees
