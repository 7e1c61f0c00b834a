#include "plan/search/search.hpp"

#include <algorithm>

#include "encodings/encodings.hpp"
#include "encodings/entropy/section_choice.hpp"
#include "plan/search/candidates.hpp"
#include "plan/search/device_trees.hpp"
#include "plan/search/dict_growth.hpp"
#include "plan/search/entropy_estimate.hpp"
#include "plan/search/predictions.hpp"
#include "plan/search/search_memo.hpp"
#include "plan/tree_time.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {
namespace {

/// What encoding a sample costs, however short it is, in words.
constexpr std::uint64_t min_work = 128;
/// A stream that costs no more than this part of the whole keeps its leaf.
constexpr std::uint64_t negligible_part = 128;
/// A stream whose words do not occur so often gets no dictionary for that; nor if they are only estimated to
/// occur less often than another number.
constexpr std::uint64_t min_repetitions = 4, min_estimated_repetitions = 6;
/// Trees of a window that cost no more above its best one than this part are compared on others.
constexpr std::uint64_t rival_part = 8;
/// In budgeted searches, a stream of fewer words than this part of the whole takes as long as one of it, as
/// on devices.
constexpr std::uint64_t budgeted_min_timed_part = 32;

/// Whether a tree begins with what doubles were before they became wider, floats: these are hardly on
/// lattices of another step.
bool begins_with_floats(const PlanNode& root, DType type) {
  return root.encoding == EncodingId::narrow ||
         (type == DType::f64 && root == PlanNode{EncodingId::divide, {1, 29}});
}

class TreeSearch {
 public:
  /// `best_cost`: what the best tree costs that is known for the whole stream.
  TreeSearch(const Objective& objective, std::uint64_t whole_count, Scratch& scratch,
             std::uint64_t best_cost = 0, DistinctCount distinct = {})
      : objective_(objective),
        whole_count_(whole_count),
        min_timed_words_(objective.is_budgeted ? whole_count / budgeted_min_timed_part : 0),
        scratch_(scratch),
        best_cost_(best_cost),
        distinct_(if_they_repeat(distinct)) {}

  /// All choices at the root, best first.
  std::vector<Choice> all_choices(const Sample& sample, std::size_t depth_left, std::uint64_t known_cost,
                                  const std::function<DistinctCount()>& count) {
    std::uint64_t work_left = search_work(objective_, sample.whole(sample.words.count));
    std::vector<Choice> choices = first_choices(sample);
    best_cost_ = std::min(choices[0].cost, known_cost);
    StreamFacts facts;
    std::vector<PlanNode> candidates = root_candidates(choices, sample, depth_left, facts);
    if (count && !candidates.empty() && is_dictionary(candidates[0].encoding)) {
      distinct_ = if_they_repeat(count());
      candidates = root_candidates(choices, sample, depth_left, facts);
    }
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      Choice choice = with_share(work_left, candidates.size() - i, [&](std::uint64_t& share) {
        return try_at_root(candidates[i], sample, facts, depth_left, share);
      });
      if (choice.nodes.empty()) continue;
      best_cost_ = std::min(best_cost_, choice.cost);
      choices.push_back(std::move(choice));
    }
    if (narrow_) {
      if (Choice choice = try_beside_others(*narrow_, sample, facts, depth_left); !choice.nodes.empty())
        choices.push_back(std::move(choice));
    }
    const PlanNode best = std::ranges::min_element(choices, is_cheaper)->nodes[0];
    if (!weighs_encoding(objective_) || !begins_with_floats(best, sample.words.type)) {
      if (Choice choice = try_lattices(sample, facts, depth_left); !choice.nodes.empty())
        choices.push_back(std::move(choice));
    }
    put_cheapest_first(choices);
    return choices;
  }

  /// Trees without transforms, best first.
  std::vector<Choice> first_choices(const Sample& sample) {
    if (is_constant(sample.words))
      return {{{{EncodingId::constant, {}}}, cost_of_byte * size_of(sample.words.type)}};
    std::vector<Choice> choices = leaf_choices(sample);
    put_cheapest_first(choices);
    return choices;
  }

  /// Which transforms are worth a try, beside the first choices.
  std::vector<PlanNode> root_candidates(const std::vector<Choice>& first_choices, const Sample& sample,
                                        std::size_t depth_left, StreamFacts& facts) {
    const bool is_settled = first_choices[0].nodes[0].encoding == EncodingId::constant;
    if (is_settled || depth_left <= 1 || sample.words.count < min_words_for_transforms) return {};
    facts = find_facts(sample.words);
    std::vector<Prospect> prospects = transforms(sample.words, facts, {.distinct = distinct_});
    std::erase_if(prospects,
                  [&](const Prospect& of) { return !may_have_root(objective_, of.node.encoding); });
    std::erase_if(prospects, [&](const Prospect& of) {
      if (!may_be_beside_others(of.node)) return false;
      narrow_ = of.node;
      return true;
    });
    return promising(std::move(prospects), facts, first_choices[0], sample);
  }

