// Looks for the best trees of a stream in samples of it: near words, far ones, and those that repeat.
#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "plan/search/candidates.hpp"
#include "plan/search/dict_growth.hpp"
#include "plan/search/distinct_words.hpp"
#include "plan/search/facts/integer_facts.hpp"
#include "plan/search/far/words.hpp"
#include "plan/search/finalists.hpp"
#include "plan/search/search.hpp"
#include "plan/search/search_memo.hpp"
#include "plan/search/windows.hpp"
#include "plan/tree_time.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {
namespace {

/// Where samples say that words occur less often, different ones are not counted.
constexpr std::uint64_t min_counted_repetitions = 6;

/// Of many trees, the one with the lowest cost owes some of that to chance, and the more so the larger it is.
void handicap(Choice& choice) { choice.cost += choice.cost / 256 * choice.nodes.size(); }

/// The cheapest ones that may turn out the best. What stands beside others takes nobody's place: samples,
/// which have fewer words that a line must be right for, make little of errors.
void keep_rivals(Finalists& finalists, const Objective& objective) {
  std::vector<Choice>& choices = finalists.choices;
  put_cheapest_first(choices);
  std::vector<Choice> beside;  // the best one of each kind
  for (const EncodingId id : {EncodingId::narrow, EncodingId::affine}) {
    const auto found = std::ranges::find_if(choices, [id](const Choice& choice) {
      return is_beside_others(choice) && choice.nodes[0].encoding == id;
    });
    if (found != choices.end()) beside.push_back(std::move(*found));
  }
  std::erase_if(choices,
                [](const Choice& choice) { return choice.nodes.empty() || is_beside_others(choice); });
  const std::uint64_t limit = choices[0].cost + choices[0].cost / objective.tolerated_part;
  while (choices.size() > objective.finalists || choices.back().cost > limit) {
    finalists.others.push_back(std::move(choices.back()));
    choices.pop_back();
  }
  for (const Choice& choice : beside) {
    if (choice.cost <= limit)
      choices.insert(std::upper_bound(choices.begin(), choices.end(), choice, is_cheaper), choice);
  }
}

/// A tree for words that are nearly all equal, so that a sample shows nothing else: their runs, or those that
/// differ. The streams below are short, and get trees of their own. Where there may be none, a leaf.
Choice choose_for_rare_changes(const ColumnView& stream, std::size_t max_depth) {
  if (max_depth < 2) return {{candidate_leaves(stream.type).back()}, stream.bytes() * cost_of_byte};
  const std::uint64_t changes = with_word(size_of(stream.type), [&]<class W>(W) {
    return kernels().of<W>().count_changes(stream.words<W>().data() + 1,
                                           static_cast<std::size_t>(stream.count - 1));
  });
  const PlanNode leaf = plain_leaf(stream.type), gaps{EncodingId::bitpack, {}};
  return {{{EncodingId::rle, {}}, gaps, leaf},
          cost_of_byte * changes * (size_of(stream.type) + sizeof(std::uint16_t))};
}

class ChoiceSearch {
 public:
  /// Finalists are codecs so far.
  ChoiceSearch(const ColumnView& stream, const Objective& objective, std::size_t max_depth,
               std::uint64_t max_cost, Scratch& scratch, Finalists& finalists)
      : stream_(stream),
        objective_(objective),
        weighed_(finalists.weighed),
        max_depth_(max_depth),
        max_cost_(max_cost),
        known_cost_(max_cost),
        scratch_(scratch),
        finalists_(finalists),
        choices_(finalists.choices) {}

  void add_trees() {
    for (Choice& codec : choices_)
      codec.cost += time_cost(weighed_, time_of(codec.nodes[0], weighed_), stream_.count);
    if (stream_.count < 2 * objective_.windows * objective_.window_words) return search(stream_);
    const JoinedWindows sample =
        sample_of(stream_, objective_.windows, objective_.window_words, true, scratch_);
    if (is_constant(sample.view())) return add_trees_for_rare_changes();
    std::optional<JoinedWindows> others;
    if (stream_.count >= 2 * objective_.rival_windows * objective_.rival_window_words)
      others = sample_of(stream_, objective_.rival_windows, objective_.rival_window_words, false, scratch_);
    add_trees(sample.view(), others ? others->view() : stream_);
  }

 private:
  void add_trees_for_rare_changes() {
    // The chunks by which codecs are judged are few, too.
    choices_.assign({choose_for_rare_changes(stream_, max_depth_)});
    const JoinedWindows others =
        sample_of(stream_, objective_.windows, objective_.window_words, false, scratch_);
    if (!is_constant(others.view())) search(others.view());
    keep_rivals(finalists_, objective_);
  }

