#include "plan/segment_search.hpp"

#include <algorithm>

#include "plan/chains.hpp"
#include "plan/interleaved_columns.hpp"
#include "plan/matches/match_trials.hpp"
#include "plan/neighbour_predictions.hpp"
#include "plan/rare_remainders.hpp"
#include "plan/search/predictions.hpp"
#include "plan/search/search_memo.hpp"
#include "plan/trials.hpp"

namespace floe::trees {
namespace {

/// Weights of a nanosecond of decoding that are tried, each twice the one before, where a tree is slower than
/// is demanded. With the last one, bits hardly count.
constexpr std::uint32_t min_weight = 32, max_weight = 1 << 20;
/// Where samples deceive, so many times the windows show more: those of an image may all have missed what is
/// in its middle.
constexpr std::uint32_t denser_windows = 4;
constexpr std::uint64_t missed_part = 6;  ///< By which the best tree costs more than its estimate then.
/// Where the best tree costs more than its estimate by such a part, so many that begin otherwise are searched
/// for.
constexpr std::uint64_t misleading_part = 2;
constexpr unsigned max_other_roots = 2;
/// What another search finds is encoded unless it seems to cost more than the best tree by such a part; what
/// the faster goal takes, whose bytes count, by more where samples made too little of the best tree.
constexpr std::uint64_t tolerated_part = 32, tolerated_part_of_rival = 4, underrated_part = 16;
/// Samples are not believed where those of a faster goal promise less than what was encoded by such a part.
constexpr std::uint64_t doubtful_part = 4;
/// Where a tree is known, another search ends with what its first samples promise if that is more by such a
/// part.
constexpr std::uint64_t surprising_part = 8;
/// The same of columns that lie one behind the other. Where sizes are all that counts, the search goes on if
/// the first tree takes no more but for another part, and then if the best one so far takes no more but for a
/// smaller part, unless samples promised much less; else that tree, which is remembered, must save one.
constexpr std::uint64_t surprising_part_of_columns = 4, tolerated_part_of_columns = 16,
                        near_part_of_columns = 32, saved_part_of_columns = 256;

/// What a tree with columns must promise to save where encoding shall not take long; where it promises to
/// cost no more than so many 16ths of the best of all others, these are left out. Of the streams below, those
/// are searched briefly that cost no more than so many times the part of the whole that is usual.
constexpr std::uint64_t saved_part_of_quick_columns = 8, sufficient_sixteenths = 9, care_for_columns = 4;

/// Where sizes are all that counts, matches of a stream, and what they are looked for in, are remembered even
/// if the memo is full: so many times the bytes of the segment.
constexpr std::uint64_t growth_by_matches = 4;

/// Segments of no more words, and whole ones of fewer bytes, are encoded as the faster goal does it, too:
/// that takes hardly longer than to judge by samples whether it is worth it.
constexpr std::uint64_t few_words = std::uint64_t{1} << 16, few_bytes = std::uint64_t{1} << 20;
/// So many columns are searched with the same care as segments when their words are encoded.
constexpr std::uint32_t few_columns = 16;
/// Leaves of segments of no more words may be shorter with one table.
constexpr std::uint64_t words_for_tables = std::uint64_t{1} << 14;

/// Of a short segment, the plan may take more bytes than the tree saves.
bool is_worth_its_plan(const EncodedTree& tree, const ColumnView& segment, const Plan& raw) {
  return written_bytes(tree.plan) + tree.body.size() <= written_bytes(raw) + segment.bytes();
}

/// Of each leaf of entropy.
void take_one_table(Plan& plan) {
  std::replace_if(
      plan.nodes.begin(), plan.nodes.end(),
      [](const PlanNode& node) { return node.encoding == EncodingId::multi_entropy; },
      PlanNode{EncodingId::entropy, {}});
}

/// Which trees are encoded, one after the other, until the best one is known.
class SegmentSearch {
 public:
  SegmentSearch(const ColumnView& segment, const Objective& objective, Scratch& scratch, bool is_whole)
      : segment_(segment),
        objective_(objective),
        scratch_(scratch),
        memo_(segment, scratch, objective.remembers ? 0 : growth_by_matches * segment.bytes()),
        is_whole_(is_whole),
        leaves_codecs_(is_whole && !objective.rival && objective.decode_megabytes_per_second == 0),
        codecs_(estimate_codecs(segment, objective)),
        chains_(segment, objective, scratch),
        faster_(objective) {
    if (!objective.rival) return;
    faster_ = objective_of(*objective.rival, objective.for_devices);
    faster_.times = objective.times;
    faster_.strides = objective.strides;
    faster_.table_bits = objective.table_bits;
    faster_.excluded_roots = objective.excluded_roots;
    if (objective.remembers || objective.for_devices) return;
    // The rival encodes the stream by itself. Weights between those of both show something else.
    faster_.encode_nanosecond /= 2;
  }

