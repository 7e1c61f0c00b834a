// How many words does a decoder touch? As many as its bytes and its words account for, whatever the bytes
// are: counted at every node of a tree, so that no machine and no moment changes the number.
#include <gtest/gtest.h>

#include "tests/encodings/every_encoding.hpp"
#include "tests/series/columns.hpp"
#include "tests/series_cuda/trees.hpp"
#include "tree/tree_decoder.hpp"

namespace floe::test {
namespace {

using trees::Source;

/// Words that all nodes gave, or passed over, and the calls that asked for them.
struct Work {
  std::uint64_t words = 0, calls = 0, nodes = 0;
};

class CountingSource final : public Source {
 public:
  CountingSource(std::unique_ptr<Source> source, Work& work) : source_(std::move(source)), work_(work) {}
  bool read(void* words, std::size_t count) override {
    work_.words += count;
    ++work_.calls;
    return source_->read(words, count);
  }
  bool skip(std::uint64_t count) override {
    work_.words += count;
    ++work_.calls;
    return source_->skip(count);
  }

 private:
  std::unique_ptr<Source> source_;
  Work& work_;
};

/// As tree_decoder opens trees, with a counter around every node.
struct CountedTree {
  const trees::Plan& plan;
  trees::ByteReader& body;
  Work& work;
  std::size_t next_node = 0;

  std::unique_ptr<Source> open(DType type, std::uint64_t count);
};

class CountedOpening final : public trees::Opening {
 public:
  CountedOpening(CountedTree& tree, const trees::PlanNode& node, DType node_type, std::uint64_t node_count)
      : Opening(tree.body, node_type, node_count, node.parameters, trees::Wanted::all),
        tree_(tree),
        encoding_(trees::encoding_of(node.encoding)) {}
  std::unique_ptr<Source> open_child(std::uint64_t child_count) override {
    return tree_.open(encoding_.child_type(type, parameters, child_++), child_count);
  }

 private:
  CountedTree& tree_;
  const trees::Encoding& encoding_;
  unsigned child_ = 0;
};

class NoWords final : public Source {
  bool read(void*, std::size_t) override { return true; }
  bool skip(std::uint64_t) override { return true; }
};

std::unique_ptr<Source> CountedTree::open(DType type, std::uint64_t count) {
  if (count == 0) {
    next_node = trees::next_sibling(plan, next_node);
    return std::make_unique<NoWords>();
  }
  const trees::PlanNode& node = plan.nodes[next_node++];
  ++work.nodes;
  CountedOpening opening(*this, node, type, count);
  auto source = trees::encoding_of(node.encoding).open(opening);
  return source == nullptr ? nullptr : std::make_unique<CountingSource>(std::move(source), work);
}

/// Decodes `out.count()` words of the body of a tree. Whether that contradicts the format does not matter.
Work work_of(const trees::Plan& plan, std::span<const std::uint8_t> body, Column& out) {
  Work work;
  trees::ByteReader reader(body);
  CountedTree tree{plan, reader, work};
  const auto source = tree.open(out.type, out.count());
  if (source == nullptr) return work;
  for (std::uint64_t at = 0; at < out.count();) {
    const auto piece =
        static_cast<std::size_t>(std::min<std::uint64_t>(trees::piece_words, out.count() - at));
    if (!source->read(out.bytes.data() + at * size_of(out.type), piece)) break;
    at += piece;
  }
  return work;
}

class DecodingWork : public testing::Test {
 protected:
  void TearDown() override {
    RecordProperty("cases", std::to_string(cases_));
    RecordProperty("words_per_node_word_and_byte", std::to_string(max_words_));
  }
  /// No node has more words than the tree gives, or than bytes come in; it is asked for pieces, blocks or
  /// runs of them.
  void check(const trees::Plan& plan, std::span<const std::uint8_t> body, Column& out) {
    const Work work = work_of(plan, body, out);
    const std::uint64_t nodes = plan.nodes.size(), both = out.count() + body.size();
    ASSERT_LE(work.nodes, nodes);
    ASSERT_LE(work.words, nodes * both) << trees::text_of(plan);
    ASSERT_LE(work.calls, nodes * (1 + out.count() / 16)) << trees::text_of(plan);
    max_words_ = std::max(max_words_, static_cast<double>(work.words) / static_cast<double>(nodes * both));
    ++cases_;
  }
  /// The stream of a column, and `changes` changes of it, each as far as it can be decoded.
  void check_changes(const trees::Plan& plan, const Column& column, unsigned changes) {
    if (column.count() == 0) return;
    const auto encoded = ColumnEncoder(plan).encode(column.view());
    const auto parts = trees::parts_of(encoded, column.type, column.count());
    ASSERT_TRUE(parts);
    const trees::Plan used = parts->front().plan;
    trees::ByteReader reader(encoded);
    ASSERT_EQ(reader.get_varint(), 1u);  // part
    ASSERT_EQ(reader.get_varint(), 0u);  // a plan of its own
    ASSERT_TRUE(trees::read_plan(reader, column.type) && trees::find_body(reader, used));
    const std::vector<std::uint8_t> body(encoded.end() - static_cast<std::ptrdiff_t>(reader.remaining()),
                                         encoded.end());
    Column out(column.type, column.count());
    check(used, body, out);
    if (body.empty()) return;
    for (std::uint64_t change = 0; change < changes; ++change) {
      std::vector<std::uint8_t> damaged = body;
      const std::uint64_t random = core::splitmix(change * 977 + body.size());
      const std::size_t range = change % 2 == 0 ? std::min<std::size_t>(damaged.size(), 40) : damaged.size();
      damaged[random % range] = static_cast<std::uint8_t>(random >> 32);
      check(used, damaged, out);
    }
  }

 private:
  double max_words_ = 0;
  std::uint64_t cases_ = 0;
};

TEST_F(DecodingWork, OfEveryEncoding) {
  for (const std::uint64_t count : {2u, 70u, 1100u, 9000u}) {
    const unsigned changes = sanitized ? 5 : 50;
    for (const auto& [name, column] : sampled_columns(DType::i32, count))
      for (const char* tree : trees_of_integers)
        check_changes(trees::plan_from_text(tree, DType::i32).value(), column, changes);
    for (const auto& [name, column] : sampled_columns(DType::f64, count))
      for (const char* tree : trees_of_floats)
        check_changes(trees::plan_from_text(tree, DType::f64).value(), column, changes);
  }
}

TEST_F(DecodingWork, OfRandomTrees) {
  for (std::uint64_t seed = 0; seed < (sanitized ? 60 : 600); ++seed) {
    const DType type = word_types[core::splitmix(seed) % std::size(word_types)];
    const trees::Plan plan = random_plan(core::splitmix(seed + 3), type, Drawn::recorded);
    for (const std::uint64_t count : {1u, 17u, 300u, 5000u})
      for (const auto& [name, column] : sampled_columns(type, count)) check_changes(plan, column, 3);
  }
}

}  // namespace
}  // namespace floe::test
