#include "tree/tree_encoder.hpp"

#include <algorithm>
#include <cstring>

#include "encodings/encoding_memo.hpp"
#include "encodings/encodings.hpp"

namespace floe::trees {
namespace {

/// Children are planned anew if they have so small a part of the words, but enough for a tree. Of entries of
/// a dictionary, samples show fewer.
constexpr std::uint64_t shrinkage_for_planning = 8, shrinkage_of_entries = 4, min_words_for_planning = 16;

/// Of fewer words, what two encodings make at once saves nothing worth it.
constexpr std::uint64_t min_words_at_once = 1 << 14;

Plan subtree(const Plan& plan, std::size_t node) {
  const auto begin = plan.nodes.begin();
  return {{begin + static_cast<std::ptrdiff_t>(node),
           begin + static_cast<std::ptrdiff_t>(next_sibling(plan, node))}};
}

class TreeEncoder {
 public:
  TreeEncoder(Scratch& scratch, ChildPlanner* child_planner, EncodedTree& out)
      : scratch_(scratch), child_planner_(child_planner), out_(out) {}

  /// Encodes with the sub-tree at `node` of `plan`.
  void encode(const ColumnView& column, const Plan& plan, std::size_t node, std::size_t depth) {
    const std::size_t first_byte = out_.body.size(), size_index = out_.sizes.size();
    encode_subtree(column, plan, node, depth);
    out_.sizes[size_index] = {column.bytes(), out_.body.size() - first_byte};
  }

 private:
  enum class Outcome : std::uint8_t { good, misfit, too_long };

  void encode_subtree(const ColumnView& column, const Plan& plan, std::size_t node, std::size_t depth) {
    if (column.count == 0) {
      put_leaf({EncodingId::raw, {}}, column);
    } else if (is_constant(column)) {
      put_leaf({EncodingId::constant, {}}, column);
    } else {
      Outcome outcome = try_tree(column, plan, node, depth);
      if (outcome == Outcome::misfit && child_planner_ != nullptr && depth > 1) {
        // The tree was found on a sample, and does not take all words, as a constant does not where only the
        // sample was one.
        outcome =
            try_tree(column, child_planner_->plan_for(column, max_plan_depth + 1 - depth, {}), 0, depth);
      }
      if (outcome == Outcome::good) return;
      put_leaf(outcome == Outcome::misfit ? plain_leaf(column.type) : PlanNode{EncodingId::raw, {}}, column);
    }
    const std::vector<PlanNode> nodes = subtree(plan, node).nodes;
    out_.wanted.nodes.insert(out_.wanted.nodes.end(), nodes.begin(), nodes.end());
  }

  /// What there was before a tree was tried.
  struct Mark {
    std::size_t bytes, nodes, wanted;
  };
  [[nodiscard]] Mark mark() const {
    return {out_.body.size(), out_.plan.nodes.size(), out_.wanted.nodes.size()};
  }
  void cut(const Mark& mark) {
    out_.body.cut(mark.bytes);
    out_.plan.nodes.resize(mark.nodes);
    out_.sizes.resize(mark.nodes);
    out_.wanted.nodes.resize(mark.wanted);
  }
  void put_node(const PlanNode& node) {
    out_.plan.nodes.push_back(node);
    out_.sizes.emplace_back();
    out_.wanted.nodes.push_back(node);
  }

  /// Leaves nothing behind unless the outcome is good.
  Outcome try_tree(const ColumnView& column, const Plan& plan, std::size_t node, std::size_t depth) {
    const Mark before = mark();
    if (subtracts_floats(column, plan, node)) {
      encode_differences(column, plan, node, depth);
      if (out_.body.size() - before.bytes <= column.bytes()) return Outcome::good;
      cut(before);  // both encodings decide by themselves what is shorter
    }
    Outcome outcome = encode_node(column, plan, node, depth) ? Outcome::good : Outcome::misfit;
    if (outcome == Outcome::good && out_.body.size() - before.bytes > column.bytes())
      outcome = Outcome::too_long;
    if (outcome != Outcome::good) cut(before);
    return outcome;
  }

  /// Whether floats become differences at once, because nothing else wants the integers between.
  [[nodiscard]] bool subtracts_floats(const ColumnView& column, const Plan& plan, std::size_t node) const {
    return plan.nodes[node].encoding == EncodingId::sortable &&
           plan.nodes[node + 1].encoding == EncodingId::delta &&
           !encoding_of(EncodingId::sortable).is_refused && !encoding_of(EncodingId::delta).is_refused &&
           column.count >= min_words_at_once &&
           (scratch_.memo == nullptr ||
            scratch_.memo->made_before(column, EncodingId::sortable, {}) == nullptr);
  }
  void encode_differences(const ColumnView& column, const Plan& plan, std::size_t node, std::size_t depth) {
    const PlanNode &sortable = plan.nodes[node], &delta = plan.nodes[node + 1];
    put_node(sortable);
    const std::size_t of_delta = out_.sizes.size(), first_byte = out_.body.size();
    put_node(delta);
    std::vector<Stream> made_here;
    Encoded encoded{out_.body, made_here, scratch_};
    encode_differences_of_floats(column, delta.parameters, encoded);
    encode(made_here[0].view(), plan, node + 2, depth + 2);
    out_.sizes[of_delta] = {column.bytes(), out_.body.size() - first_byte};
  }