  /// What samples promise of the best codec.
  [[nodiscard]] std::optional<std::uint64_t> codec_bytes() const {
    if (codecs_.empty()) return {};
    return std::ranges::min(codecs_, {}, &Choice::cost).cost / cost_of_byte;
  }

  /// Nothing if it is unlikely to need fewer than the bytes that are known, if any are. Where a tree of
  /// similar words is no worse than what the faster goal finds, no other search is made.
  std::optional<EncodedTree> best_tree(std::optional<std::uint64_t> known_bytes = {},
                                       std::span<const Plan> similar = {}) {
    if (known_bytes) max_first_bytes_ = *known_bytes + *known_bytes / surprising_part;
    const bool takes_similar = take_similar(similar);
    if (!takes_similar && !search_thoroughly()) return {};
    improve(takes_similar);
    return std::move(best_);
  }

 private:
  /// Of a transposed segment that some tree makes `known_bytes` of: nothing if this is unlikely to need
  /// fewer.
  std::optional<EncodedTree> best_tree_of_columns(std::uint64_t known_bytes) {
    max_first_bytes_ = known_bytes + known_bytes / surprising_part_of_columns;
    const auto exceeds = [&](std::uint64_t part) {
      return encoded_bytes(best_) > known_bytes + known_bytes / part;
    };
    if (!search_first()) return {};
    if (objective_.remembers) {
      if (encoded_bytes(best_) + known_bytes / saved_part_of_columns > known_bytes) return {};
      return std::move(best_);
    }
    if (exceeds(tolerated_part_of_columns)) return {};
    const bool promises_much = first_estimate_ < known_bytes * cost_of_byte / 2;
    search_again();
    if (!promises_much && exceeds(near_part_of_columns)) return {};
    improve(false);
    return std::move(best_);
  }

  /// Tries what else may be better than the best tree of a search.
  void improve(bool takes_similar) {
    const Plan first = best_.wanted;
    // A search that weighs time, or sees less, finds simpler trees, some of which turn out shorter than what
    // samples promised of others.
    if (takes_faster_goal())
      consider_faster_goal();
    else if (objective_.rival)
      consider_like_faster_goal();
    if (takes_similar && (was_deceived_ || best_.wanted != first)) consider(thorough_objective());
    for (const Plan& plan : neighbour_predictions(segment_, best_.wanted, objective_)) consider(plan);
    MatchTrials(segment_, objective_, faster_, memo_, scratch_, best_).run(first);
    if (objective_.rival && !objective_.for_devices) {
      consider_columns();
      if (tree_of_columns_) keep_if_preferred(std::move(*tree_of_columns_));
      consider_transposed();
    }
    consider_quick_columns();
    consider_single_tables();
    gain_speed();
    if (objective_.compares_streams && found_narrow_) consider_without_narrow();
  }

  /// Encodes the one of these trees that samples promise most of, if they promise anything.
  bool take_similar(std::span<const Plan> trees) {
    const Plan* best = nullptr;
    for (const Plan& plan : trees) {
      const std::uint64_t cost = estimate_known_tree(segment_, plan, judging(objective_), scratch_);
      if (best != nullptr && cost >= first_estimate_) continue;
      best = &plan;
      first_estimate_ = cost;
    }
    if (best == nullptr || first_estimate_ >= segment_.bytes() * cost_of_byte) {
      first_estimate_ = 0;
      return false;
    }
    SampledChildPlanner child_planner(objective_, first_estimate_, scratch_);
    best_ = encode_tree(segment_, *best, scratch_, &child_planner);
    encoded_.push_back(*best);
    was_deceived_ = deceives(first_estimate_, cost_of(best_, segment_.type, objective_), missed_part);
    return true;
  }

