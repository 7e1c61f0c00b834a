#include "plan/matches/match_places.hpp"

#include <algorithm>

#include "plan/search/dict_growth.hpp"
#include "plan/search/far/frames.hpp"

namespace floe::trees {
namespace {

/// Of which samples for runs are.
constexpr std::uint64_t windows = 16, window_words = 64;

std::vector<PlanNode> part(const Plan& plan, std::size_t first, std::size_t end) {
  return {plan.nodes.begin() + static_cast<std::ptrdiff_t>(first),
          plan.nodes.begin() + static_cast<std::ptrdiff_t>(end)};
}
MatchPlace place_at(const Plan& plan, std::size_t node, std::uint64_t bytes) {
  return {part(plan, 0, node), part(plan, next_sibling(plan, node), plan.nodes.size()), bytes};
}

std::size_t children_of(const PlanNode& node) {
  return encoding_of(node.encoding).children_of(node.parameters);
}

/// Walks through a tree from the root on.
class Walk {
 public:
  Walk(const EncodedTree& tree, std::uint64_t min_bytes, std::uint64_t min_words, bool with_entries)
      : tree_(tree), min_bytes_(min_bytes), min_words_(min_words), with_entries_(with_entries) {}

  /// Below the node `used` of the tree that encoded the stream, `wanted` of the one for the next streams.
  void visit(std::size_t used, std::size_t wanted, std::size_t depth) {
    const PlanNode& node = tree_.plan.nodes[used];
    if (node != tree_.wanted.nodes[wanted] || node.encoding == EncodingId::match) return;
    if (depth + 2 > max_plan_depth) return;
    std::size_t child = used + 1, wanted_child = wanted + 1;
    for (std::size_t i = 0; i < children_of(node); ++i) {
      if (is_large(child) && (with_entries_ || i > 0 || !is_dictionary(node.encoding))) {
        if (tree_.plan.nodes[child].encoding != EncodingId::match)
          places.push_back(place_at(tree_.wanted, wanted_child, tree_.sizes[child].encoded_bytes));
        visit(child, wanted_child, depth + 1);
      }
      child = next_sibling(tree_.plan, child);
      wanted_child = next_sibling(tree_.wanted, wanted_child);
    }
  }
  std::vector<MatchPlace> places;

 private:
  [[nodiscard]] bool is_large(std::size_t node) const {
    const NodeSize& size = tree_.sizes[node];
    return size.encoded_bytes >= min_bytes_ && size.words_bytes >= min_words_;
  }

