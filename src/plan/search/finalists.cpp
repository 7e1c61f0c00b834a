#include "plan/search/finalists.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "chunks/leaf.hpp"
#include "chunks/registry/codec_entry.hpp"
#include "plan/search/budgeted_search.hpp"
#include "plan/search/candidates.hpp"
#include "plan/search/dict_growth.hpp"
#include "plan/search/distinct_words.hpp"
#include "plan/search/far/words.hpp"
#include "plan/search/integer_facts.hpp"
#include "plan/search/search.hpp"
#include "plan/search/windows.hpp"
#include "plan/tree_time.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {
namespace {

/// That codecs are judged by, at least.
constexpr std::size_t usual_chunks = 8, few_chunks = 4;
/// Of costs by samples.
constexpr std::uint64_t hardly_less = 64;

bool is_cheaper(const Choice& a, const Choice& b) { return a.cost < b.cost; }

/// Some windows one behind the other. The phase of words stays the same for small strides.
class JoinedWindows {
 public:
  JoinedWindows(DType type, std::uint64_t words, Scratch& scratch) : joined_(type, words, scratch) {
    joined_.shorten(0);
  }
  void add(const ColumnView& window) {
    const std::uint64_t count = view().count;
    std::memcpy(static_cast<std::uint8_t*>(const_cast<void*>(view().values)) + count * size_of(window.type),
                window.values, static_cast<std::size_t>(window.bytes()));
    joined_.shorten(count + window.count);
  }
  [[nodiscard]] ColumnView view() const { return joined_.view(); }