  [[nodiscard]] Objective thorough_objective() const {
    Objective thorough = objective_;
    if (objective_.rival && !objective_.for_devices && promises_predictions(segment_, scratch_))
      thorough.predicts = true;
    return thorough;
  }
  bool search_thoroughly() {
    if (!search_first()) return false;
    search_again();
    return true;
  }
  bool search_first() {
    looks_again_if_deceived_ = may_look_again() && objective_.remembers;
    std::optional<EncodedTree> first = search(thorough_objective());
    looks_again_if_deceived_ = false;
    if (!first) return false;
    best_ = std::move(*first);
    return true;
  }
  /// With more samples and trees, where samples deceived or sizes are all that counts.
  void search_again() {
    if (!may_look_again() || (!was_deceived_ && !objective_.compares_streams)) return;
    const Objective thorough = thorough_objective();
    Objective denser = thorough;
    denser.windows *= denser_windows;
    denser.rival_windows *= denser_windows;
    consider(denser);
    if (objective_.compares_streams) consider(broader_objective(thorough));
  }
  [[nodiscard]] bool may_look_again() const { return objective_.rival && !objective_.for_devices; }

  /// Encodes the best tree by these weights; nothing if it was encoded before, or is unlikely to be better
  /// than a chain that was.
  std::optional<EncodedTree> search(const Objective& by, std::uint64_t tolerated = tolerated_part,
                                    bool may_begin_again = false) {
    const Finalists finalists = find_finalists(segment_, codecs_, by, max_plan_depth, scratch_, max_cost());
    const Plan best{finalists.choices[0].nodes};
    found_narrow_ |= std::ranges::any_of(finalists.choices, [](const Choice& choice) {
      return choice.nodes[0].encoding == EncodingId::narrow && is_beside_others(choice);
    });
    if (leaves_codecs_ && best.nodes[0].encoding == EncodingId::codec)
      return EncodedTree{best, best, {{segment_.bytes(), 0}}, {}};
    if (std::optional<EncodedTree> columns = try_quick_columns(finalists)) return columns;
    const bool is_known =
        objective_.trials == 1 && std::find(encoded_.begin(), encoded_.end(), best) != encoded_.end();
    const bool is_anew = may_begin_again && is_in_doubt(finalists);
    if (is_anew) chains_.begin_again();
    if (!is_anew && (is_known || !may_be_better(finalists, tolerated))) return {};
    std::optional<EncodedTree> chain = chains_.encode_best(by, finalists);
    if ((is_known && !is_anew) || chains_.are_better_than(finalists)) return chain;
    encoded_.push_back(best);
    SampledChildPlanner child_planner(by, finalists.choices[0].cost, scratch_);
    const auto cost = [&](const EncodedTree& of) { return cost_of(of, segment_.type, finalists.weighed); };
    const auto deceives_by = [&](const EncodedTree& of, std::uint64_t part) {
      return deceives(finalists.choices[0].cost, cost(of), part);
    };
    EncodedTree tree = encode_tree(segment_, best, scratch_, &child_planner);
    if (!objective_.for_devices && deceives_by(tree, tolerated_part))
      encode_but_for_few(segment_, tree, scratch_, &child_planner);
    was_deceived_ = deceives_by(tree, missed_part);
    if (!was_deceived_ || !looks_again_if_deceived_) {
      tree = best_of(std::move(tree), segment_, finalists, objective_, &child_planner, scratch_);
      was_deceived_ = deceives_by(tree, missed_part);
      if (deceives_by(tree, misleading_part)) try_other_roots(by, finalists, tree);
    }
    if (!chain) return std::optional(std::move(tree));
    const bool is_chain_better =
        objective_.rival ? is_preferred(*chain, tree, segment_, objective_) : cost(*chain) < cost(tree);
    return is_chain_better ? std::move(*chain) : std::move(tree);
  }

