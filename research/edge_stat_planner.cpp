#include "research/edge_stat_planner.hpp"

#include <algorithm>

#include "plan/search/facts/facts.hpp"
#include "plan/search/facts/integer_facts.hpp"
#include "plan/search/windows.hpp"

namespace floe::trees {
namespace {

constexpr std::uint64_t sampled_words = 10000;
constexpr std::size_t transform_levels = 3;
constexpr std::size_t max_height = 5;

PlanNode fast_leaf(DType type) {
  if (is_integer(type)) return {EncodingId::bitpack, {}};
  if (!is_wide_float(type)) return {EncodingId::raw, {}};
  return {EncodingId::codec, {type == DType::f64 ? 5U : 6U, 1}};  // gfc
}

/// The thesis's continuations of a stream.
std::vector<PlanNode> continuations(const ColumnView& stream, std::optional<EncodingId> parent,
                                    std::size_t level) {
  std::vector<PlanNode> all;
  if (level < transform_levels && stream.count > 1) {
    const StreamFacts facts = find_facts(stream);
    const auto add = [&](EncodingId id, Parameters parameters = {}) {
      if (parent != id) all.push_back({id, parameters});
    };
    const bool is_after_division = parent == EncodingId::split || parent == EncodingId::dict;
    if (is_integer(stream.type)) {
      add(EncodingId::delta, {1, 1});
      add(EncodingId::int_mult);
      if (!is_after_division) add(EncodingId::split, {0, 0});
    } else {
      const DecimalFacts decimals = find_decimals(stream);
      if (is_wide_float(stream.type)) add(EncodingId::decimal, {decimals.digits, decimals.integer_bytes});
    }
    if (!is_after_division) add(EncodingId::dict, {0, 4});
    if (facts.runs * 2 <= facts.sampled) {
      add(EncodingId::sparse);
      add(EncodingId::rle);
    }
  }
  all.push_back(fast_leaf(stream.type));
  all.push_back({EncodingId::raw, {}});
  return all;
}

struct SizedTree {
  std::vector<PlanNode> nodes;
  std::uint64_t bytes = ~std::uint64_t{0};
};

/// The smallest tree that begins with `node`.
SizedTree grow(const PlanNode& node, const ColumnView& stream, std::size_t level, Scratch& scratch) {
  std::vector<Stream> children;
  ByteWriter header;
  Encoded encoded{header, children, scratch};
  if (!encoding_of(node.encoding).encode(stream, node.parameters, encoded)) return {};
  SizedTree tree{{node}, header.size() + 1};
  for (Stream& child : children) {
    const ColumnView words = child.view();
    SizedTree best{{plain_leaf(words.type)}, 0};
    if (words.count > 0) {
      best.bytes = ~std::uint64_t{0};
      for (const PlanNode& next : continuations(words, node.encoding, level + 1)) {
        if (SizedTree grown = grow(next, words, level + 1, scratch); grown.bytes < best.bytes)
          best = std::move(grown);
      }
    }
    tree.bytes += best.bytes;
    tree.nodes.insert(tree.nodes.end(), best.nodes.begin(), best.nodes.end());
  }
  return tree;
}

/// A sub-tree that begins with `node`, from the best pairs.
void rebuild(const PlanNode& node, DType type, std::optional<EdgeSlot> slot, std::size_t height,
             const EdgeStatistics& statistics, Plan& out) {
  out.nodes.push_back(node);
  const Encoding& encoding = encoding_of(node.encoding);
  for (unsigned child = 0; child < encoding.children_of(node.parameters); ++child) {
    const DType child_type = encoding.child_type(type, node.parameters, child);
    const EdgeSlot edge = slot ? slot_below(*slot, child) : child;
    PlanNode next = plain_leaf(child_type);
    for (const EdgeStatistics::Pair& pair : statistics.best_pairs(edge)) {
      if (pair.parent != node || pair.value <= ratio_one ||
          !encoding_of(pair.child.encoding).accepts(child_type, pair.child.parameters))
        continue;
      if (height < max_height || encoding_of(pair.child.encoding).children_of(pair.child.parameters) == 0) {
        next = pair.child;
        break;
      }
    }
    rebuild(next, child_type, edge, height + 1, statistics, out);
  }
}

/// Copies a plan and corrects it at the first edge where that is possible.
class PlanCorrector {
 public:
  PlanCorrector(const Plan& plan, const EdgeStatistics& snapshot, const EdgeStatistics& now)
      : plan_(plan), snapshot_(snapshot), now_(now) {}

  Plan correct(DType type) {
    std::size_t node = 0;
    copy(node, type, std::nullopt, 1);
    return out_;
  }

