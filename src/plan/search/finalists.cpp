#include "plan/search/finalists.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "chunks/leaf.hpp"
#include "chunks/registry/codec_entry.hpp"
#include "plan/search/budgeted_search.hpp"
#include "plan/search/dict_growth.hpp"
#include "plan/search/distinct_words.hpp"
#include "plan/search/search.hpp"
#include "plan/search/windows.hpp"
#include "plan/tree_time.hpp"

namespace floe::trees {
namespace {

/// That codecs are judged by, at least.
constexpr std::size_t usual_chunks = 8, few_chunks = 4;
/// Of costs by samples.
constexpr std::uint64_t hardly_less = 64;

/// Time is weighed against sizes by the square of what the best codec leaves: where words need two thirds of
/// the bits, a nanosecond costs four ninths, but no less than a fourth. The more bits may be saved, the
/// longer they are worth waiting for.
Objective in_proportion(const Objective& objective, const ColumnView& stream,
                        std::span<const Choice> codecs) {
  if (objective.for_devices) return objective;
  std::uint64_t min_cost = cost_of_byte * stream.bytes();
  for (const Choice& codec : codecs) min_cost = std::min(min_cost, codec.cost);
  min_cost = std::max(min_cost, cost_of_byte * stream.bytes() / 2);
  Objective scaled = objective;
  const auto scale = [&](std::uint32_t weight) {
    return static_cast<std::uint32_t>(weight * (min_cost / stream.count) /
                                      (cost_of_byte * size_of(stream.type)));
  };
  scaled.encode_nanosecond = scale(scale(objective.encode_nanosecond));
  scaled.decode_nanosecond = scale(scale(objective.decode_nanosecond));
  return scaled;
}

bool is_codec(const Choice& choice) { return choice.nodes[0].encoding == EncodingId::codec; }

/// Where speed counts most, the fastest codec of floats may cost more than the best tree by this part: what
/// saves hardly more than its time costs takes twice as long, or longer; of words of 64 bits, up to ten
/// times.
constexpr std::uint64_t part_for_speed = 24, part_of_wide_words = 8;
void prefer_fastest_codec(Finalists& finalists) {
  std::vector<Choice>& choices = finalists.choices;
  const std::uint64_t part = finalists.weighed.has_wide_words ? part_of_wide_words : part_for_speed,
                      limit = choices[0].cost + choices[0].cost / part;
  const auto time = [&](const Choice& codec) {
    return time_cost(finalists.weighed, time_of(codec.nodes[0], finalists.weighed), 1);
  };
  std::optional<Choice> fastest;
  for (const std::vector<Choice>* const some : {&choices, &finalists.others}) {
    for (const Choice& choice : *some)
      if (is_codec(choice) && (!fastest || time(choice) < time(*fastest))) fastest = choice;
  }
  if (!fastest || fastest->cost > limit) return;
  std::erase_if(choices, [&](const Choice& choice) { return choice.nodes == fastest->nodes; });
  std::erase_if(finalists.others, [&](const Choice& choice) { return choice.nodes == fastest->nodes; });
  choices.insert(choices.begin(), std::move(*fastest));
}

}  // namespace

void take_tables(std::vector<PlanNode>& nodes, const Objective& objective) {
  if (objective.table_bits == 0 || encoding_of(EncodingId::multi_entropy).is_refused) return;
  for (PlanNode& node : nodes) {
    if (node.encoding == EncodingId::entropy) node = {EncodingId::multi_entropy, {objective.table_bits}};
  }
}

std::vector<Choice> estimate_codecs(const ColumnView& stream, const Objective& objective) {
  std::vector<Choice> choices;
  if (!objective.tries_codecs || objective.for_devices || stream.bytes() < core::chunk_bytes) return choices;
  const std::span content(static_cast<const std::uint8_t*>(stream.values),
                          static_cast<std::size_t>(stream.bytes()));
  const std::size_t min_chunks = weighs_encoding(objective) ? few_chunks : usual_chunks;
  for (const registry::CodecEntry& codec : registry::all_codecs()) {
    const PlanNode leaf{EncodingId::codec, {codec.id, 1}};
    if (!encoding_of(EncodingId::codec).accepts(stream.type, leaf.parameters) || codec.takes_dimensionality ||
        codec.has_history)
      continue;
    choices.push_back(
        {{leaf}, cost_of_byte * chunks::estimate_leaf({&codec, 1}, content, 8, min_chunks).bytes});
  }
  return choices;
}

Finalists find_finalists(const ColumnView& stream, std::vector<Choice> codecs, const Objective& objective,
                         std::size_t max_depth, Scratch& scratch, std::uint64_t max_cost) {
  Finalists finalists{std::move(codecs), {}, {}};
  finalists.weighed = in_proportion(objective, stream, finalists.choices);
  add_trees(stream, objective, max_depth, max_cost, scratch, finalists);
  put_cheapest_first(finalists.others);
  if (is_fast(objective) && !objective.for_columns && is_float(stream.type)) prefer_fastest_codec(finalists);
  for (Choice& choice : finalists.choices) take_tables(choice.nodes, objective);
  for (Choice& choice : finalists.others) take_tables(choice.nodes, objective);
  return finalists;
}

Finalists find_finalists(const ColumnView& stream, const Objective& objective, std::size_t max_depth,
                         Scratch& scratch) {
  return find_finalists(stream, estimate_codecs(stream, objective), objective, max_depth, scratch);
}

std::uint64_t estimate_best_tree(const ColumnView& stream, const Objective& objective, Scratch& scratch) {
  return find_tree_briefly(stream, objective, objective.search_depth, scratch).cost;
}

Choice find_tree_briefly(const ColumnView& stream, const Objective& objective, std::size_t max_depth,
                         Scratch& scratch) {
  const std::size_t depth = std::min<std::size_t>(max_depth, objective.search_depth);
  const auto search = [&](const ColumnView& sample) {
    return std::move(search_trees(sample, stream.count, objective, depth, scratch,
                                  estimate_distinct_words(sample, scratch))[0]);
  };
  if (stream.count < 2 * objective.windows * objective.window_words) return search(stream);
  return search(sample_of(stream, objective.windows, objective.window_words, true, scratch).view());
}

bool shows_in_samples(const Plan& plan) {
  return !plan.nodes.empty() && std::none_of(plan.nodes.begin(), plan.nodes.end(), [](const PlanNode& node) {
    return (node.encoding == EncodingId::delta && node.parameters[1] > DeltaRules::max_near_stride) ||
           (node.encoding == EncodingId::stride_split && StrideSplitRules::has_one_child(node.parameters[0]));
  });
}

KnownTree cheapest_known_tree(const ColumnView& stream, std::span<const Plan* const> plans,
                              const Objective& objective, Scratch& scratch) {
  std::optional<JoinedWindows> joined;
  if (stream.count >= 2 * objective.windows * objective.window_words)
    joined = sample_of(stream, objective.windows, objective.window_words, true, scratch);
  const ColumnView sample = joined ? joined->view() : stream;
  const DistinctCount distinct = estimate_distinct_words(sample, scratch);
  // Where hardly a word of the sample occurs twice, a dictionary is not known to pay.
  const auto is_doubtful = [&](const Plan& plan) {
    return distinct.words == 0 && is_dictionary(plan.nodes[0].encoding);
  };
  KnownTree known{0, unlimited_cost};
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const std::uint64_t cost =
        is_doubtful(*plans[i])
            ? 2 * stream.bytes() * cost_of_byte
            : estimate_tree(plans[i]->nodes, sample, stream.count, objective, scratch, known.cost, distinct);
    if (i == 0 || cost + cost / hardly_less < known.cost) known = {i, cost};
  }
  return known;
}

