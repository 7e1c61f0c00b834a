#include "plan/search/far/words.hpp"

#include <algorithm>
#include <functional>

#include "encodings/dictionary.hpp"
#include "plan/search/dict_growth.hpp"
#include "plan/search/distinct_words.hpp"
#include "plan/search/facts/facts.hpp"
#include "plan/search/far/frames.hpp"
#include "plan/search/far/sampler.hpp"
#include "plan/search/search_memo.hpp"

namespace floe::trees {
namespace {

/// So many ways to take differences are tried, where trees are tried on the whole stream.
constexpr std::size_t max_tried_steps = 3;
/// Frames are searched that promise to cost this part more than the best one, or less.
constexpr std::uint64_t rival_part = 2, rival_part_in_haste = 16;
/// Trees may cost less than the differences that they begin with by such a part.
constexpr std::uint64_t tolerated_part = 2;
/// A dictionary of all words is worth the time to make it if they occur so often; where sizes are all that
/// counts, less often.
constexpr std::uint64_t min_repetitions = 8, min_repetitions_for_sizes = 3;

/// The nodes of steps, the farthest first. Differences of neighbours are left to the search.
std::vector<PlanNode> nodes_of(Steps steps) {
  std::sort(steps.begin(), steps.end(), std::greater<>());
  std::vector<PlanNode> nodes;
  for (const std::uint32_t step : steps) {
    if (!nodes.empty() && nodes.back().parameters == Parameters{1, step}) {
      nodes.back().parameters[0] = 2;
    } else {
      nodes.push_back({EncodingId::delta, {1, step}});
    }
  }
  return nodes;
}

class FarSearch {
 public:
  FarSearch(const ColumnView& stream, const Objective& objective, std::size_t max_depth, Scratch& scratch)
      : stream_(stream), objective_(objective), max_depth_(max_depth), scratch_(scratch) {}

  /// Looks for steps of a frame.
  void judge(const FarFrame& frame) {
    const bool is_in_haste = objective_.trials == 1;
    const std::size_t max_count = is_in_haste ? 1 : max_tried_steps;
    const auto find = [&] {
      return best_steps(frame.integers, size_of(frame.type), stream_.count, objective_.strides.get(),
                        max_count, scratch_);
    };
    SearchMemo* const memo = scratch_.search_memo;
    for (StepChoice& found : memo == nullptr ? find() : memo->steps(stream_, frame.before, max_count, find)) {
      // Other searches find small strides, too, but only where they are the only ones.
      if (is_in_haste && found.steps.back() <= max_stride_tried) continue;
      if (frame.depth + found.steps.size() < max_depth_) judged_.push_back({frame, std::move(found)});
    }
  }

  /// The best trees of the frames that promise much. Dictionaries of differences only if they `may_have`
  /// some.
  std::vector<Choice> search(bool may_have_dictionaries, std::uint64_t max_cost) {
    const std::uint64_t part = objective_.trials > 1 ? rival_part : rival_part_in_haste;
    std::uint64_t min_cost = max_cost + max_cost / tolerated_part;
    for (const Judged& judged : judged_) min_cost = std::min(min_cost, judged.cost());
    for (const Judged& judged : judged_) {
      if (judged.cost() > min_cost + min_cost / part) continue;
      with_word(size_of(judged.frame.type), [&]<class W>(W) { search<W>(judged, may_have_dictionaries); });
    }
    return std::move(choices_);
  }
  [[nodiscard]] bool has_found_steps() const { return !judged_.empty(); }

 private:
  struct Judged {
    FarFrame frame;
    StepChoice found;
    [[nodiscard]] std::uint64_t cost() const { return found.cost + frame.cost; }
  };