  /// Searches give up early what begins otherwise than the best tree.
  void try_other_roots(const Objective& by, const Finalists& finalists, EncodedTree& best) {
    Objective others = without_root(by, finalists.choices[0].nodes[0].encoding);
    const auto cost = [&](const EncodedTree& of) { return cost_of(of, segment_.type, finalists.weighed); };
    const unsigned max_count = is_fast(objective_) ? 1 : max_other_roots;
    for (unsigned i = 0; i < max_count; ++i) {
      others = without_root(others, best.wanted.nodes[0].encoding);
      const Finalists found = find_finalists(segment_, {}, others, max_plan_depth, scratch_, cost(best));
      const auto choice = std::find_if(found.choices.begin(), found.choices.end(), [&](const Choice& of) {
        return may_have_root(others, of.nodes[0].encoding);
      });
      if (choice == found.choices.end() || choice->cost >= cost(best)) return;
      others = without_root(others, choice->nodes[0].encoding);
      SampledChildPlanner child_planner(by, choice->cost, scratch_);
      EncodedTree tree = encode_tree(segment_, {choice->nodes}, scratch_, &child_planner);
      if (is_preferred(tree, best, segment_, objective_)) best = std::move(tree);
    }
  }

  /// Another search need not find what costs so much more than the best tree that it would not be encoded.
  [[nodiscard]] std::uint64_t max_cost() const {
    return first_estimate_ != 0 && compares_estimates() ? 2 * encoded_bytes(best_) * cost_of_byte
                                                        : unknown_cost;
  }
  /// Where speed is demanded, what time costs is no measure.
  [[nodiscard]] bool compares_estimates() const {
    return objective_.remembers && !objective_.for_devices && objective_.decode_megabytes_per_second == 0;
  }
  /// The same weights for the words that the best trees are compared on.
  [[nodiscard]] Objective judging(const Objective& weights) const {
    Objective judging = weights;
    judging.windows = objective_.rival_windows;
    judging.window_words = objective_.rival_window_words;
    return judging;
  }
  /// Trees that other weights or samples lead to are judged by as many words as the first one was compared
  /// with others on: fewer promise too much of dictionaries and exceptions. What it promised or took,
  /// whichever is more, is what they are compared with.
  bool may_be_better(const Finalists& finalists, std::uint64_t tolerated) {
    std::uint64_t cost = finalists.choices[0].cost;
    if (first_estimate_ == 0) {
      first_estimate_ = cost;
      return !max_first_bytes_ || cost <= *max_first_bytes_ * cost_of_byte;
    }
    if (!compares_estimates()) return true;
    const Plan plan{finalists.choices[0].nodes};
    if (shows_in_samples(plan)) {
      const std::uint64_t judged = estimate_known_tree(segment_, plan, judging(finalists.weighed), scratch_);
      if (judged < segment_.bytes() * cost_of_byte) cost = judged;  // else words do not repeat in samples
    }
    const std::uint64_t known = std::max(first_estimate_, cost_of(best_, segment_.type, finalists.weighed));
    return cost <= known + known / tolerated;
  }

  /// Whether the best tree so far says little of what these are likely to cost.
  [[nodiscard]] bool is_in_doubt(const Finalists& finalists) const {
    const std::uint64_t cost = cost_of(best_, segment_.type, finalists.weighed);
    return deceives(first_estimate_, cost) || finalists.choices[0].cost < cost - cost / doubtful_part;
  }