  /// The best tree that begins with a transform; no nodes if it costs more than the best known one and a part
  /// of that. What is a little worse here may be better elsewhere in the stream.
  Choice try_at_root(const PlanNode& node, const Sample& sample, const StreamFacts& facts,
                     std::size_t depth_left, std::uint64_t& work_left) {
    const std::uint64_t limit = best_cost_ + best_cost_ / rival_part;
    if (is_hopeless(node, sample, facts, limit)) return {};
    return try_transform(node, sample, {.distinct = distinct_}, depth_left, limit, work_left);
  }

  /// The cost of a tree for the whole stream; where it reaches `limit`, that or more.
  std::uint64_t cost_of(const Plan& plan, const Sample& sample, std::uint64_t limit) {
    return cost_of(plan, 0, sample, distinct_, limit);
  }

 private:
  [[nodiscard]] DistinctCount if_they_repeat(DistinctCount distinct) const {
    return distinct.is_exact || distinct.words * min_estimated_repetitions <= whole_count_ ? distinct
                                                                                           : DistinctCount{};
  }

  /// With work of its own, which its children share.
  Choice try_beside_others(const PlanNode& node, const Sample& sample, const StreamFacts& facts,
                           std::size_t depth_left) {
    std::uint64_t work = 2 * search_work(objective_, sample.whole(sample.words.count));
    return try_at_root(node, sample, facts, depth_left, work);
  }

  /// Where floats are on no lattices, this changes nothing.
  Choice try_lattices(const Sample& sample, const StreamFacts& facts, std::size_t depth_left) {
    if (!trees::finds_lattices(objective_) || facts.sampled == 0 || depth_left <= 1) return {};
    const std::uint64_t known_bits =
        best_cost_ / cost_of_bit * sample.words.count / sample.whole(sample.words.count);
    const auto find = [&] {
      return find_lattices(sample.words, facts, objective_.strides, known_bits, scratch_);
    };
    SearchMemo* const memo = scratch_.search_memo;
    const auto node = memo == nullptr ? find() : memo->lattices(sample.words.type, whole_count_, find);
    return node ? try_beside_others(*node, sample, facts, depth_left) : Choice{};
  }

  /// The same of the sub-tree at `node`, whose words are so many different ones.
  std::uint64_t cost_of(const Plan& plan, std::size_t node, const Sample& sample, DistinctCount distinct,
                        std::uint64_t limit) {
    if (sample.words.count == 0) return 0;
    if (is_constant(sample.words)) return cost_of_byte * size_of(sample.words.type);
    const PlanNode& at = plan.nodes[node];
    const Encoding& encoding = encoding_of(at.encoding);
    const std::uint64_t time = time_cost_of(encoding, sample);
    if (encoding.children_of(at.parameters) == 0 && at.encoding != EncodingId::constant)
      return leaf_cost(at, sample) + time;
    std::vector<Stream> children;
    ByteWriter header;
    Encoded encoded{header, children, scratch_};
    if (!encoding.encode(sample.words, at.parameters, encoded))
      return leaf_cost(plain_leaf(sample.words.type), sample);
    std::uint64_t cost = time + (1 + header.size()) * cost_of_byte;
    std::size_t child_node = node + 1;
    const DictGrowth growth = growth_of(at, sample, children, distinct);
    if (growth.is_too_large) return leaf_cost(plain_leaf(sample.words.type), sample);
    cost += growth.code_cost + time_cost_of_entries(encoding, children, growth);
    for (unsigned child = 0; child < children.size() && cost < limit; ++child) {
      const Sample below = sample_below(sample, at, children, child, growth);
      const DistinctCount distinct_below =
          child == 0 && keeps_words(at.encoding) ? distinct : DistinctCount{};
      cost += cost_of(plan, child_node, below, distinct_below, limit - cost);
      child_node = next_sibling(plan, child_node);
    }
    return cost;
  }

  [[nodiscard]] static Sample sample_below(const Sample& sample, const PlanNode& node,
                                           std::span<const Stream> children, unsigned child,
                                           const DictGrowth& growth) {
    return {children[child].view(), child == 0 ? growth.entry_scale : sample.scale,
            sample.is_in_chain && continues_chain(node, children)};
  }