  /// False if the encoding does not take these words.
  bool encode_node(const ColumnView& column, const Plan& plan, std::size_t node, std::size_t depth) {
    const PlanNode& at = plan.nodes[node];
    put_node(at);
    std::vector<Stream> made_here;
    const std::optional<std::span<const Stream>> children = children_of(column, at, made_here);
    if (!children) return false;
    const bool has_entries = at.encoding == EncodingId::dict || at.encoding == EncodingId::unique;
    const std::uint64_t shrinkage = has_entries ? shrinkage_of_entries : shrinkage_for_planning;
    std::size_t child_node = node + 1;
    for (const Stream& child : *children) {
      const ColumnView words = child.view();
      // What matches leave resembles no sample of the words.
      const bool is_short = words.count <= column.count / shrinkage,
                 is_new = is_short || at.encoding == EncodingId::match ||
                          (child_planner_ != nullptr && child_planner_->plans_all_children());
      if (child_planner_ != nullptr && child_planner_->plans_short_children() &&
          words.count >= min_words_for_planning && is_new) {
        const Plan known = subtree(plan, child_node);
        encode(words, child_planner_->plan_for(words, max_plan_depth - depth, known), 0, depth + 1);
      } else {
        encode(words, plan, child_node, depth + 1);
      }
      child_node = next_sibling(plan, child_node);
    }
    return true;
  }

  /// Puts the header of a node, and makes its children, or takes those that were made before; nothing if the
  /// encoding does not take the words.
  std::optional<std::span<const Stream>> children_of(const ColumnView& column, const PlanNode& node,
                                                     std::vector<Stream>& made_here) {
    const Encoding& encoding = encoding_of(node.encoding);
    const bool is_leaf = encoding.children_of(node.parameters) == 0;  // whose bytes depend on their position
    if (const auto* const made =
            is_leaf ? nullptr
                    : find_encoded(node.encoding, encoding.encode, column, node.parameters, scratch_)) {
      if (!made->fits) return {};
      out_.body.put_bytes(made->header.bytes());
      return made->children;
    }
    Encoded encoded{out_.body, made_here, scratch_};
    if (!encoding.encode(column, node.parameters, encoded)) return {};
    if (encoded.simpler) out_.plan.nodes.back() = {*encoded.simpler, {}};
    return made_here;
  }

  void put_leaf(const PlanNode& leaf, const ColumnView& column) {
    out_.plan.nodes.push_back(leaf);
    out_.sizes.emplace_back();
    if (column.count == 0) return;
    std::vector<Stream> no_children;
    const std::size_t first_byte = out_.body.size();
    Encoded encoded{out_.body, no_children, scratch_};
    encoding_of(leaf.encoding).encode(column, leaf.parameters, encoded);
    if (out_.body.size() - first_byte > column.bytes()) {
      out_.body.cut(first_byte);
      out_.plan.nodes.back() = {EncodingId::raw, {}};
      encoding_of(EncodingId::raw).encode(column, {}, encoded);
    }
  }

  Scratch& scratch_;
  ChildPlanner* child_planner_;
  EncodedTree& out_;
};

}  // namespace

PlanNode plain_leaf(DType type) noexcept {
  return {is_integer(type) ? EncodingId::bitpack : EncodingId::raw, {}};
}

bool is_constant(const ColumnView& column) {
  const std::uint64_t word_bytes = size_of(column.type);
  if (column.count < 2) return true;
  // All words are equal if each is equal to the next one. The C library compares bytes with the widest
  // instructions there are.
  const auto* const bytes = static_cast<const std::uint8_t*>(column.values);
  return std::memcmp(bytes, bytes + word_bytes, column.bytes() - word_bytes) == 0;
}

EncodedTree encode_tree(const ColumnView& column, const Plan& plan, Scratch& scratch,
                        ChildPlanner* child_planner) {
  EncodedTree tree;
  tree.body.reserve(static_cast<std::size_t>(column.bytes()));
  TreeEncoder(scratch, child_planner, tree).encode(column, plan, 0, 1);
  // Plans of children may make the tree too large, though hardly ever; nobody could read it.
  const auto is_too_large = [&](const Plan& made) {
    return made.nodes.size() > child_planner->max_nodes() || !check_plan(made, column.type).ok();
  };
  if (child_planner != nullptr && (is_too_large(tree.plan) || is_too_large(tree.wanted)))
    return encode_tree(column, plan, scratch);
  return tree;
}

}  // namespace floe::trees