  /// Whether samples made too little of the best tree, and so perhaps of that of the faster goal, too.
  [[nodiscard]] bool is_underrated() const {
    const std::uint64_t cost = encoded_bytes(best_) * cost_of_byte;
    return cost + cost / underrated_part < first_estimate_;
  }
  void consider(const Objective& by) {
    if (std::optional<EncodedTree> other = search(by)) keep_if_preferred(std::move(*other));
  }
  [[nodiscard]] bool takes_faster_goal() const {
    return objective_.rival && compares_estimates() && !objective_.for_columns &&
           (segment_.count <= few_words || (is_whole_ && segment_.bytes() < few_bytes));
  }
  /// Where samples deceive, the faster goal decides as if nothing was found before: else its own result may
  /// be smaller.
  void consider_like_faster_goal() {
    const bool may_begin_again = compares_estimates() && !objective_.for_columns;
    if (auto other =
            search(faster_, is_underrated() ? tolerated_part_of_rival : tolerated_part, may_begin_again))
      keep_if_preferred(std::move(*other));
  }
  /// As it is without several tables, and then with them. What was found so far is not known there: the
  /// result of the faster goal may depend on what lattices it finds.
  void consider_faster_goal() {
    Objective faster = faster_;
    faster.table_bits = objective_of(*objective_.rival).table_bits;
    auto tree = best_tree_by(faster);
    if (!tree || !is_preferred(*tree, best_, segment_, objective_)) return;
    best_ = std::move(*tree);
    Plan with_tables = best_.wanted;
    take_tables(with_tables.nodes, objective_);
    if (with_tables != best_.wanted) consider(with_tables);
  }
  /// Nothing if that would be encoded again. What the search remembers ends with it.
  std::optional<EncodedTree> best_tree_by(const Objective& faster) {
    SegmentSearch search(segment_, faster, scratch_, false);
    search.is_for_other_goal_ = true;
    if (!was_deceived_) search.take_for_encoded(encoded_);
    std::optional<EncodedTree> best = search.best_tree();
    tree_of_columns_ = std::move(search.tree_of_columns_);
    return best;
  }
  /// These trees but for their tables, which are no worse with them.
  void take_for_encoded(std::vector<Plan> plans) {
    for (Plan& plan : plans) take_one_table(plan);
    encoded_ = std::move(plans);
  }
  void consider_columns() {
    const SearchMemo::Episode episode(memo_);  // columns serve no other search
    for (const Plan& plan : plans_of_columns(segment_, objective_, encoded_bytes(best_), scratch_)) {
      const bool are_many = objective_.remembers && plan.nodes[0].parameters[0] > few_columns;
      are_many ? keep_if_preferred(encode_tree(segment_, plan, scratch_)) : consider(plan);
    }
  }
  /// Where encoding shall not take long, columns are searched briefly. Where samples promise that they save
  /// nearly half of what the best of all other trees costs, that one is not encoded.
  std::optional<EncodedTree> try_quick_columns(const Finalists& finalists) {
    if (!weighs_encoding(objective_) || columns_) return {};
    const std::uint64_t known = finalists.choices[0].cost;
    columns_ = quick_tree_of_columns(segment_, finalists.weighed, known, scratch_)
                   .value_or(Choice{{}, unknown_cost});
    if (is_for_other_goal_ || columns_->cost > known / 16 * sufficient_sixteenths) return {};
    EncodedTree tree = encode_columns();
    if (cost_of(tree, segment_.type, finalists.weighed) > known - known / saved_part_of_quick_columns)
      return {};
    columns_->nodes.clear();
    return tree;
  }
  void consider_quick_columns() {
    if (!columns_ || columns_->nodes.empty()) return;
    const auto cost = [&](const EncodedTree& of) { return cost_of(of, segment_.type, objective_); };
    const std::uint64_t known = cost(best_);
    if (columns_->cost > known - known / saved_part_of_quick_columns) return;
    EncodedTree tree = encode_columns();
    if (cost(tree) >= known) return;
    if (is_for_other_goal_)
      tree_of_columns_ = std::move(tree);
    else
      keep_if_preferred(std::move(tree));
  }
  /// There are many streams below, of which most get brief searches.
  EncodedTree encode_columns() {
    SampledChildPlanner child_planner(objective_, care_for_columns * columns_->cost, scratch_);
    return encode_tree(segment_, {columns_->nodes}, scratch_, &child_planner);
  }
  /// Each has a search of its own, with the words at hand in another order.
  void consider_transposed() {
    for (const std::uint32_t columns : transposable_columns(segment_, objective_)) {
      const TransposedSegment transposed(segment_, columns, scratch_);
      const ColumnView words = transposed.words();
      const Objective objective = transposed.objective(objective_);
      SegmentSearch search(words, objective, scratch_, false);
      std::optional<EncodedTree> tree = search.best_tree_of_columns(encoded_bytes(best_));
      if (tree) tree = transposed.tree_above(std::move(*tree));
      if (tree) keep_if_preferred(std::move(*tree));
    }
  }
  void consider(const Plan& plan) { keep_if_preferred(encode(plan, objective_)); }
  void keep_if_preferred(EncodedTree tree) {
    if (is_preferred(tree, best_, segment_, objective_)) best_ = std::move(tree);
  }
  EncodedTree encode(const Plan& plan, const Objective& of_children) {
    SampledChildPlanner child_planner(of_children, encoded_bytes(best_) * cost_of_byte, scratch_);
    return encode_tree(segment_, plan, scratch_, &child_planner);
  }