  [[nodiscard]] std::uint64_t time_cost_of(const Encoding& encoding, const Sample& sample) const {
    const bool is_leaf_on_device = objective_.for_devices && encoding.id == EncodingId::entropy;
    return time_cost(objective_,
                     is_leaf_on_device ? device_time_of_leaf(sample) : time_of(objective_, encoding),
                     std::max(sample.whole(sample.words.count), min_timed_words_));
  }

  /// The words of a dictionary are found and sorted.
  [[nodiscard]] std::uint64_t time_cost_of_entries(const Encoding& encoding,
                                                   const std::vector<Stream>& children,
                                                   const DictGrowth& growth) const {
    if (!is_dictionary(encoding.id)) return 0;
    const std::uint64_t entries = children[0].view().count * growth.entry_scale / 256;
    return time_cost(objective_, objective_.for_devices ? device_time_of_entry(entries) : time_of_entry,
                     entries);
  }

  /// Calls `search` with an equal share of the work that is left for `sharers` of them, and takes what it
  /// used off. So a search that ends early has seen something of every candidate.
  template <class Search>
  static Choice with_share(std::uint64_t& work_left, std::size_t sharers, const Search& search) {
    const std::uint64_t share = work_left / sharers;
    std::uint64_t share_left = share;
    Choice choice = search(share_left);
    work_left -= share - share_left;
    return choice;
  }

  /// A stream that an encoding made, and what is known of it before trees are tried.
  struct Child {
    Sample sample;
    Choice leaf;
    std::optional<StreamFacts> facts;  ///< If more than leaves are to be tried.
    std::uint64_t min_cost = 0;        ///< Hardly any tree costs less.
  };
  Child look_at(const Sample& sample, std::size_t depth_left) {
    Child child{sample, best_leaf(sample), std::nullopt, 0};
    child.min_cost = child.leaf.cost;
    const bool is_settled = child.leaf.nodes[0].encoding == EncodingId::constant ||
                            sample.words.count < min_words_for_transforms ||
                            child.leaf.cost * negligible_part <= best_cost_;
    if (depth_left <= 1 || is_settled) return child;
    child.facts = find_facts(sample.words);
    // Where several trees are tried on the whole stream, more of them are worth a look.
    child.min_cost =
        std::min(child.leaf.cost,
                 sample.whole(sample.words.count * optimistic_cost(*child.facts)) / objective_.trials);
    // The facts of floats say nothing of decimals. Without a budget, limits are wide enough for that.
    if (objective_.is_budgeted && is_float(sample.words.type)) child.min_cost = 0;
    return child;
  }

  [[nodiscard]] std::vector<Prospect> transforms(const ColumnView& sample, const StreamFacts& facts,
                                                 Position position) const {
    if (position.distinct.words * min_repetitions > whole_count_) position.distinct = {};
    position.distinct_part = position.distinct.words * 256 / whole_count_;
    std::vector<Prospect> prospects = candidate_transforms(sample, facts, position);
    if (objective_.remembers && !objective_.for_devices)
      prefer_rows(facts, position, objective_.strides.get(), prospects);
    if (narrows(objective_)) add_narrow(sample, weighs_encoding(objective_), prospects);
    if (objective_.predicts) add_predictions(sample, facts, position, prospects, scratch_);
    if (objective_.only_chains) keep_chains(sample.type, facts, position, prospects);
    std::erase_if(prospects, [](const Prospect& of) { return encoding_of(of.node.encoding).is_refused; });
    return prospects;
  }

  [[nodiscard]] std::vector<PlanNode> promising(std::vector<Prospect> prospects, const StreamFacts& facts,
                                                const Choice& known, const Sample& sample) const {
    if (objective_.is_budgeted) return fastest_first(prospects, objective_);
    const std::uint64_t words = sample.whole(sample.words.count);
    return short_list(std::move(prospects), known.cost / cost_of_bit * facts.sampled / words, facts.sampled,
                      objective_);
  }
  [[nodiscard]] bool is_hopeless(const PlanNode& node, const Sample& sample, const StreamFacts& facts,
                                 std::uint64_t limit) const {
    return objective_.is_budgeted && trees::is_hopeless(node, sample, facts, limit, objective_);
  }

  /// The best tree that begins with a leaf.
  Choice best_leaf(const Sample& sample) {
    if (sample.words.count == 0) return {{plain_leaf(sample.words.type)}, 0};
    if (is_constant(sample.words))
      return {{{EncodingId::constant, {}}}, cost_of_byte * size_of(sample.words.type)};
    std::vector<Choice> leaves = leaf_choices(sample);
    return std::move(*std::min_element(leaves.begin(), leaves.end(), is_cheaper));
  }