  template <core::Word W>
  void search(const Judged& judged, bool may_have_dictionaries) {
    const FarFrame& frame = judged.frame;
    const Steps& steps = judged.found.steps;
    const std::vector<PlanNode> differences = nodes_of(steps);
    const std::size_t above = frame.depth + differences.size(), windows = objective_.windows,
                      others =
                          objective_.rival_windows * objective_.rival_window_words / objective_.window_words;
    const Stream sample = sample_of<W>(frame, steps, windows), rivals = sample_of<W>(frame, steps, others);
    const DistinctCount distinct = estimate_distinct_words(rivals.view(), scratch_);
    const std::size_t depth = std::min<std::size_t>(max_depth_ - above, objective_.search_depth);
    for (Choice& choice : search_trees(sample.view(), stream_.count, objective_, depth, scratch_, distinct)) {
      const auto is_dictionary = [](const PlanNode& node) { return trees::is_dictionary(node.encoding); };
      if (!may_have_dictionaries && std::any_of(choice.nodes.begin(), choice.nodes.end(), is_dictionary))
        continue;
      const std::uint64_t again = estimate_tree(choice.nodes, rivals.view(), stream_.count, objective_,
                                                scratch_, ~std::uint64_t{0}, distinct);
      choice.cost = (choice.cost + again) / 2 + judged.found.first_cost + frame.cost;
      choices_.push_back(framed(std::move(choice), frame, differences));
    }
  }

  template <core::Word W>
  Stream sample_of(const FarFrame& frame, const Steps& steps, std::size_t windows) {
    FarSampler<W> sampler(frame.integers, stream_.count, reach_of(steps), windows, objective_.window_words);
    Stream sample(frame.type, sampler.words(), scratch_);
    sampler.differences(steps, sample.words<W>().data());
    return sample;
  }

  Choice framed(Choice choice, const FarFrame& frame, const std::vector<PlanNode>& differences) const {
    std::vector<PlanNode> nodes = frame.before;
    for (const PlanNode& node : differences) {
      const auto [order, stride] = node.parameters;
      choice.cost += time_cost(objective_, time_of_differences(stride), stream_.count) + 4 * cost_of_byte;
      if (stride <= DeltaRules::max_near_stride)
        choice.cost += std::uint64_t{order} * stride * size_of(frame.type) * cost_of_byte;
      nodes.push_back(node);
    }
    nodes.insert(nodes.end(), choice.nodes.begin(), choice.nodes.end());
    nodes.insert(nodes.end(), frame.behind.begin(), frame.behind.end());
    return {std::move(nodes), choice.cost};
  }

  /// Devices take those at far strides by themselves, from memory to memory.
  [[nodiscard]] EncodingTime time_of_differences(std::uint32_t stride) const {
    constexpr EncodingTime far_on_device = {10, 6};
    return objective_.for_devices && stride > DeltaRules::max_near_stride
               ? far_on_device
               : time_of(objective_, encoding_of(EncodingId::delta));
  }

  const ColumnView& stream_;
  const Objective& objective_;
  const std::size_t max_depth_;
  Scratch& scratch_;
  std::vector<Judged> judged_;
  std::vector<Choice> choices_;
};

}  // namespace

std::vector<Choice> find_far_choices(const ColumnView& stream, std::uint64_t distinct,
                                     const Objective& objective, std::size_t max_depth, Scratch& scratch,
                                     std::uint64_t max_cost) {
  const std::uint64_t sampled = std::uint64_t{objective.windows} * objective.window_words;
  if (objective.strides.get().empty() || stream.count < 4 * sampled) return {};
  FarSearch search(stream, objective, max_depth, scratch);
  for (const FarFrame& frame : frames_of_words(stream, objective, scratch)) search.judge(frame);
  // Codes follow the words: where words have no steps, they have none.
  const std::uint64_t repetitions = objective.remembers ? min_repetitions : min_repetitions_for_sizes;
  const bool repeats = distinct > 0 && distinct * repetitions <= stream.count && distinct <= max_dict_entries;
  if (search.has_found_steps() && repeats && !objective.only_chains && objective.finalists > 2 &&
      size_of(stream.type) > 2) {
    if (const auto frame = frame_of_codes(stream, objective, scratch)) search.judge(*frame);
  }
  return search.search(distinct == 0, max_cost);
}

}  // namespace floe::trees