std::uint64_t estimate_known_tree(const ColumnView& stream, const Plan& plan, const Objective& objective,
                                  Scratch& scratch) {
  if (stream.count < 2 * objective.windows * objective.window_words)
    return estimate_tree(plan.nodes, stream, stream.count, objective, scratch);
  const JoinedWindows sample = sample_of(stream, objective.windows, objective.window_words, true, scratch);
  return estimate_tree(plan.nodes, sample.view(), stream.count, objective, scratch);
}

Plan plan_windows(std::span<const ColumnView> windows, std::uint64_t count, const Objective& objective,
                  std::size_t max_depth, Scratch& scratch) {
  if (objective.is_budgeted) {
    SearchThreads nobody;
    return plan_budgeted(windows, count, objective, max_depth, nobody, scratch);
  }
  JoinedWindows joined(windows[0].type, windows.size() * windows[0].count, scratch);
  const std::uint64_t words = objective.windows * objective.window_words / windows.size();
  for (const ColumnView& window : windows)
    joined.add(windows.size() == 1 ? window : middle_of(window, words));
  const std::size_t depth = std::min<std::size_t>(max_depth, objective.search_depth);
  return {search_trees(joined.view(), count, objective, depth, scratch)[0].nodes};
}

}  // namespace floe::trees