  const EncodedTree& tree_;
  const std::uint64_t min_bytes_, min_words_;
  const bool with_entries_;
};

}  // namespace

std::vector<MatchPlace> places_in(const EncodedTree& tree, std::uint64_t min_bytes, std::uint64_t min_words,
                                  bool with_entries) {
  if (tree.sizes.empty()) return {};
  Walk walk(tree, min_bytes, min_words, with_entries);
  walk.visit(0, 0, 1);
  return std::move(walk.places);
}

std::optional<MatchPlace> first_differences(const Plan& plan) {
  for (std::size_t node = 0;; ++node) {
    const EncodingId encoding = plan.nodes[node].encoding;
    if (encoding == EncodingId::delta) return place_at(plan, node + 1, 0);
    if (children_of(plan.nodes[node]) == 0 || encoding == EncodingId::match || is_dictionary(encoding))
      return {};
  }
}

bool are_first_differences(const MatchPlace& place) {
  return place.before.back().encoding == EncodingId::delta &&
         std::all_of(place.before.begin(), place.before.end() - 1, [](const PlanNode& node) {
           return node.encoding != EncodingId::delta && children_of(node) > 0;
         });
}

std::vector<MatchPlace> places_of_differences(const ColumnView& stream,
                                              std::span<const std::uint32_t> strides, bool all,
                                              const Objective& objective, Scratch& scratch) {
  std::vector<MatchPlace> places;
  if (strides.empty()) return places;
  std::vector<FarFrame> frames = frames_of_words(stream, objective, scratch);
  if (!all) frames.erase(frames.begin(), frames.end() - 1);
  for (const FarFrame& frame : frames) {
    for (const std::uint32_t stride : strides) {
      std::vector<PlanNode> before = frame.before;
      before.push_back({EncodingId::delta, {1, stride}});
      places.push_back({std::move(before), frame.behind, 0});
    }
  }
  return places;
}

std::optional<MatchPlace> place_of_runs(const ColumnView& stream, std::uint64_t mean_run) {
  const std::uint64_t changes = with_word(size_of(stream.type), [&]<class W>(W) {
    const W* const words = stream.words<W>().data();
    std::uint64_t count = 0;
    for (std::uint64_t i = 0; i < windows; ++i) {
      const std::uint64_t first = (stream.count - window_words) / windows * i;
      for (std::uint64_t at = first + 1; at < first + window_words; ++at)
        count += words[at] != words[at - 1] ? 1 : 0;
    }
    return count;
  });
  if (changes * mean_run > windows * window_words) return {};
  return MatchPlace{{{EncodingId::rle, {}}, {EncodingId::entropy, {}}}, {}, 0};
}

std::vector<MatchPlace> places_of_upper_bits(const ColumnView& stream, std::uint64_t known_bytes) {
  const std::size_t word_bits = 8 * size_of(stream.type);
  std::vector<MatchPlace> places;
  for (std::size_t shift = word_bits / 4; shift < word_bits; shift += word_bits / 16) {
    const std::uint64_t lower_bytes = stream.count * shift / 8;
    if (lower_bytes >= known_bytes) break;
    const PlanNode divide{EncodingId::divide, {1, static_cast<std::uint32_t>(shift)}};
    places.push_back({{divide}, {{EncodingId::entropy, {}}}, known_bytes - lower_bytes});
  }
  return places;
}

std::optional<MatchPlace> place_of_entries(const ColumnView& stream, std::uint64_t distinct,
                                           std::uint64_t known_bytes) {
  const std::uint64_t code_bytes = stream.count * core::bit_length(distinct) / 8;
  if (code_bytes >= known_bytes) return {};
  std::vector<PlanNode> before{{EncodingId::unique, {}}};
  if (is_float(stream.type)) before.push_back({EncodingId::sortable, {}});
  before.push_back({EncodingId::delta, {1, 1}});
  return MatchPlace{std::move(before), {{EncodingId::entropy, {}}}, known_bytes - code_bytes};
}

std::uint64_t reach_of(const MatchPlace& place) {
  std::uint64_t reach = 0;
  for (const auto& [encoding, parameters] : place.before) {
    if (encoding == EncodingId::delta) reach += std::uint64_t{parameters[0]} * parameters[1];
  }
  return reach;
}

std::optional<ColumnView> PlaceReader::words_at(const MatchPlace& place) {
  std::vector<PlanNode> nodes = place.before;
  nodes.push_back({EncodingId::raw, {}});
  nodes.insert(nodes.end(), place.behind.begin(), place.behind.end());
  const Plan plan{std::move(nodes)};
  const std::size_t end = place.before.size();
  ColumnView words = stream_;
  for (std::size_t node = 0; node < end;) {
    if (words.count == 0) return {};
    last_ = make(std::span(plan.nodes).first(node + 1), words);
    if (!last_->fits()) return {};
    std::size_t child = node + 1, index = 0;
    for (std::size_t next; (next = next_sibling(plan, child)) <= end; child = next) ++index;
    words = last_->child(index);
    node = child;
  }
  return words;
}

/// What the last of these nodes makes of the words that the others make.
PlaceReader::Made PlaceReader::make(std::span<const PlanNode> nodes, const ColumnView& words) {
  for (const auto& [known, made] : made_) {
    if (std::equal(known.begin(), known.end(), nodes.begin(), nodes.end())) return made;
  }
  const auto& [encoding, parameters] = nodes.back();
  auto made = std::make_shared<const EncodedOnce>(encoding_of(encoding), words, parameters, scratch_);
  if (remembers_) made_.push_back({{nodes.begin(), nodes.end()}, made});
  return made;
}

}  // namespace floe::trees
