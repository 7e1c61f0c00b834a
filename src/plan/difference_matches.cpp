#include "plan/difference_matches.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "encodings/encoding_memo.hpp"
#include "plan/repetition_sample.hpp"
#include "plan/search/far/frames.hpp"

namespace floe::trees {
namespace {

constexpr std::uint64_t min_words = 1024;
/// The bytes of a position that are compared first: few different differences may be all that there are.
constexpr std::uint64_t key_bytes = 32;
/// Of which part of a stream positions are looked at, and what matches must save of all bits at least, as far
/// as that shows it: usually, where about a fourth shows, and if all that may save bytes is tried.
constexpr std::uint64_t scanned_part = 8, clear_part = 4, small_part = 16;
/// Words of a row that may be a point, each of which has differences of its own.
constexpr std::uint32_t max_row = 64;

/// Differences of words, and a tree but for the sub-tree of these.
struct Differences {
  std::vector<PlanNode> before, behind;
  ColumnView words;
  std::shared_ptr<const void> owner;  ///< Of the words.
};

/// The first node of differences on the way to the first leaf, if there is one before matches.
std::optional<std::size_t> first_delta(const Plan& plan) {
  for (std::size_t node = 0;; ++node) {
    const auto& [encoding, parameters] = plan.nodes[node];
    if (encoding == EncodingId::delta) return node;
    if (encoding_of(encoding).children_of(parameters) == 0 || encoding == EncodingId::match) return {};
  }
}

/// Those that the tree has, if it begins with a way to differences.
std::optional<Differences> differences_in(const Plan& plan, const ColumnView& stream, Scratch& scratch) {
  const std::optional<std::size_t> delta = first_delta(plan);
  if (!delta) return {};
  ColumnView words = stream;
  std::shared_ptr<const EncodedOnce> made;
  for (std::size_t node = 0; node <= *delta; ++node) {
    if (words.count == 0) return {};
    const auto& [encoding, parameters] = plan.nodes[node];
    auto next = std::make_shared<const EncodedOnce>(encoding_of(encoding), words, parameters, scratch);
    if (!next->fits()) return {};
    words = next->child(0);
    made = std::move(next);
  }
  const auto begin = plan.nodes.begin(), behind = begin + static_cast<std::ptrdiff_t>(*delta + 1);
  return Differences{{begin, behind},
                     {begin + static_cast<std::ptrdiff_t>(next_sibling(plan, *delta + 1)), plan.nodes.end()},
                     words,
                     std::move(made)};
}

/// Those of the integers that stand for some words.
Differences differences_of(const FarFrame& frame, std::uint64_t count, std::uint32_t stride,
                           Scratch& scratch) {
  const auto words = std::make_shared<Stream>(frame.type, count, scratch);
  frame.integers(0, static_cast<std::size_t>(count), words->data());
  with_word(size_of(frame.type), [&]<class W>(W) {
    W* const all = words->words<W>().data();
    for (std::uint64_t i = count - 1; i >= stride; --i) all[i] = static_cast<W>(all[i] - all[i - stride]);
  });
  std::vector<PlanNode> before = frame.before;
  before.push_back({EncodingId::delta, {1, stride}});
  return {std::move(before), frame.behind, words->view(), words};
}

auto match_node(auto& plan) {
  return std::find_if(plan.nodes.begin(), plan.nodes.end(),
                      [](const PlanNode& node) { return node.encoding == EncodingId::match; });
}

bool suits(const ColumnView& stream, const Objective& objective) {
  return objective.rival && !objective.for_devices && objective.match_effort >= 0 &&
         stream.count >= min_words && size_of(stream.type) > 1;
}

/// A tree with matches of these differences, if they may pay.
std::optional<Plan> plan_for(const Differences& differences, std::uint64_t count, std::uint64_t best_bytes,
                             bool tries_all) {
  if (differences.words.count < min_words) return {};
  const std::uint64_t bits = std::max<std::uint64_t>(best_bytes * 8 * 256 / count, 1);
  const std::uint64_t saved =
      saved_by_repetitions<key_bytes>(differences.words, bits, tries_all ? 1 : scanned_part);
  if (saved < repetition_anchors * bits / (tries_all ? small_part : clear_part)) return {};
  const auto literal = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(bits / 256, 1, 64));
  Plan plan{differences.before};
  plan.nodes.push_back({EncodingId::match, {1, literal}});
  plan.nodes.insert(plan.nodes.end(), 4, {EncodingId::entropy, {}});
  plan.nodes.insert(plan.nodes.end(), differences.behind.begin(), differences.behind.end());
  return plan;
}

}  // namespace

std::optional<Plan> own_difference_matches(const ColumnView& stream, const Plan& tree,
                                           std::uint64_t best_bytes, const Objective& objective,
                                           Scratch& scratch) {
  if (!suits(stream, objective)) return {};
  const auto known = differences_in(tree, stream, scratch);
  return known ? plan_for(*known, stream.count, best_bytes, !objective.remembers) : std::nullopt;
}

std::vector<Plan> other_difference_matches(const ColumnView& stream, std::uint64_t best_bytes,
                                           const std::optional<Plan>& own, const Objective& objective,
                                           Scratch& scratch) {
  std::vector<Plan> plans;
  if (!suits(stream, objective) || objective.remembers) return plans;
  std::vector<std::uint32_t> strides = {1};
  const auto far = objective.strides.get();
  if (!far.empty() && far[0] <= max_row) strides.push_back(far[0]);
  for (const FarFrame& frame : frames_of_words(stream, objective, scratch)) {
    for (const std::uint32_t stride : strides) {
      const Differences differences = differences_of(frame, stream.count, stride, scratch);
      if (own && std::equal(own->nodes.begin(), match_node(*own), differences.before.begin(),
                            differences.before.end()))
        continue;
      if (auto plan = plan_for(differences, stream.count, best_bytes, true))
        plans.push_back(std::move(*plan));
    }
  }
  return plans;
}

Plan with_match_effort(Plan plan, std::uint32_t effort) {
  match_node(plan)->parameters[0] = effort;
  return plan;
}

}  // namespace floe::trees