 private:
  void copy(std::size_t& node, DType type, std::optional<EdgeSlot> slot, std::size_t height) {
    const std::size_t begin = node++;
    const PlanNode& at = plan_.nodes[begin];
    const Encoding& encoding = encoding_of(at.encoding);
    const unsigned children = encoding.children_of(at.parameters);
    if (!is_corrected_) {
      std::size_t child_node = begin + 1;
      for (unsigned child = 0; child < children && !is_corrected_;
           ++child, child_node = next_sibling(plan_, child_node)) {
        if (const auto first = better_beginning(at, plan_.nodes[child_node], type,
                                                slot ? slot_below(*slot, child) : child)) {
          is_corrected_ = true;
          rebuild(*first, type, slot, height, now_, out_);
          node = next_sibling(plan_, begin);
          return;
        }
      }
    }
    out_.nodes.push_back(at);
    for (unsigned child = 0; child < children; ++child) {
      const EdgeSlot edge = slot ? slot_below(*slot, child) : child;
      const DType child_type = encoding.child_type(type, at.parameters, child);
      if (const auto end =
              is_corrected_ ? std::nullopt : better_end(at, plan_.nodes[node], child_type, edge)) {
        is_corrected_ = true;
        rebuild(*end, child_type, edge, height + 1, now_, out_);
        node = next_sibling(plan_, node);
      } else {
        copy(node, child_type, edge, height + 1);
      }
    }
  }

  std::optional<PlanNode> better_end(const PlanNode& parent, const PlanNode& child, DType child_type,
                                     EdgeSlot edge) const {
    const std::uint32_t before = snapshot_.value(edge, parent, child);
    for (const EdgeStatistics::Pair& pair : now_.best_pairs(edge)) {
      if (pair.value <= before) break;
      if (pair.parent == parent && pair.child != child &&
          encoding_of(pair.child.encoding).accepts(child_type, pair.child.parameters))
        return pair.child;
    }
    return std::nullopt;
  }

  /// Only if no pair with the same beginning is better.
  std::optional<PlanNode> better_beginning(const PlanNode& parent, const PlanNode& child, DType type,
                                           EdgeSlot edge) const {
    const Encoding& encoding = encoding_of(parent.encoding);
    for (const EdgeStatistics::Pair& pair : now_.best_pairs(edge)) {
      if (pair.value <= snapshot_.value(edge, parent, child)) break;
      if (pair.parent == parent && pair.child != child &&
          encoding_of(pair.child.encoding)
              .accepts(encoding.child_type(type, parent.parameters, edge % max_edges),
                       pair.child.parameters)) {
        return std::nullopt;
      }
    }
    for (const EdgeStatistics::Pair& pair : now_.best_pairs(edge)) {
      if (pair.value <= snapshot_.value(edge, parent, child)) break;
      if (pair.parent != parent && encoding_of(pair.parent.encoding).accepts(type, pair.parent.parameters))
        return pair.parent;
    }
    return std::nullopt;
  }

  const Plan& plan_;
  const EdgeStatistics& snapshot_;
  const EdgeStatistics& now_;
  bool is_corrected_ = false;
  Plan out_;
};

}  // namespace

Plan correct_plan(const Plan& plan, DType type, const EdgeStatistics& snapshot, const EdgeStatistics& now) {
  Plan corrected = PlanCorrector(plan, snapshot, now).correct(type);
  return check_plan(corrected, type).ok() ? corrected : plan;
}

Plan EdgeStatPlanner::search(const ColumnView& segment, Scratch& scratch) {
  const ColumnView sample = windows_of(segment, sampled_words, 1)[0];
  SizedTree best;
  for (const PlanNode& node : continuations(sample, std::nullopt, 0)) {
    SizedTree tree = grow(node, sample, 0, scratch);
    if (tree.nodes.empty() || tree.nodes.size() > max_plan_nodes) continue;
    statistics_.update(encode_tree(sample, {tree.nodes}, scratch));
    if (tree.bytes < best.bytes) best = std::move(tree);
  }
  return {best.nodes};
}

EncodedTree EdgeStatPlanner::encode(const ColumnView& segment, Scratch& scratch) {
  const bool is_first = segment_count_ == 0;
  if (is_first || segment_count_ % search_period_ == search_period_ - 1) {
    plan_ = search(segment, scratch);
    snapshot_ = statistics_;
    snapshot_ratio_ = 0;
  }
  ++segment_count_;
  EncodedTree tree = encode_tree(segment, plan_, scratch);
  statistics_.update(tree);
  const std::uint64_t ratio = segment.bytes() * ratio_one / std::max<std::uint64_t>(tree.body.size(), 1);
  if (ratio < snapshot_ratio_) {
    plan_ = correct_plan(plan_, segment.type, snapshot_, statistics_);
    snapshot_ = statistics_;
  }
  snapshot_ratio_ = ratio;
  return tree;
}

}  // namespace floe::trees
