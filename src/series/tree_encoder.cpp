#include "series/tree_encoder.hpp"

#include <algorithm>

namespace floe::series {
namespace {

bool is_constant(const ColumnView& column) {
  return with_word(bytes_of(column.type), [&]<class W>(W) {
    const std::span<const W> words = column.words<W>();
    return std::adjacent_find(words.begin(), words.end(), std::not_equal_to<>()) == words.end();
  });
}

class TreeEncoder {
 public:
  TreeEncoder(const Plan& wanted, Scratch& scratch, EncodedTree& out) : wanted_(wanted), scratch_(scratch), out_(out) {}

  /// Encodes with the sub-tree at `node`.
  void encode(const ColumnView& column, std::size_t node) {
    if (column.count == 0) return put_leaf({EncodingId::raw, {}}, column);
    if (is_constant(column)) return put_leaf({EncodingId::constant, {}}, column);
    const std::size_t first_byte = out_.body.size(), first_node = out_.plan.nodes.size();
    if (!encode_node(column, node)) {
      reset(first_byte, first_node);
      put_leaf(plain_leaf(column.type), column);
    }
    if (out_.body.size() - first_byte > column.bytes()) {
      reset(first_byte, first_node);
      put_leaf({EncodingId::raw, {}}, column);
    }
  }

 private:
  bool encode_node(const ColumnView& column, std::size_t node) {
    const PlanNode& wanted = wanted_.nodes[node];
    std::vector<Stream> children;
    out_.plan.nodes.push_back(wanted);
    Encoded encoded{out_.body, children, scratch_};
    if (!encoding_of(wanted.encoding).encode(column, wanted.parameters, encoded)) return false;
    std::size_t child_node = node + 1;
    for (Stream& child : children) {
      encode(child.view(), child_node);
      child_node = next_sibling(wanted_, child_node);
    }
    return true;
  }

  void put_leaf(const PlanNode& leaf, const ColumnView& column) {
    out_.plan.nodes.push_back(leaf);
    if (column.count == 0) return;
    std::vector<Stream> no_children;
    Encoded encoded{out_.body, no_children, scratch_};
    encoding_of(leaf.encoding).encode(column, leaf.parameters, encoded);
  }

  void reset(std::size_t byte, std::size_t node) {
    out_.body.cut(byte);
    out_.plan.nodes.resize(node);
  }

  const Plan& wanted_;
  Scratch& scratch_;
  EncodedTree& out_;
};

}  // namespace

PlanNode plain_leaf(Type type) noexcept { return {is_integer(type) ? EncodingId::afl : EncodingId::raw, {}}; }

EncodedTree encode_tree(const ColumnView& column, const Plan& plan, Scratch& scratch) {
  EncodedTree tree;
  TreeEncoder(plan, scratch, tree).encode(column, 0);
  return tree;
}

std::vector<std::uint8_t> serialize(const EncodedTree& tree) {
  ByteWriter bytes;
  write_plan(tree.plan, bytes);
  bytes.put_bytes(tree.body.bytes());
  return {bytes.bytes().begin(), bytes.bytes().end()};
}

}  // namespace floe::series
