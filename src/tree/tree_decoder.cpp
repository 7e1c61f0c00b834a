#include "tree/tree_decoder.hpp"

#include <algorithm>

#include "core/memory_budget.hpp"

namespace floe::trees {
namespace {

class NodeOpening;

struct OpenTree {
  const Plan& plan;
  ByteReader& body;
  std::size_t next_node;
  Wanted wanted;
};

std::unique_ptr<Source> open_node(OpenTree& tree, DType type, std::uint64_t count);

class NodeOpening final : public Opening {
 public:
  NodeOpening(OpenTree& tree, const PlanNode& node, DType node_type, std::uint64_t node_count)
      : Opening(tree.body, node_type, node_count, node.parameters, tree.wanted),
        tree_(tree),
        encoding_(encoding_of(node.encoding)) {}
  std::unique_ptr<Source> open_child(std::uint64_t child_count) override {
    return open_node(tree_, encoding_.child_type(type, parameters, child_++), child_count);
  }

 private:
  OpenTree& tree_;
  const Encoding& encoding_;
  unsigned child_ = 0;
};

/// A stream without words, whose tree has no headers.
class EmptySource final : public Source {
 public:
  bool read(void*, std::size_t) override { return true; }
  bool skip(std::uint64_t) override { return true; }
};

std::unique_ptr<Source> open_node(OpenTree& tree, DType type, std::uint64_t count) {
  if (count == 0) {
    tree.next_node = next_sibling(tree.plan, tree.next_node);
    return std::make_unique<EmptySource>();
  }
  const PlanNode& node = tree.plan.nodes[tree.next_node++];
  core::MemoryBudget::take(memory_of_node);
  NodeOpening opening(tree, node, type, count);
  return encoding_of(node.encoding).open(opening);
}

}  // namespace

std::unique_ptr<Source> open_tree(const Plan& plan, ByteReader& body, DType type, std::uint64_t count,
                                  Wanted wanted) {
  OpenTree tree{plan, body, 0, wanted};
  return open_node(tree, type, count);
}

bool decode_tree(const Plan& plan, std::span<const std::uint8_t> body, DType type, std::uint64_t count,
                 void* out) {
  ByteReader reader(body);
  const std::unique_ptr<Source> source = open_tree(plan, reader, type, count, Wanted::all);
  if (source == nullptr) return false;
  auto* to = static_cast<std::uint8_t*>(out);
  for (; count > 0; count -= std::min<std::uint64_t>(piece_words, count)) {
    const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(piece_words, count));
    if (!source->read(to, piece)) return false;
    to += piece * size_of(type);
  }
  return true;
}

}  // namespace floe::trees
