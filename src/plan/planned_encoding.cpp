#include "plan/planned_encoding.hpp"

#include <algorithm>

#include "encodings/encoding_memo.hpp"
#include "plan/difference_matches.hpp"
#include "plan/matches.hpp"
#include "plan/neighbour_predictions.hpp"
#include "plan/search/dict_growth.hpp"
#include "plan/search/facts.hpp"
#include "plan/search/finalists.hpp"
#include "plan/search/predictions.hpp"
#include "plan/tree_time.hpp"

namespace floe::trees {
namespace {

/// Weights of a nanosecond of decoding that are tried, each twice the one before, where a tree is slower than
/// is demanded. With the last one, bits hardly count.
constexpr std::uint32_t min_weight = 32, max_weight = 1 << 20;

/// A tree that costs more than its estimate by more than this part of it was chosen by a sample that
/// deceives: the best one that begins otherwise is tried if its estimate is no higher than that, or a little.
constexpr std::uint64_t deceived_part = 8, others_part = 8;
constexpr bool deceives(std::uint64_t estimate, std::uint64_t cost) {
  return cost > estimate + estimate / deceived_part;
}
/// Then so many times the windows show more: those of an image may all have missed what is in its middle.
constexpr std::uint32_t denser_windows = 4;
constexpr bool samples_again(const Objective& objective) { return objective.rival && !objective.for_devices; }
/// A child that costs no more than this part of the whole is searched for briefly, and keeps its tree unless
/// the one that is found makes fewer bytes of all its words.
constexpr std::uint64_t minor_part = 32;

std::uint64_t cost_of(const EncodedTree& tree, DType type, const Objective& weighed) {
  const TreeTime time = time_of(tree, type, weighed);
  return encoded_bytes(tree) * cost_of_byte + (weighed.encode_nanosecond * time.encode_picoseconds +
                                               weighed.decode_nanosecond * time.decode_picoseconds) /
                                                  1000;
}

/// Encodes a stream with as many of the trees as the objective has trials, or more if samples deceive, and
/// keeps the best result.
EncodedTree encode_best(const ColumnView& stream, const Finalists& finalists, const Objective& objective,
                        ChildPlanner* child_planner, Scratch& scratch) {
  const std::vector<Choice>& choices = finalists.choices;
  EncodedTree best = encode_tree(stream, {choices[0].nodes}, scratch, child_planner);
  const std::uint64_t cost = cost_of(best, stream.type, finalists.weighed);
  const auto try_out = [&](const Choice& choice) {
    EncodedTree tree = encode_tree(stream, {choice.nodes}, scratch, child_planner);
    if (is_preferred(tree, best, stream, objective)) best = std::move(tree);
  };
  // Lattices are tried beside the others.
  const auto lattices = std::find_if(choices.begin(), choices.end(), is_on_lattices);
  const bool tries_lattices =
      lattices != choices.end() && (objective.trials > 1 || objective.rival || lattices == choices.begin());
  const auto trials = static_cast<std::ptrdiff_t>(
      std::min<std::size_t>(objective.trials + (tries_lattices ? 1 : 0), choices.size()));
  for (std::ptrdiff_t i = 1; i < trials; ++i) try_out(choices[static_cast<std::size_t>(i)]);
  if (tries_lattices && lattices - choices.begin() >= trials) try_out(*lattices);
  if (!deceives(choices[0].cost, cost)) return best;
  const auto begins_otherwise = [&](const Choice& choice) { return choice.nodes[0] != choices[0].nodes[0]; };
  const auto other = std::find_if(choices.begin() + trials, choices.end(), begins_otherwise);
  if (other != choices.end() && other->cost <= cost + cost / others_part) try_out(*other);
  return best;
}

/// Of a short segment, the plan may take more bytes than the tree saves.
bool is_worth_its_plan(const EncodedTree& tree, const ColumnView& segment, const Plan& raw) {
  return written_bytes(tree.plan) + tree.body.size() <= written_bytes(raw) + segment.bytes();
}

class SampledChildPlanner final : public ChildPlanner {
 public:
  /// `whole_cost`: about what the stream above all costs.
  SampledChildPlanner(const Objective& objective, std::uint64_t whole_cost, Scratch& scratch)
      : objective_(objective), whole_cost_(whole_cost), scratch_(scratch) {
    objective_.decode_megabytes_per_second =
        0;                    // Speed is demanded of the whole tree; children follow the weight of time.
    objective_.strides = {};  // of the words, not of children that are much shorter
    objective_.tries_codecs = objective_.trials > 1;
    quick_ = quick_objective(objective_);
    quick_.tries_codecs = false;
    quick_.max_candidates = objective_.max_candidates;
  }
  Plan plan_for(const ColumnView& child, std::size_t depth, const Plan& known) override {
    const bool is_brief = is_minor(child, known);
    Finalists finalists = find_finalists(child, is_brief ? quick_ : objective_, depth, scratch_);
    if (objective_.trials > 1) return encode_best(child, finalists, objective_, nullptr, scratch_).wanted;
    Plan found{std::move(finalists.choices[0].nodes)};
    if (!is_brief || found == known) return found;
    const auto bytes = [&](const Plan& plan) { return encoded_bytes(encode_tree(child, plan, scratch_)); };
    return bytes(found) < bytes(known) ? found : known;
  }

