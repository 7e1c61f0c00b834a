#include "plan/search/finalists.hpp"

#include <algorithm>

#include "plan/search/budgeted_search.hpp"
#include "plan/search/search.hpp"
#include "plan/search/windows.hpp"

namespace floe::trees {
namespace {

/// Of the trees that the windows suggest, the best ones meet again in a longer one.
constexpr std::uint64_t long_window_words = 32768;
constexpr std::size_t max_in_last_round = 4;

bool is_cheaper(const Choice& a, const Choice& b) { return a.cost < b.cost; }

/// The trees that windows suggest, by their costs on all of them.
std::vector<Choice> choose_in_windows(std::span<const ColumnView> windows, std::uint64_t count,
                                      const Objective& objective, std::size_t max_depth, Scratch& scratch) {
  const std::size_t depth = std::min<std::size_t>(max_depth, objective.search_depth);
  const std::uint64_t words_to_search =
      count < objective.long_stream ? planning_windows * planning_window_words : objective.sample_words;
  std::vector<Choice> finalists;
  const auto search = [&](const ColumnView& window) {
    std::vector<Choice> choices =
        search_trees(middle_of(window, words_to_search), count, objective, depth, scratch);
    const std::uint64_t cost = choices[0].cost;
    choices.resize(std::min<std::size_t>(choices.size(), objective.finalists_per_window));
    for (Choice& choice : choices) {
      const auto is_same = [&](const Choice& other) { return other.nodes == choice.nodes; };
      if (std::none_of(finalists.begin(), finalists.end(), is_same)) finalists.push_back(std::move(choice));
    }
    return cost;
  };
  const std::uint64_t first_cost = search(windows[0]);
  if (windows.size() == 1) return finalists;
  // Where the first window's tree costs the same elsewhere, the stream is the same elsewhere.
  for (const ColumnView& window : windows.subspan(1)) {
    const std::uint64_t cost =
        estimate_tree(finalists[0].nodes, middle_of(window, words_to_search), count, objective, scratch);
    if (cost > first_cost + first_cost / 8 || cost + first_cost / 8 < first_cost) search(window);
  }
  if (finalists.size() == 1) return finalists;
  std::uint64_t most = ~std::uint64_t{0};  // that a tree may cost
  std::stable_sort(finalists.begin(), finalists.end(), is_cheaper);
  for (Choice& finalist : finalists) {
    finalist.cost = 0;
    for (const ColumnView& window : windows) {
      if (finalist.cost > most) break;
      finalist.cost += estimate_tree(finalist.nodes, window, count, objective, scratch);
    }
    most = std::min(most, finalist.cost + finalist.cost / objective.tolerated_part);
  }
  std::stable_sort(finalists.begin(), finalists.end(), is_cheaper);
  return finalists;
}

/// What repeats at distances, and what happens seldom, shows in a longer window only.
void compare_in_longer_window(const ColumnView& stream, const Objective& objective,
                              std::vector<Choice>& finalists, Scratch& scratch) {
  const std::uint64_t limit = finalists[0].cost + finalists[0].cost / objective.tolerated_part;
  while (finalists.size() > max_in_last_round || finalists.back().cost > limit) finalists.pop_back();
  if (finalists.size() == 1) return;
  const ColumnView longer = windows_of(stream, long_window_words, 1)[0];
  for (Choice& finalist : finalists)
    finalist.cost +=
        planning_windows * estimate_tree(finalist.nodes, longer, stream.count, objective, scratch);
  std::stable_sort(finalists.begin(), finalists.end(), is_cheaper);
}

}  // namespace

std::vector<Plan> find_finalists(const ColumnView& stream, const Objective& objective, std::size_t max_depth,
                                 Scratch& scratch) {
  const std::vector<ColumnView> windows = windows_of(stream, planning_window_words, planning_windows);
  std::vector<Choice> finalists = choose_in_windows(windows, stream.count, objective, max_depth, scratch);
  if (windows.size() > 1) compare_in_longer_window(stream, objective, finalists, scratch);
  std::vector<Plan> plans;
  for (Choice& finalist : finalists) plans.push_back({std::move(finalist.nodes)});
  return plans;
}

Plan plan_windows(std::span<const ColumnView> windows, std::uint64_t count, const Objective& objective,
                  std::size_t max_depth, Scratch& scratch) {
  if (objective.is_budgeted) {
    SearchThreads nobody;
    return plan_budgeted(windows, count, objective, max_depth, nobody, scratch);
  }
  return {choose_in_windows(windows, count, objective, max_depth, scratch)[0].nodes};
}

}  // namespace floe::trees