  /// The best tree, if there is one that costs less than `limit`; otherwise no nodes.
  Choice solve(Child& child, const Position& position, std::size_t depth_left, std::uint64_t limit,
               std::uint64_t& work_left) {
    Choice best{{}, limit};
    const Choice leaf = child.leaf;
    if (child.leaf.cost < limit) best = std::move(child.leaf);
    if (!child.facts || work_left < child.sample.words.count) return best;
    std::vector<PlanNode> candidates;
    if (!objective_.for_devices && is_curve(*child.facts, position)) {
      candidates = {{EncodingId::delta, {2, 1}}};
      work_left += child.sample.words.count;
    } else {
      candidates =
          promising(transforms(child.sample.words, *child.facts, position), *child.facts, leaf, child.sample);
    }
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      Choice choice = with_share(work_left, candidates.size() - i, [&](std::uint64_t& share) {
        return is_hopeless(candidates[i], child.sample, *child.facts, best.cost)
                   ? Choice{}
                   : try_transform(candidates[i], child.sample, position, depth_left, best.cost, share);
      });
      if (!choice.nodes.empty() && choice.cost < best.cost) best = std::move(choice);
    }
    return best;
  }

  std::vector<Choice> leaf_choices(const Sample& sample) {
    std::vector<Choice> choices;
    for (const PlanNode& leaf : candidate_leaves(sample.words.type)) {
      const std::uint64_t time = time_cost_of(encoding_of(leaf.encoding), sample);
      choices.push_back({{leaf}, leaf_cost(leaf, sample) + time});
    }
    return choices;
  }

  std::uint64_t leaf_cost(const PlanNode& leaf, const Sample& sample) {
    if (leaf.encoding == EncodingId::raw) return sample.whole(sample.words.bytes() * cost_of_byte);
    if (leaf.encoding == EncodingId::bitpack) return sample.whole(bitpack_bytes(sample.words) * cost_of_byte);
    if (leaf.encoding == EncodingId::entropy || leaf.encoding == EncodingId::multi_entropy) {
      const EntropyCost cost = estimate_entropy_cost(sample.words);
      const std::uint64_t coded = sample.whole(cost.coded);
      return coded + cost.table +
             entropy_overhead_bits(sample.whole(sample.words.count), coded / cost_of_bit) * cost_of_bit;
    }
    std::vector<Stream> no_children;
    ByteWriter bytes;
    Encoded encoded{bytes, no_children, scratch_};
    encoding_of(leaf.encoding).encode(sample.words, leaf.parameters, encoded);
    return sample.whole(bytes.size() * cost_of_byte);
  }

  /// Encodes the sample, and finds trees for the children. No nodes if the costs reach `limit`.
  Choice try_transform(const PlanNode& node, const Sample& sample, const Position& position,
                       std::size_t depth_left, std::uint64_t limit, std::uint64_t& work_left) {
    const Encoding& encoding = encoding_of(node.encoding);
    std::vector<Stream> children;
    ByteWriter header;
    Encoded encoded{header, children, scratch_};
    Choice choice{{node}, time_cost_of(encoding, sample)};
    if (choice.cost >= limit || !encoding.encode(sample.words, node.parameters, encoded)) return {};
    const DictGrowth growth = growth_of(node, sample, children, position.distinct);
    if (growth.is_too_large) {
      // The codes of `unique` reach further. Where those of dict suffice, it is as short, and faster.
      const bool is_first_dict = node.encoding == EncodingId::dict && node.parameters[0] == 2;
      if (!is_first_dict || (objective_.for_devices && !has_device_form(EncodingId::unique))) return {};
      return try_transform({EncodingId::unique, {}}, sample, position, depth_left, limit, work_left);
    }
    choice.cost += (1 + header.size()) * cost_of_byte + growth.code_cost +
                   time_cost_of_entries(encoding, children, growth);
    work_left -= std::min(work_left, std::max(sample.words.count, min_work));
    std::vector<Child> looked_at;
    std::uint64_t still_to_come = 0;
    for (unsigned child = 0; child < children.size(); ++child) {
      if (choice.cost + still_to_come >= limit) return {};
      looked_at.push_back(look_at(sample_below(sample, node, children, child, growth), depth_left - 1));
      // What divides the integers of a lattice that is too fine is not among their facts.
      if (node.encoding == EncodingId::affine && child == 0) looked_at.back().min_cost = 0;
      still_to_come += looked_at.back().min_cost;
    }
    for (unsigned child = 0; child < children.size(); ++child) {
      const Position below{node.encoding, child, position.below_dict || is_dictionary(node.encoding),
                           child == 0 && keeps_words(node.encoding) ? position.distinct : DistinctCount{},
                           node.encoding == EncodingId::delta ? node.parameters[0] : 0};
      still_to_come -= looked_at[child].min_cost;
      if (choice.cost + still_to_come >= limit) return {};
      // Leaves that are settled need no share.
      const auto sharers = static_cast<std::size_t>(std::count_if(
          looked_at.begin() + child, looked_at.end(), [](const Child& at) { return at.facts.has_value(); }));
      Choice sub = with_share(work_left, std::max<std::size_t>(sharers, 1), [&](std::uint64_t& share) {
        return solve(looked_at[child], below, depth_left - 1, limit - choice.cost - still_to_come, share);
      });
      if (sub.nodes.empty()) return {};
      choice.cost += sub.cost;
      choice.nodes.insert(choice.nodes.end(), sub.nodes.begin(), sub.nodes.end());
    }
    if (choice.nodes.size() > max_nodes(objective_)) return {};
    return choice;
  }

  const Objective& objective_;
  const std::uint64_t whole_count_;
  const std::uint64_t min_timed_words_;
  Scratch& scratch_;
  std::uint64_t best_cost_ = 0;     ///< Of the whole stream.
  DistinctCount distinct_;          ///< Words of the whole stream, if they repeat.
  std::optional<PlanNode> narrow_;  ///< Rounded floats of the whole stream, if there are any.
};

