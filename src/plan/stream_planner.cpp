#include "plan/stream_planner.hpp"

#include <algorithm>

#include "encodings/encoding_memo.hpp"
#include "plan/lists/word_lists.hpp"
#include "plan/matches/matches.hpp"
#include "plan/planned_encoding.hpp"
#include "plan/search/dict_growth.hpp"
#include "plan/search/windows.hpp"
#include "plan/segment/segment_search.hpp"
#include "plan/tree_time.hpp"
#include "plan/trials.hpp"

namespace floe::trees {
namespace {

constexpr std::uint64_t max_patience = 64;
/// Parts to either side whose trees are tried, and how many different ones where sizes are all that counts.
constexpr std::size_t max_neighbours = 24, max_trees = 10, max_word_lists = 3;
/// Where time counts, trees are tried of parts that take less for their words, by such a part.
constexpr std::uint64_t shorter_part = 32;
/// Else one is tried on such a part of the words first, of which it must save one of these parts: more of
/// words of 64 bits, and of those that shall be encoded fast.
constexpr std::uint64_t tried_part = 32, min_tried_words = 2048, saved_part = 64, fast_saved_part = 16;
/// A dictionary of few words is as long as one of many. Where sizes count most, more words are tried with it.
constexpr std::uint64_t dictionary_part = 4;
/// Where words of 64 bits shall be encoded fast, kinds no farther from each other share a tree that begins
/// with a dictionary: to search for one takes as long as to encode three parts with it.
constexpr std::uint32_t similar_kind_distance = 2 * PlanCache::same_kind_distance;
/// A kind no farther away may share its tree, too, if this makes as many bits of some words, but for such a
/// part, and saves less than such a part of their bits: no tree is likely to save much more.
constexpr std::uint32_t tried_kind_distance = 4 * PlanCache::same_kind_distance;
constexpr std::uint64_t other_bits_part = 32, little_saved_part = 4;
/// Where few bytes count more, a search tries the trees of so many kinds first.
constexpr std::size_t max_similar = 3;
/// Where time counts, a fourth of these are tried, and as many words of the first half if they save enough:
/// both must save this part.
constexpr std::uint64_t saved_part_of_both = 32;

std::uint64_t bits_per_kiloword(const EncodedTree& tree, const PartJob& part) {
  return trees::bits_per_kiloword(encoded_bytes(tree), part.words.count);
}

/// Codecs have streams of their own, and matches take as long to find as all else does.
bool is_quick(const Plan& plan) {
  return std::none_of(plan.nodes.begin(), plan.nodes.end(), [](const PlanNode& node) {
    return node.encoding == EncodingId::codec || node.encoding == EncodingId::match;
  });
}

/// Up to `max_count` different trees of the nearest parts, but for its own.
std::vector<const Plan*> plans_of_neighbours(std::span<PartJob* const> parts, std::size_t index,
                                             std::size_t max_count, std::uint64_t max_bits_per_kiloword,
                                             StreamPlanner::Trees trees) {
  std::vector<const Plan*> plans;
  const Plan& own = parts[index]->tree.wanted;
  const auto add = [&](std::size_t i) {
    if (i >= parts.size() || plans.size() == max_count) return;
    const Plan& plan = parts[i]->tree.wanted;
    const auto is_same = [&](const Plan* other) { return *other == plan; };
    const bool is_asked_for =
        trees == StreamPlanner::Trees::of_searches ? is_quick(plan) : is_word_list(plan);
    if (plan == own || !is_asked_for || std::any_of(plans.begin(), plans.end(), is_same)) return;
    if (bits_per_kiloword(parts[i]->tree, *parts[i]) > max_bits_per_kiloword) return;
    plans.push_back(&plan);
  };
  for (std::size_t distance = 1; distance <= max_neighbours; ++distance) {
    add(index - distance);  // wraps around before the first one
    add(index + distance);
  }
  return plans;
}

/// What a neighbour's tree must save, as a part of what a part takes.
std::uint64_t part_to_save(const PartJob& part, const Objective& objective) {
  return is_fast(objective) || size_of(part.words.type) == 8 ? fast_saved_part : saved_part;
}

/// Whether a tree cannot save that, because it differs from a part's tree only in nodes that take less.
bool differs_in_little(const Plan& plan, const EncodedTree& own, std::uint64_t part_to_save) {
  std::uint64_t bytes = 0;
  for (std::size_t node = 0, other = 0; node < own.plan.nodes.size();) {
    if (own.plan.nodes[node] == plan.nodes[other]) {
      ++node;
      ++other;
      continue;
    }
    bytes += own.sizes[node].encoded_bytes;  // with those below
    node = next_sibling(own.plan, node);
    other = next_sibling(plan, other);
  }
  return bytes * part_to_save <= encoded_bytes(own);
}

/// What a part's tree and another one cost for some of its words.
struct Costs {
  std::uint64_t own, other;
  [[nodiscard]] bool promise_less(std::uint64_t part_to_save) const {
    return other + own / part_to_save < own;
  }
};

/// Of words of 64 bits that shall be encoded fast, time counts, too.
Costs costs_of_words(const ColumnView& words, const Plan& own, const Plan& other, const Objective& objective,
                     Scratch& scratch) {
  const bool counts_time = is_fast(objective) && size_of(words.type) == 8;
  const EncodingMemo memo(words, scratch);  // both trees may begin alike
  const auto cost_with = [&](const Plan& plan) {
    const EncodedTree tree = encode_remembered(words, plan, scratch);
    return counts_time ? cost_of(tree, words.type, objective) : encoded_bytes(tree);
  };
  return {cost_with(own), cost_with(other)};
}

/// Whether a tree makes clearly less of some words in the middle of a part than the part's own tree, and of
/// others where time counts.
bool promises_less(const Plan& plan, const PartJob& part, const Objective& objective, Scratch& scratch) {
  const bool has_dictionary = is_dictionary(plan.nodes[0].encoding) && objective.rival;
  const bool tries_both = !objective.rival && !is_fast(objective);
  const std::uint64_t tried = has_dictionary ? dictionary_part
                              : tries_both   ? 4 * tried_part
                                             : tried_part,
                      words = std::max(part.words.count / tried, min_tried_words);
  const auto costs_in = [&](const ColumnView& of) {
    return costs_of_words(middle_of(of, words), part.tree.wanted, plan, objective, scratch);
  };
  const Costs middle = costs_in(part.words);
  if (!middle.promise_less(part_to_save(part, objective))) return false;
  if (!tries_both || part.words.count < 4 * words) return true;
  const Costs before = costs_in({part.words.type, part.words.values, part.words.count / 2});
  return Costs{middle.own + before.own, middle.other + before.other}.promise_less(saved_part_of_both);
}

/// Whether the tree of a kind that hardly saves anything makes as many bits of words of another kind.
bool takes_as_many_bits(const ColumnView& words, const CachedPlan& kind, Scratch& scratch) {
  const std::uint64_t word_bits = 1024 * 8 * size_of(words.type), expected = kind.bits_per_kiloword;
  if (!is_quick(kind.plan) || expected < word_bits - word_bits / little_saved_part) return false;
  const ColumnView some = middle_of(words, std::max(words.count / tried_part, min_tried_words));
  const std::uint64_t bits =
      trees::bits_per_kiloword(encoded_bytes(encode_remembered(some, kind.plan, scratch)), some.count);
  return std::max(bits, expected) - std::min(bits, expected) <= expected / other_bits_part;
}

}  // namespace

void StreamPlanner::assign(PartJob& part) {
  part.number = ++part_count_;
  part.kind = objective_.remembers ? plans_.nearest(part.fingerprint) : nullptr;
  if (part.kind == nullptr) {
    part.action = PartJob::Action::search;
    if (weighs_encoding(objective_) || tries_similar_trees(objective_))
      part.similar_kind = plans_.nearest(part.fingerprint, nullptr, tried_kind_distance);
    if (part.similar_kind != nullptr) part.action = PartJob::Action::defer;
    part.kind = &plans_.add();
    part.kind->fingerprint = part.fingerprint;
    part.kind->is_pending = true;
    part.kind->searched = part.number;
  } else {
    part.action = part.kind->is_pending ? PartJob::Action::wait : PartJob::Action::encode;
  }
  part.kind->last_used = part.number;
}

void StreamPlanner::search(PartJob& part, Scratch& scratch, bool is_whole) const {
  part.tree =
      encode_searched(part.words, objective_, scratch, is_whole, &part.codec_bytes, part.similar_trees);
}

void StreamPlanner::note_search(PartJob& part) {
  part.kind->plan = part.tree.wanted;
  part.kind->bits_per_kiloword = bits_per_kiloword(part.tree, part);
  if (part.codec_bytes)
    part.kind->codec_bits_per_kiloword = trees::bits_per_kiloword(*part.codec_bytes, part.words.count);
  part.kind->keeps_speed = keeps_speed(part.tree, part.words, objective_);
  part.kind->is_pending = false;
  ++search_count_;
}

void StreamPlanner::decide(PartJob& part, Scratch& scratch) {
  part.action = PartJob::Action::search;
  if (tries_similar_trees(objective_)) {
    for (const CachedPlan* kind :
         plans_.neighbours(part.fingerprint, part.kind, max_similar, plans_.size())) {
      std::vector<Plan>& trees = part.similar_trees;
      if (!kind->is_pending && is_quick(kind->plan) && std::ranges::find(trees, kind->plan) == trees.end())
        trees.push_back(kind->plan);
    }
    return;
  }
  const CachedPlan& similar = *part.similar_kind;
  if (similar.is_pending) return;
  const bool has_dictionary = objective_.has_wide_words && is_dictionary(similar.plan.nodes[0].encoding) &&
                              distance(similar.fingerprint, part.fingerprint) <= similar_kind_distance;
  if (!has_dictionary && !takes_as_many_bits(part.words, similar, scratch)) return;
  part.action = PartJob::Action::encode;
  part.kind->plan = similar.plan;
  part.kind->bits_per_kiloword = similar.bits_per_kiloword;
  part.kind->codec_bits_per_kiloword = similar.codec_bits_per_kiloword;
  part.kind->keeps_speed = similar.keeps_speed;
  part.kind->is_pending = false;
}

void StreamPlanner::note_deferred(PartJob& part) {
  if (part.action == PartJob::Action::search) return note_search(part);
  part.kind->bits_per_kiloword = bits_per_kiloword(part.tree, part);
}

void StreamPlanner::encode(PartJob& part, Scratch& scratch) const {
  part.tree = encode_remembered(part.words, plan_of(part), scratch);
}

std::optional<EncodedTree> StreamPlanner::better_of_neighbours(std::span<PartJob* const> parts,
                                                               std::size_t index, Trees trees,
                                                               Scratch& scratch) const {
  std::optional<EncodedTree> better, measured;
  const PartJob& part = *parts[index];
  const auto cost = [&](const EncodedTree& tree) { return cost_of(tree, part.words.type, objective_); };
  // An accelerator does not say how many words each node of a tree had, by which time is estimated.
  const auto own = [&]() -> const EncodedTree& {
    if (!part.tree.sizes.empty()) return part.tree;
    if (!measured) measured = encode_remembered(part.words, part.tree.wanted, scratch);
    return *measured;
  };
  const auto is_better = [&](const EncodedTree& tree) {
    return is_preferred(tree, better ? *better : part.tree, part.words, objective_) &&
           (!weighs_time(objective_) || cost(tree) < (better ? cost(*better) : cost(own())));
  };
  const std::size_t max_count = objective_.remembers         ? 1
                                : trees == Trees::word_lists ? max_word_lists
                                                             : max_trees;
  const bool takes_any = !objective_.remembers || is_fast(objective_);
  const std::uint64_t bits = bits_per_kiloword(part.tree, part),
                      max_bits = takes_any ? ~std::uint64_t{0} : bits - bits / shorter_part;
  for (const Plan* const plan : plans_of_neighbours(parts, index, max_count, max_bits, trees)) {
    if (objective_.remembers && (differs_in_little(*plan, own(), part_to_save(part, objective_)) ||
                                 !promises_less(*plan, part, objective_, scratch)))
      continue;
    EncodedTree tree = encode_remembered(part.words, *plan, scratch);
    if (is_better(tree)) better = std::move(tree);
  }
  return better;
}

void StreamPlanner::judge(PartJob& part) {
  part.verdict = PartJob::Verdict::good;
  if (part.action == PartJob::Action::search) {
    is_surprised_ = true;
    return;
  }
  CachedPlan& kind = *part.kind;
  // Whoever encoded it: an accelerator does not call encode().
  if (kind.codec_bits_per_kiloword != 0)
    part.codec_bytes = bytes_of_kilowords(kind.codec_bits_per_kiloword, part.words.count);
  part.drift_before = kind.drift;
  if (kind.keeps_speed && !keeps_speed(part.tree, part.words, objective_)) {
    part.verdict = PartJob::Verdict::slow;
  } else if (is_drifting(kind, bits_per_kiloword(part.tree, part), part.number)) {
    part.verdict = PartJob::Verdict::drifting;
  }
  if (part.verdict == PartJob::Verdict::good) return;
  is_surprised_ = true;
  if (kind.reconsidered != nullptr) {  // once in a group
    part.verdict = PartJob::Verdict::following;
    part.leader = kind.reconsidered;
  } else {
    kind.reconsidered = &part;
  }
}

void StreamPlanner::reconsider(PartJob& part, Scratch& scratch) {
  if (part.verdict == PartJob::Verdict::drifting) {
    if (CachedPlan* const like = plans_.nearest(part.fingerprint, part.kind);
        like != nullptr && !like->plan.nodes.empty()) {
      EncodedTree by_other = encode_remembered(part.words, like->plan, scratch);
      if (is_preferred(by_other, part.tree, part.words, objective_) &&
          !is_sudden(*like, bits_per_kiloword(by_other, part))) {
        part.other = std::move(by_other);
        return;
      }
    }
  }
  part.searched = encode_if_promising(part.words, objective_, encoded_bytes(part.tree), scratch);
}

void StreamPlanner::settle(PartJob& part) {
  CachedPlan& kind = *part.kind;
  kind.reconsidered = nullptr;
  ++encoded_twice_;
  if (!part.other) ++search_count_;
  const std::uint64_t bits = bits_per_kiloword(part.tree, part);
  if (part.other) {
    part.tree = std::move(*part.other);
    kind.drift = part.drift_before;
    return;
  }
  if (!part.searched) {
    kind.searched = part.number;
    kind.drift = 0;
    kind.patience = std::min(2 * kind.patience, max_patience);
    kind.bits_per_kiloword = bits;
    return;
  }
  EncodedTree& again = *part.searched;
  if (part.verdict == PartJob::Verdict::slow) {
    kind.keeps_speed = keeps_speed(again, part.words, objective_);
    if (!is_preferred(again, part.tree, part.words, objective_)) return;
    kind.plan = again.wanted;
    kind.bits_per_kiloword = bits_per_kiloword(again, part);
    part.tree = std::move(again);
    return;
  }
  kind.searched = part.number;
  kind.drift = 0;
  const bool is_better = encoded_bytes(again) * 50 < encoded_bytes(part.tree) * 49;  // by 2 %
  kind.patience = is_better ? 1 : std::min(2 * kind.patience, max_patience);
  if (is_better && is_sudden(kind, bits)) {  // a kind that only looked the same
    CachedPlan& other = plans_.add();
    other.fingerprint = part.fingerprint;
    other.plan = again.wanted;
    other.bits_per_kiloword = bits_per_kiloword(again, part);
    other.last_used = other.searched = part.number;
    part.tree = std::move(again);
    return;
  }
  if (is_preferred(again, part.tree, part.words, objective_)) part.tree = std::move(again);
  if (is_better) kind.plan = part.tree.wanted;
  kind.bits_per_kiloword = bits_per_kiloword(part.tree, part);
}

void StreamPlanner::follow(PartJob& part, Scratch& scratch) const {
  const Plan plan = part.leader->tree.wanted;
  if (plan == plan_of(part) || plan == part.tree.wanted) return;
  EncodedTree tree = encode_remembered(part.words, plan, scratch);
  if (is_preferred(tree, part.tree, part.words, objective_)) part.tree = std::move(tree);
}

void StreamPlanner::end_segment(std::size_t part_count) {
  calm_segments_ = part_count == 1 && !is_surprised_ ? calm_segments_ + 1 : 0;
  is_surprised_ = false;
}

void StreamPlanner::end_group() { plans_.trim(); }

}  // namespace floe::trees