  /// Searches go by a sample, and the best trees are compared by rivals.
  void add_trees(const ColumnView& sample, const ColumnView& rivals) {
    distinct_ = estimate_distinct_words(objective_.trials > 1 ? rivals : sample, scratch_);
    // What is fast is not worth a look at all words, unless a dictionary is: see search().
    if (!is_fast(objective_) && is_worth_counting()) count_distinct();
    std::vector<Choice> far =
        find_far_choices(stream_, distinct_.words, weighed_, max_depth_, scratch_, max_cost_);
    // Chains that samples make too much of may be shorter than those.
    if (!objective_.only_chains) {
      for (const Choice& choice : far)
        known_cost_ = std::min(known_cost_, choice.cost + choice.cost / objective_.tolerated_part);
    }
    for (Choice& choice : far) handicap(choice);  // found on samples of their own
    if (needs_near_words(sample, far)) {
      search(sample, rivals, !far.empty());
      if (choices_.size() == 1 && far.empty()) return;
    }
    std::ranges::move(far, std::back_inserter(choices_));
    keep_rivals(finalists_, objective_);
  }

  /// Unless they are known, or hardly repeat.
  [[nodiscard]] bool is_worth_counting() const {
    return !distinct_.is_exact && objective_.trials == 1 && distinct_.words > 0 &&
           distinct_.words * min_counted_repetitions <= stream_.count;
  }
  void count_distinct() {
    const auto count = [&] { return count_distinct_words(stream_, scratch_); };
    distinct_ =
        scratch_.search_memo == nullptr ? count() : scratch_.search_memo->distinct_words(stream_, count);
  }

  /// Where rows are found that are better than codecs, others are for words that repeat, runs, narrow words
  /// of a wide type.
  [[nodiscard]] bool needs_near_words(const ColumnView& sample, const std::vector<Choice>& far) const {
    const auto is_on_grid = [](const Choice& choice) {
      return choice.nodes[0].encoding == EncodingId::grid;  // on which most words find some multiples
    };
    if (objective_.trials > 1 || distinct_.words > 0 || std::all_of(far.begin(), far.end(), is_on_grid) ||
        has_runs(find_coarse_facts(sample)))
      return true;
    const auto is_better_codec = [&](const Choice& codec) {
      return std::all_of(far.begin(), far.end(), [&](const Choice& tree) { return is_cheaper(codec, tree); });
    };
    if (std::any_of(choices_.begin(), choices_.end(), is_better_codec)) return true;
    const auto divisor = find_divisor(sample);
    return divisor && 4 * divisor->saved_bits >= divisor->sampled * 8 * size_of(stream_.type);
  }

  void search(const ColumnView& sample, const ColumnView& rivals, bool has_far_trees) {
    search(sample);
    // Periods and slopes do not show where windows are joined.
    const ColumnView window = middle_of(stream_, objective_.windows * objective_.window_words);
    if (!is_constant(window) && (objective_.searches_piece ||
                                 optimistic_cost(find_facts(window)) * stream_.count < choices_[0].cost / 2))
      search(window);
    if (choices_.size() == 1 && !has_far_trees) return;
    for (Choice& choice : choices_) {
      if (choice.nodes[0].encoding == EncodingId::codec) continue;
      Choice again{choice.nodes, estimate_tree(choice.nodes, rivals, stream_.count, weighed_, scratch_,
                                               ~std::uint64_t{0}, distinct_)};
      handicap(again);
      choice.cost = (choice.cost + again.cost) / 2;
    }
  }
  void search(const ColumnView& sample) {
    const std::size_t depth = std::min<std::size_t>(max_depth_, objective_.search_depth);
    std::function<DistinctCount()> count;
    if (is_worth_counting()) {
      count = [this] {
        count_distinct();
        return distinct_;
      };
    }
    for (Choice& choice :
         search_trees(sample, stream_.count, weighed_, depth, scratch_, distinct_, known_cost_, count)) {
      const auto is_same = [&](const Choice& other) { return other.nodes == choice.nodes; };
      if (std::any_of(choices_.begin(), choices_.end(), is_same)) continue;
      handicap(choice);
      choices_.push_back(std::move(choice));
    }
    keep_rivals(finalists_, objective_);
  }

  const ColumnView& stream_;
  const Objective& objective_;
  const Objective& weighed_;
  const std::size_t max_depth_;
  const std::uint64_t max_cost_;
  std::uint64_t known_cost_;
  DistinctCount distinct_;
  Scratch& scratch_;
  Finalists& finalists_;
  std::vector<Choice>& choices_;
};

}  // namespace

void add_trees(const ColumnView& stream, const Objective& objective, std::size_t max_depth,
               std::uint64_t max_cost, Scratch& scratch, Finalists& finalists) {
  ChoiceSearch(stream, objective, max_depth, max_cost, scratch, finalists).add_trees();
}

}  // namespace floe::trees
