#include "plan/difference_matches.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "encodings/encoding_memo.hpp"
#include "plan/repetition_sample.hpp"
#include "plan/search/far/frames.hpp"
#include "plan/tree_time.hpp"

namespace floe::trees {
namespace {

constexpr std::uint64_t min_words = 1024;
/// The bytes of a place that are compared first: few different differences may be all that there are.
constexpr std::uint64_t key_bytes = 32;
/// Of which part of a stream places are looked at, and what matches must save of all bits at least, as far as
/// that shows it: usually, where about a fourth shows, and if all that may save bytes is tried.
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

}  // namespace

std::vector<Plan> difference_match_plans(const ColumnView& stream, const EncodedTree& best,
                                         const Objective& objective, Scratch& scratch) {
  if (!objective.rival || objective.for_devices || objective.match_effort < 0 || stream.count < min_words ||
      size_of(stream.type) == 1)
    return {};
  const std::uint64_t bits = std::max<std::uint64_t>(encoded_bytes(best) * 8 * 256 / stream.count, 1);
  const auto literal = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(bits / 256, 1, 64));
  const PlanNode packed{EncodingId::entropy, {}};
  const bool tries_all = !objective.remembers;
  std::vector<Plan> plans;
  const auto consider = [&](const Differences& differences) {
    if (differences.words.count < min_words) return;
    const std::uint64_t saved =
        saved_by_repetitions<key_bytes>(differences.words, bits, tries_all ? 1 : scanned_part);
    if (saved < repetition_anchors * bits / (tries_all ? small_part : clear_part)) return;
    for (std::uint32_t effort = 1; effort <= (tries_all ? 2U : 1U); ++effort) {
      std::vector<PlanNode> tree = differences.before;
      tree.push_back({EncodingId::match, {effort, literal}});
      tree.insert(tree.end(), 4, packed);
      tree.insert(tree.end(), differences.behind.begin(), differences.behind.end());
      if (std::find(plans.begin(), plans.end(), Plan{tree}) == plans.end())
        plans.push_back({std::move(tree)});
    }
  };
  if (const auto known = differences_in(best.wanted, stream, scratch)) consider(*known);
  if (!tries_all) return plans;
  std::vector<std::uint32_t> strides = {1};
  const auto far = objective.strides.get();
  if (!far.empty() && far[0] <= max_row) strides.push_back(far[0]);
  for (const FarFrame& frame : frames_of_words(stream, objective, scratch)) {
    for (const std::uint32_t stride : strides) consider(differences_of(frame, stream.count, stride, scratch));
  }
  return plans;
}

}  // namespace floe::trees