 private:
  Stream joined_;
};

/// Windows that are spread evenly: at even positions of so many if they are for the search, else at odd ones.
/// Short streams have fewer and longer ones. Precondition: the stream has twice as many words.
JoinedWindows sample_of(const ColumnView& stream, std::uint64_t windows, std::uint64_t words, bool for_search,
                        Scratch& scratch) {
  constexpr std::uint64_t min_words_of_window = window_alignment;
  const std::uint64_t all = windows * words,
                      count = std::clamp<std::uint64_t>(stream.count / (2 * min_words_of_window), 1, windows);
  JoinedWindows joined(stream.type, all, scratch);
  const auto* const bytes = static_cast<const std::uint8_t*>(stream.values);
  for (std::uint64_t i = for_search ? 0 : 1; i < 2 * count; i += 2) {
    const std::uint64_t position = window_position(stream.count, all / count, 2 * count, i);
    joined.add({stream.type, bytes + position * size_of(stream.type), all / count});
  }
  return joined;
}

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

/// Of many trees, the one with the lowest cost owes some of that to chance, and the more so the larger it is.
void handicap(Choice& choice) { choice.cost += choice.cost / 256 * choice.nodes.size(); }

/// The cheapest ones that may turn out the best. Lattices take nobody's place: samples, which have fewer
/// words that a line must be right for, make little of their errors.
void keep_rivals(Finalists& finalists, const Objective& objective) {
  std::vector<Choice>& choices = finalists.choices;
  std::stable_sort(choices.begin(), choices.end(), is_cheaper);
  std::optional<Choice> lattices;
  if (const auto found = std::find_if(choices.begin(), choices.end(), is_on_lattices); found != choices.end())
    lattices = std::move(*found);
  std::erase_if(choices, [](const Choice& choice) { return choice.nodes.empty() || is_on_lattices(choice); });
  const std::uint64_t limit = choices[0].cost + choices[0].cost / objective.tolerated_part;
  while (choices.size() > objective.finalists || choices.back().cost > limit) {
    finalists.others.push_back(std::move(choices.back()));
    choices.pop_back();
  }
  if (lattices && lattices->cost <= limit)
    choices.insert(std::upper_bound(choices.begin(), choices.end(), *lattices, is_cheaper), *lattices);
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

/// A tree for words that are nearly all equal, so that a sample shows nothing else: their runs, or those that
/// differ. The streams below are short, and get trees of their own.
Choice choose_for_rare_changes(const ColumnView& stream) {
  const std::uint64_t changes = with_word(size_of(stream.type), [&]<class W>(W) {
    return kernels().of<W>().count_changes(stream.words<W>().data() + 1,
                                           static_cast<std::size_t>(stream.count - 1));
  });
  const PlanNode leaf = plain_leaf(stream.type), gaps{EncodingId::bitpack, {}};
  return {{{EncodingId::rle, {}}, gaps, leaf},
          cost_of_byte * changes * (size_of(stream.type) + sizeof(std::uint16_t))};
}

/// Adds trees to the codecs, which are the finalists so far.
void choose(const ColumnView& stream, const Objective& objective, std::size_t max_depth,
            std::uint64_t max_cost, Scratch& scratch, Finalists& finalists) {
  std::vector<Choice>& choices = finalists.choices;
  const Objective& weighed = finalists.weighed;
  for (Choice& codec : choices)
    codec.cost += time_cost(weighed, time_of(codec.nodes[0], weighed), stream.count);
  const std::size_t depth = std::min<std::size_t>(max_depth, objective.search_depth);
  std::uint64_t distinct = 0, known_cost = max_cost;
  const auto search = [&](const ColumnView& sample) {
    for (Choice& choice : search_trees(sample, stream.count, weighed, depth, scratch, distinct, known_cost)) {
      const auto is_same = [&](const Choice& other) { return other.nodes == choice.nodes; };
      if (std::any_of(choices.begin(), choices.end(), is_same)) continue;
      handicap(choice);
      choices.push_back(std::move(choice));
    }
    keep_rivals(finalists, objective);
  };
  if (stream.count < 2 * objective.windows * objective.window_words) {
    search(stream);
    return;
  }
  const JoinedWindows sample = sample_of(stream, objective.windows, objective.window_words, true, scratch);
  if (is_constant(sample.view())) {
    choices.assign({choose_for_rare_changes(stream)});  // the chunks by which codecs are judged are few, too
    const JoinedWindows others = sample_of(stream, objective.windows, objective.window_words, false, scratch);
    if (!is_constant(others.view())) search(others.view());
    keep_rivals(finalists, objective);
    return;
  }
  std::optional<JoinedWindows> others;
  if (stream.count >= 2 * objective.rival_windows * objective.rival_window_words)
    others = sample_of(stream, objective.rival_windows, objective.rival_window_words, false, scratch);
  const ColumnView rivals = others ? others->view() : stream;
  distinct = estimate_distinct_words(objective.trials > 1 ? rivals : sample.view(), scratch);
  std::vector<Choice> far = find_far_choices(stream, distinct, weighed, max_depth, scratch, max_cost);
  // Chains that samples make too much of may be shorter than those.
  if (!objective.only_chains) {
    for (const Choice& choice : far)
      known_cost = std::min(known_cost, choice.cost + choice.cost / objective.tolerated_part);
  }
  const auto add_far = [&] {  // found on samples of their own
    for (Choice& choice : far) {
      handicap(choice);
      choices.push_back(std::move(choice));
    }
    keep_rivals(finalists, objective);
  };
  const auto is_on_grid = [](const Choice& choice) {
    return choice.nodes[0].encoding == EncodingId::grid;  // on which most words find some multiples
  };
  // What rows are not needed for: words that repeat, runs, narrow words of a wide type.
  const auto has_divisor = [&] {
    const auto divisor = find_divisor(sample.view());
    return divisor && 4 * divisor->saved_bits >= divisor->sampled * 8 * size_of(stream.type);
  };
  if (objective.trials == 1 && distinct == 0 && !std::all_of(far.begin(), far.end(), is_on_grid) &&
      !has_runs(find_coarse_facts(sample.view())) && !has_divisor())
    return add_far();
  search(sample.view());
  // Periods and slopes do not show where windows are joined.
  const ColumnView window = middle_of(stream, objective.windows * objective.window_words);
  if (!is_constant(window) &&
      (objective.searches_piece || optimistic_cost(find_facts(window)) * stream.count < choices[0].cost / 2))
    search(window);
  if (choices.size() == 1 && far.empty()) return;
  for (Choice& choice : choices) {
    if (is_codec(choice)) continue;
    Choice again{choice.nodes, estimate_tree(choice.nodes, rivals, stream.count, weighed, scratch,
                                             ~std::uint64_t{0}, distinct)};
    handicap(again);
    choice.cost = (choice.cost + again.cost) / 2;
  }
  add_far();
}

}  // namespace

void take_tables(std::vector<PlanNode>& nodes, const Objective& objective) {
  if (objective.table_bits == 0) return;
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
  choose(stream, objective, max_depth, max_cost, scratch, finalists);
  std::stable_sort(finalists.others.begin(), finalists.others.end(), is_cheaper);
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
  const auto search = [&](const ColumnView& sample) {
    return search_trees(sample, stream.count, objective, objective.search_depth, scratch,
                        estimate_distinct_words(sample, scratch))[0]
        .cost;
  };
  if (stream.count < 2 * objective.windows * objective.window_words) return search(stream);
  return search(sample_of(stream, objective.windows, objective.window_words, true, scratch).view());
}

bool shows_in_samples(const Plan& plan) {
  return !plan.nodes.empty() && std::none_of(plan.nodes.begin(), plan.nodes.end(), [](const PlanNode& node) {
    return node.encoding == EncodingId::delta && node.parameters[1] > DeltaRules::max_near_stride;
  });
}

KnownTree cheapest_known_tree(const ColumnView& stream, std::span<const Plan* const> plans,
                              const Objective& objective, Scratch& scratch) {
  std::optional<JoinedWindows> joined;
  if (stream.count >= 2 * objective.windows * objective.window_words)
    joined = sample_of(stream, objective.windows, objective.window_words, true, scratch);
  const ColumnView sample = joined ? joined->view() : stream;
  const std::uint64_t distinct = estimate_distinct_words(sample, scratch);
  // Where hardly a word of the sample occurs twice, a dictionary is not known to pay.
  const auto is_doubtful = [&](const Plan& plan) {
    return distinct == 0 && is_dictionary(plan.nodes[0].encoding);
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
