#include "plan/lists/word_lists.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/fixed_log.hpp"
#include "encodings/dictionary.hpp"
#include "encodings/encoding_memo.hpp"
#include "plan/lists/list_estimate.hpp"
#include "plan/matches/repetition_sample.hpp"
#include "plan/neighbour_predictions.hpp"
#include "plan/search/dict_growth.hpp"
#include "plan/search/search_memo.hpp"
#include "plan/tree_time.hpp"
#include "plan/trials.hpp"

namespace floe::trees {
namespace {

/// Samples of shorter streams show enough.
constexpr std::uint64_t min_words = 1 << 13;
/// Estimates know nothing of words that are more frequent than others: lists are tried that seem to cost more
/// than the best tree by such a part. Where time counts, too, they must save another one.
constexpr std::uint64_t tolerated_part = 16, saved_part = 64;
/// Predictions of positions are tried unless their first tree leaves more than the best one by such a part.
constexpr std::uint64_t near_part = 32;
/// Samples show words that occur more often, and a first look those that occur twice as often.
constexpr std::uint64_t max_occurrences = 8, seen_occurrences = 2 * max_occurrences;
/// Signs are taken off if that makes a list shorter by such a part.
constexpr std::uint64_t signs_part = 32;
/// Trees of a list, and of positions, that are encoded where sizes are all that counts.
constexpr std::uint32_t max_trials = 4;
/// Matches of positions are tried if these, compared by so many bytes first, save such a part of the bits
/// around some of them, and another one of what they must save at least.
constexpr std::uint64_t key_bytes = 8, small_part = 64, shown_part = 4;
/// Lowest bits of positions that matches leave out: words may equal others but for their last bits.
constexpr std::array<std::uint32_t, 3> near_bits = {5, 3, 7};

/// A tree but for those of a list and of positions.
struct Frame {
  std::vector<PlanNode> nodes;
  ColumnView words;
};

/// Encodes a stream with lists of its words.
class WordLists {
 public:
  WordLists(const ColumnView& stream, const EncodedTree& best, const Objective& objective, Scratch& scratch)
      : stream_(stream),
        objective_(objective),
        scratch_(scratch),
        known_(encoded_bytes(best) * cost_of_byte),
        tries_all_(!objective.remembers),
        memo_(stream, scratch),
        child_planner_(objective, known_, scratch),
        children_(objective) {
    children_.strides = {};
    children_.tries_codecs = false;
    if (tries_all_) children_.trials = max_trials;
  }

  /// Tries trees with a list of the words of a frame, if they may be short.
  void consider(const Frame& frame, const ListEstimate& list) {
    if (list.words > max_unique_entries) return;
    const std::uint64_t all = stream_.count * core::fixed_log2(list.words) + list.cost;
    const bool is_short = all <= known_ + known_ / tolerated_part,
               repeats = words_repeat(list, stream_.count);
    if (tries_all_ ? !is_short && !repeats : !repeats || !may_be_short(list)) return;
    const EncodedOnce made(encoding_of(EncodingId::unique), frame.words, {}, scratch_);
    if (!made.fits()) return;
    std::vector<PlanNode> nodes = frame.nodes;
    nodes.push_back({EncodingId::unique, {}});
    const std::size_t above = frame.nodes.empty() ? 1 : 2;
    append(nodes, tree_of(made.child(0), above));
    const Plan tree = tree_of(made.child(1), above);
    const std::uint64_t bytes = consider(with(nodes, tree));
    if (goes_on_smoothly(tree) && (!tries_all_ || bytes * cost_of_byte <= known_ + known_ / near_part)) {
      for (const Plan& predicted : neighbour_predictions(made.child(1), tree, objective_))
        consider(with(nodes, predicted));
    }
    if (!tries_all_) return;
    if (repeats && may_match(made.child(1), list, bytes) && consider(with(nodes, matches({1, 0}))) <= bytes)
      consider(with(nodes, matches({2, 0})));
    if (is_short) consider_near_matches(nodes, bytes);
  }
  /// Nothing if none is clearly better than the known tree.
  std::optional<EncodedTree> better_than(const EncodedTree& known) {
    if (!best_ || !is_preferred(*best_, known, stream_, objective_)) return {};
    const std::uint64_t bytes = encoded_bytes(*best_);
    if (!tries_all_ && (bytes + bytes / saved_part) * cost_of_byte > known_) return {};
    return std::move(best_);
  }

  /// The best tree of words that a node made, with so many nodes `above`.
  Plan tree_of(const ColumnView& words, std::size_t above) {
    const Finalists found = find_finalists(words, children_, max_plan_depth - above, scratch_);
    return tries_all_ ? encode_best(words, found, children_, nullptr, scratch_).wanted
                      : Plan{found.choices[0].nodes};
  }