  /// Of few words, several tables may take more bytes than they save; faster goals have one.
  void consider_single_tables() {
    if (!objective_.rival || segment_.count > words_for_tables) return;
    Plan plan = best_.plan;
    take_one_table(plan);
    if (plan != best_.plan) consider(plan);
  }

  /// What is tried later begins with the best trees so far: others than those of rounded floats may lead
  /// further.
  void consider_without_narrow() {
    const Objective others = without_root(objective_, EncodingId::narrow);
    keep_if_preferred(*SegmentSearch(segment_, others, scratch_, false).best_tree());
  }

  /// The first tree that is fast enough is the smallest of those that any weight leads to, but for accidents.
  /// More speed demanded can only lead to a later one.
  void gain_speed() {
    for (std::uint32_t weight = min_weight; weight <= max_weight && !keeps_speed(best_, segment_, objective_);
         weight *= 2) {
      if (weight <= objective_.decode_nanosecond) continue;
      faster_.decode_nanosecond = weight;
      consider(faster_);
    }
  }

  const ColumnView& segment_;
  const Objective& objective_;
  Scratch& scratch_;
  SearchMemo memo_;  ///< Several trees are likely to begin alike.
  const bool is_whole_, leaves_codecs_;
  const std::vector<Choice> codecs_;
  Chains chains_;
  Objective faster_;
  std::vector<Plan> encoded_;  ///< By searches.
  std::uint64_t first_estimate_ = 0;
  std::optional<std::uint64_t> max_first_bytes_;  ///< That samples may promise of the first tree.
  std::optional<Choice> columns_;                 ///< By a quick search, if there was one.
  std::optional<EncodedTree> tree_of_columns_;    ///< What the faster goal takes in the end.
  bool is_for_other_goal_ = false;                ///< Which has columns of its own.
  bool found_narrow_ = false;                     ///< Some search found rounded floats.
  bool was_deceived_ = false;                     ///< By the last search.
  bool looks_again_if_deceived_ = false;  ///< On more windows, instead of trying what those at hand suggest.
  EncodedTree best_;
};

}  // namespace

EncodedTree encode_searched(const ColumnView& segment, const Objective& objective, Scratch& scratch,
                            bool is_whole, std::optional<std::uint64_t>* codec_bytes,
                            std::span<const Plan> similar) {
  // What is fast enough anyway is stored as if no speed was demanded.
  if (objective.decode_megabytes_per_second > 0) {
    Objective any_speed = objective;
    any_speed.decode_megabytes_per_second = 0;
    EncodedTree tree = encode_searched(segment, any_speed, scratch);
    if (keeps_speed(tree, segment, objective)) return tree;
  }
  SegmentSearch search(segment, objective, scratch, is_whole);
  if (codec_bytes != nullptr) *codec_bytes = search.codec_bytes();
  EncodedTree tree = *search.best_tree({}, similar);
  const Plan raw{{{EncodingId::raw, {}}}};
  return is_worth_its_plan(tree, segment, raw) ? std::move(tree) : encode_tree(segment, raw, scratch);
}

std::optional<EncodedTree> encode_searched_below(std::uint64_t known_bytes, const ColumnView& segment,
                                                 const Objective& objective, Scratch& scratch) {
  return SegmentSearch(segment, objective, scratch, false).best_tree(known_bytes);
}

}  // namespace floe::trees