 private:
  /// Whether a child costs so little that a short search is enough. A constant says nothing of what later
  /// segments need.
  [[nodiscard]] bool is_minor(const ColumnView& child, const Plan& known) const {
    if (known.nodes.empty() || known.nodes[0].encoding == EncodingId::constant || objective_.trials > 1)
      return false;
    return estimate_known_tree(child, known, objective_, scratch_) * minor_part <= whole_cost_;
  }

  Objective objective_, quick_;  ///< The latter for minor children.
  std::uint64_t whole_cost_;
  Scratch& scratch_;
};

/// Trees of which one stream is nearly all are tried first if they promise to cost no more than the best tree
/// and this part of it: they take little time, and once they are encoded, what they cost is certain.
constexpr std::uint64_t chain_part = 4;
/// How often samples show words of a dictionary is a guess, which may be wrong by this factor.
constexpr std::uint64_t dictionary_error = 2;

bool is_chain(const Plan& plan) {
  return std::all_of(plan.nodes.begin(), plan.nodes.end(), [](const PlanNode& node) {
    return is_in_chains(node.encoding) || encoding_of(node.encoding).children_of(node.parameters) == 0;
  });
}

/// The chains that encoded a segment.
class Chains {
 public:
  Chains(const ColumnView& segment, const Objective& objective, Scratch& scratch)
      : segment_(segment), objective_(objective), scratch_(scratch) {}

  /// The best one by these weights, if it is likely to pay and was not tried before.
  std::optional<EncodedTree> encode_best(const Objective& by, const Finalists& finalists) {
    const std::uint64_t estimate = finalists.choices[0].cost;
    if (!are_tried() || is_chain({finalists.choices[0].nodes})) return {};
    const Choice best = find_finalists(segment_, {}, chains_of(by), max_plan_depth, scratch_).choices[0];
    if (best.cost > estimate + estimate / chain_part) return {};
    const auto is_same = [&](const Encoded& chain) { return chain.tree.wanted.nodes == best.nodes; };
    if (std::any_of(encoded_.begin(), encoded_.end(), is_same)) return {};
    SampledChildPlanner child_planner(by, best.cost, scratch_);
    EncodedTree tree = encode_tree(segment_, {best.nodes}, scratch_, &child_planner);
    encoded_.push_back({{tree.plan, {best.nodes}, tree.sizes, {}}, best.cost});
    return tree;
  }
  /// Whether one of them costs less than the best tree is likely to: half of what samples made too much of
  /// the chain, they probably make too much of the tree, too.
  [[nodiscard]] bool are_better_than(const Finalists& finalists) const {
    const std::uint64_t estimate = finalists.choices[0].cost;
    const bool is_dictionary = trees::is_dictionary(finalists.choices[0].nodes[0].encoding);
    return std::any_of(encoded_.begin(), encoded_.end(), [&](const Encoded& chain) {
      const std::uint64_t cost = cost_of(chain.tree, segment_.type, finalists.weighed),
                          excess = chain.estimate - std::min(chain.estimate, cost);
      const std::uint64_t likely = is_dictionary
                                       ? estimate / dictionary_error
                                       : estimate - estimate / 2 * (excess * 256 / chain.estimate) / 256;
      return cost <= likely;
    });
  }