 private:
  /// Whether it is worth the time of goals that weigh it.
  [[nodiscard]] bool may_be_short(const ListEstimate& list) const {
    const std::uint64_t position_bits =
        std::min<std::uint64_t>(core::fixed_log2(list.words), list.position_cost);
    return list.words * max_occurrences >= stream_.count &&
           stream_.count * position_bits + list.cost <= known_;
  }
  /// Whether positions that stood before are followed by the same ones, often enough for matches to save what
  /// a tree of the stream takes more than the best one.
  [[nodiscard]] bool may_match(const ColumnView& positions, const ListEstimate& list,
                               std::uint64_t bytes) const {
    const std::uint64_t bits_of_256_words = core::fixed_log2(list.words),
                        all = repetition_anchors * bits_of_256_words, known = known_ / cost_of_byte,
                        missing = bytes > known ? all / 256 * ((bytes - known) * 256 / bytes) : 0;
    return saved_by_repetitions<key_bytes>(positions, bits_of_256_words, 1) >=
           std::max(all / small_part, missing / shown_part);
  }
  static bool goes_on_smoothly(const Plan& tree) {
    return std::any_of(tree.nodes.begin(), tree.nodes.end(), [](const PlanNode& node) {
      return node.encoding == EncodingId::delta || node.encoding == EncodingId::linear;
    });
  }
  static void append(std::vector<PlanNode>& nodes, const Plan& tree) {
    nodes.insert(nodes.end(), tree.nodes.begin(), tree.nodes.end());
  }
  static Plan with(std::vector<PlanNode> nodes, const Plan& positions) {
    append(nodes, positions);
    return {std::move(nodes)};
  }
  static Plan matches(const Parameters& parameters) {
    Plan plan{{{EncodingId::match, parameters}}};
    plan.nodes.insert(plan.nodes.end(), 4, {EncodingId::entropy, {}});
    return plan;
  }
  static Plan near_matches(std::uint32_t bits) {
    Plan plan{{{EncodingId::divide, {1, bits}}}};
    append(plan.nodes, matches({2, 0}));
    plan.nodes.push_back({EncodingId::entropy, {}});
    return plan;
  }
  void consider_near_matches(const std::vector<PlanNode>& nodes, std::uint64_t known_bytes) {
    for (const std::uint32_t bits : near_bits) {
      const std::uint64_t bytes = consider(with(nodes, near_matches(bits)));
      if (bytes >= known_bytes) return;
      known_bytes = bytes;
    }
  }
  /// The bytes of the stream; very many if the tree is too large.
  std::uint64_t consider(const Plan& plan) {
    if (plan.nodes.size() > max_nodes(objective_)) return ~std::uint64_t{0};
    EncodedTree tree = encode_tree(stream_, plan, scratch_, &child_planner_);
    const std::uint64_t bytes = encoded_bytes(tree);
    if (!best_ || is_preferred(tree, *best_, stream_, objective_)) best_ = std::move(tree);
    return bytes;
  }

  const ColumnView& stream_;
  const Objective& objective_;
  Scratch& scratch_;
  const std::uint64_t known_;
  const bool tries_all_;
  SearchMemo memo_;  ///< Several trees begin alike.
  SampledChildPlanner child_planner_;
  Objective children_;
  std::optional<EncodedTree> best_;
};

}  // namespace

bool is_word_list(const Plan& plan) {
  const bool has_signs = plan.nodes[0].encoding == EncodingId::divide;
  return plan.nodes[has_signs ? next_sibling(plan, 1) : 0].encoding == EncodingId::unique;
}

std::optional<EncodedTree> best_word_list(const ColumnView& stream, const EncodedTree& best,
                                          const Objective& objective, Scratch& scratch) {
  const std::size_t width = size_of(stream.type);
  if (!objective.rival || objective.for_devices || stream.count < min_words || width < 4) return {};
  if (objective.remembers &&
      (is_dictionary(first_of_integers(best.wanted)) || !words_seem_to_repeat(stream, seen_occurrences)))
    return {};
  const std::optional<ListEstimates> estimates =
      estimate_lists(stream, objective.remembers ? few_chosen_bits : many_chosen_bits);
  if (!estimates) return {};
  WordLists lists(stream, best, objective, scratch);
  lists.consider({{}, stream}, estimates->words);
  const std::uint64_t magnitudes = estimates->magnitudes.words, words = estimates->words.words;
  if (objective.remembers || !is_float(stream.type) || magnitudes + magnitudes / signs_part > words)
    return lists.better_than(best);
  const Parameters sign{1, static_cast<std::uint32_t>(8 * width - 1)};
  const EncodedOnce made(encoding_of(EncodingId::divide), stream, sign, scratch);
  if (!made.fits()) return lists.better_than(best);
  std::vector<PlanNode> nodes{{EncodingId::divide, sign}};
  const Plan signs = lists.tree_of(made.child(0), 1);
  nodes.insert(nodes.end(), signs.nodes.begin(), signs.nodes.end());
  lists.consider({std::move(nodes), made.child(1)}, estimates->magnitudes);
  return lists.better_than(best);
}

}  // namespace floe::trees