Sample root_sample(const ColumnView& sample, std::uint64_t whole_count) {
  return {sample, scale_of(sample, whole_count)};
}

}  // namespace

std::uint64_t estimate_tree(const std::vector<PlanNode>& nodes, const ColumnView& sample,
                            std::uint64_t whole_count, const Objective& objective, Scratch& scratch,
                            std::uint64_t limit, DistinctCount distinct) {
  return TreeSearch(objective, whole_count, scratch, 0, distinct)
      .cost_of(Plan{nodes}, root_sample(sample, whole_count), limit);
}

std::uint64_t estimate_tree(const std::vector<PlanNode>& nodes, const Sample& sample,
                            std::uint64_t whole_count, const Objective& objective, Scratch& scratch,
                            std::uint64_t limit) {
  return TreeSearch(objective, whole_count, scratch).cost_of(Plan{nodes}, sample, limit);
}

void StagedSearch::begin(Scratch& scratch) {
  const Sample sample = root_sample(sample_, whole_count_);
  TreeSearch leaves(*objective_, whole_count_, scratch);
  choices_ = leaves.first_choices(sample);
  best_ = choices_[0].cost;
  candidates_ = leaves.root_candidates(choices_, sample, depth_left_, facts_);
  if (candidates_.empty()) return;
  std::uint64_t work = search_work(*objective_, whole_count_) / candidates_.size();
  Choice first = TreeSearch(*objective_, whole_count_, scratch, best_)
                     .try_at_root(candidates_[0], sample, facts_, depth_left_, work);
  if (first.nodes.empty()) return;
  best_ = std::min(best_, first.cost);
  choices_.push_back(std::move(first));
}

Choice StagedSearch::try_next(std::size_t index, Scratch& scratch) const {
  std::uint64_t work = search_work(*objective_, whole_count_) / candidates_.size();
  return TreeSearch(*objective_, whole_count_, scratch, best_)
      .try_at_root(candidates_[index + 1], root_sample(sample_, whole_count_), facts_, depth_left_, work);
}

std::vector<Choice> StagedSearch::end(std::span<Choice> found) {
  for (Choice& choice : found) {
    if (!choice.nodes.empty()) choices_.push_back(std::move(choice));
  }
  put_cheapest_first(choices_);
  return std::move(choices_);
}

void put_cheapest_first(std::vector<Choice>& choices) {
  std::stable_sort(choices.begin(), choices.end(), is_cheaper);
}

std::vector<Choice> search_trees(const ColumnView& sample, std::uint64_t whole_count,
                                 const Objective& objective, std::size_t depth_left, Scratch& scratch,
                                 DistinctCount distinct, std::uint64_t known_cost,
                                 const std::function<DistinctCount()>& count) {
  return TreeSearch(objective, whole_count, scratch, 0, distinct)
      .all_choices(root_sample(sample, whole_count), depth_left, known_cost, count);
}

}  // namespace floe::trees