 private:
  /// Speed that is demanded leads to trees of its own.
  [[nodiscard]] bool are_tried() const {
    return objective_.trials == 1 && !objective_.for_devices && objective_.search_depth > 3 &&
           objective_.decode_megabytes_per_second == 0;
  }

  const ColumnView& segment_;
  const Objective& objective_;
  Scratch& scratch_;
  struct Encoded {
    EncodedTree tree;  ///< Without its bytes.
    std::uint64_t estimate;
  };
  std::vector<Encoded> encoded_;
};

/// Where a remembered tree has a leaf for equal words, and they are not equal, or another node that does not
/// take them: what some hundred words suggest. Without it, a kind whose phase shifts from segment to segment
/// would look like one that has ended.
class MisfitPlanner final : public ChildPlanner {
 public:
  Plan plan_for(const ColumnView& child, std::size_t depth, const Plan&) override {
    const PlanNode leaf = plain_leaf(child.type);
    if (!is_integer(child.type) || depth < 2) return {{leaf}};
    const StreamFacts facts = find_coarse_facts(child);
    if (facts.runs * 3 <= facts.sampled) return {{{EncodingId::rle, {}}, {EncodingId::bitpack, {}}, leaf}};
    if (facts.difference_bits[1] + facts.sampled / 4 < facts.offset_bits)
      return {{{EncodingId::delta, {1, 1}}, leaf}};
    return {{leaf}};
  }
  [[nodiscard]] bool plans_short_children() const override { return false; }
};

}  // namespace

EncodedTree encode_remembered(const ColumnView& segment, const Plan& plan, Scratch& scratch) {
  MisfitPlanner misfit_planner;
  return encode_tree(segment, plan, scratch, &misfit_planner);
}

EncodedTree encode_searched(const ColumnView& segment, const Objective& objective, Scratch& scratch,
                            bool leaves_codecs) {
  std::optional<EncodingMemo> memo;  // where several trees are likely to begin alike
  if (objective.rival || objective.trials > 1 || !objective.strides.get().empty())
    memo.emplace(segment, scratch);
  const std::vector<Choice> codecs = estimate_codecs(segment, objective);
  std::vector<Plan> encoded;
  Chains chains(segment, objective, scratch);
  bool was_deceived = false;
  const auto search = [&](const Objective& by) -> std::optional<EncodedTree> {
    const Finalists finalists = find_finalists(segment, codecs, by, max_plan_depth, scratch);
    const Plan best{finalists.choices[0].nodes};
    if (leaves_codecs && !objective.rival && objective.decode_megabytes_per_second == 0 &&
        best.nodes[0].encoding == EncodingId::codec)
      return EncodedTree{best, best, {{segment.bytes(), 0}}, {}};
    if (objective.trials == 1 && std::find(encoded.begin(), encoded.end(), best) != encoded.end()) return {};
    std::optional<EncodedTree> chain = chains.encode_best(by, finalists);
    if (chains.are_better_than(finalists)) return chain;
    encoded.push_back(best);
    SampledChildPlanner child_planner(by, finalists.choices[0].cost, scratch);
    EncodedTree tree = encode_best(segment, finalists, objective, &child_planner, scratch);
    const auto cost = [&](const EncodedTree& of) { return cost_of(of, segment.type, finalists.weighed); };
    was_deceived = deceives(finalists.choices[0].cost, cost(tree));
    if (!chain) return std::optional(std::move(tree));
    const bool is_chain_better =
        objective.rival ? is_preferred(*chain, tree, segment, objective) : cost(*chain) < cost(tree);
    return is_chain_better ? std::move(*chain) : std::move(tree);
  };
  Objective thorough = objective;
  if (objective.rival && !objective.for_devices && promises_predictions(segment, scratch))
    thorough.predicts = true;
  EncodedTree tree = *search(thorough);
  const auto consider = [&](const Objective& by) {
    std::optional<EncodedTree> other = search(by);
    if (other && is_preferred(*other, tree, segment, objective)) tree = std::move(*other);
  };
  if (was_deceived && samples_again(objective)) {
    thorough.windows *= denser_windows;
    thorough.rival_windows *= denser_windows;
    consider(thorough);
  }
  Objective faster = objective;
  if (objective.rival) {
    // A search that weighs time, or sees less, finds simpler trees, some of which turn out shorter than what
    // samples promised of others.
    faster = objective_of(*objective.rival, objective.for_devices);
    faster.times = objective.times;
    faster.strides = objective.strides;
    faster.table_bits = objective.table_bits;
    consider(faster);
  }
  for (const Plan& plan : neighbour_predictions(segment, tree.wanted, objective)) {
    SampledChildPlanner child_planner(objective, encoded_bytes(tree) * cost_of_byte, scratch);
    EncodedTree other = encode_tree(segment, plan, scratch, &child_planner);
    if (is_preferred(other, tree, segment, objective)) tree = std::move(other);
  }
  for (const Plan& plan : match_plans(segment, tree, objective, scratch)) {
    // The first plan is that of a faster goal. Where it is no better, others hardly are.
    const bool is_fast = objective.rival && plan.nodes[0].parameters[0] == 0;
    SampledChildPlanner child_planner(is_fast ? faster : objective, encoded_bytes(tree) * cost_of_byte,
                                      scratch);
    EncodedTree matched = encode_tree(segment, plan, scratch, &child_planner);
    const auto cost = [&](const EncodedTree& of) { return cost_of(of, segment.type, patient(objective)); };
    if (weighs_time(objective) ? cost(matched) < cost(tree) : is_preferred(matched, tree, segment, objective))
      tree = std::move(matched);
    else if (objective.remembers)
      break;
  }
  for (const Plan& plan : difference_match_plans(segment, tree, objective, scratch)) {
    SampledChildPlanner child_planner(objective, encoded_bytes(tree) * cost_of_byte, scratch);
    EncodedTree matched = encode_tree(segment, plan, scratch, &child_planner);
    if (is_preferred(matched, tree, segment, objective)) tree = std::move(matched);
  }
  // The first tree that is fast enough is the smallest of those that any weight leads to, but for accidents.
  // More speed demanded can only lead to a later one.
  for (std::uint32_t weight = min_weight; weight <= max_weight && !keeps_speed(tree, segment, objective);
       weight *= 2) {
    if (weight <= objective.decode_nanosecond) continue;
    faster.decode_nanosecond = weight;
    consider(faster);
  }
  const Plan raw{{{EncodingId::raw, {}}}};
  return is_worth_its_plan(tree, segment, raw) ? std::move(tree) : encode_tree(segment, raw, scratch);
}

std::optional<EncodedTree> encode_if_promising(const ColumnView& segment, const Objective& objective,
                                               std::uint64_t known_bytes, Scratch& scratch) {
  if (objective.rival || objective.decode_megabytes_per_second > 0)
    return encode_searched(segment, objective, scratch);
  const Finalists finalists = find_finalists(segment, objective, max_plan_depth, scratch);
  if (finalists.choices[0].cost >= known_bytes * cost_of_byte) return std::nullopt;
  SampledChildPlanner child_planner(objective, finalists.choices[0].cost, scratch);
  return encode_best(segment, finalists, objective, &child_planner, scratch);
}

bool fits_everywhere(const Plan& used, const Plan& wanted) {
  std::size_t at = 0;
  for (const PlanNode& taken : used.nodes) {
    if (at == wanted.nodes.size()) return false;
    const PlanNode& node = wanted.nodes[at];
    const bool is_transform = encoding_of(node.encoding).children_of(node.parameters) > 0;
    if (taken == node) {
      ++at;
      continue;
    }
    if (taken.encoding != EncodingId::constant && (is_transform || node.encoding == EncodingId::constant))
      return false;
    at = next_sibling(wanted, at);
  }
  return true;
}

}  // namespace floe::trees
