// Does every encoding, by itself and in trees, bring back every bit of every type?
#include <gtest/gtest.h>

#include "tests/series/columns.hpp"
#include "tests/support/data.hpp"
#include "tree/tree_decoder.hpp"

namespace floe::test {
namespace {

/// Strides that are far, other numbers that are large, and parts that share a child.
std::vector<std::uint32_t> more_values(trees::EncodingId id, unsigned parameter) {
  if (id == trees::EncodingId::delta && parameter == 1) return {65, 3000};
  if (id == trees::EncodingId::stride_split) return {66, 67, 75, 829, 65599};
  return {};
}

/// Every parameter at its least and at some more values, so that each variant of an encoding is met.
std::vector<trees::Parameters> parameters_of(const trees::Encoding& encoding) {
  std::vector<trees::Parameters> all = {{}};
  for (unsigned i = 0; i < encoding.parameter_count; ++i) {
    std::vector<trees::Parameters> more;
    for (const trees::Parameters& before : all) {
      const std::uint32_t min = encoding.ranges[i].min;
      for (std::uint32_t value = min; value <= std::min(encoding.ranges[i].max, min + 8); ++value) {
        const std::uint32_t first = i == 0 ? 0 : before[0] - encoding.ranges[0].min;
        if (first > 1 && value != min && value != min + first) continue;  // not every pair of many values
        more.push_back(before);
        more.back()[i] = value;
      }
      for (const std::uint32_t value : more_values(encoding.id, i)) {
        more.push_back(before);
        more.back()[i] = value;
      }
    }
    all = std::move(more);
  }
  return all;
}

/// The encoding at the root, over leaves that take anything.
trees::Plan plan_with_leaves(const trees::Encoding& encoding, const trees::Parameters& parameters,
                             DType type) {
  trees::Plan plan{{{encoding.id, parameters}}};
  for (unsigned child = 0; child < encoding.children_of(parameters); ++child) {
    plan.nodes.push_back({is_float(encoding.child_type(type, parameters, child)) ? trees::EncodingId::raw
                                                                                 : trees::EncodingId::bitpack,
                          {}});
  }
  return plan;
}

void expect_slices(std::span<const std::uint8_t> stream, const Column& column, const std::string& what) {
  const std::size_t word_bytes = size_of(column.type);
  for (const std::uint64_t first : {std::uint64_t{0}, column.count() / 3, column.count() - 1}) {
    for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{1}, (column.count() - first) / 2 + 1}) {
      if (count > column.count() - first) continue;
      std::vector<std::uint64_t> aligned(count + 1);
      const Status status =
          trees::decode_slice(stream, column.type, column.count(), {first, count}, aligned.data());
      ASSERT_TRUE(status.ok()) << what << ": " << status.message();
      ASSERT_EQ(std::memcmp(aligned.data(), column.bytes.data() + first * word_bytes, count * word_bytes), 0)
          << what << " " << first << " " << count;
    }
  }
}

void expect_round_trip(ColumnEncoder& encoder, const Column& column, const std::string& what) {
  const std::vector<std::uint8_t> bytes = encoder.encode(column.view());
  const bool is_leaf = chunks::leaf_of_front(bytes, size_of(column.type)).has_value();
  EXPECT_LE(bytes.size(),
            is_leaf ? chunks::stream_bound(column.bytes.size(), false) : column.bytes.size() + 16)
      << what;
  Column decoded(column.type, column.count());
  const Status status = decode(bytes, decoded);
  ASSERT_TRUE(status.ok()) << what << ": " << status.message();
  ASSERT_EQ(decoded.bytes, column.bytes) << what;
  if (!is_leaf && column.count() > 0) expect_slices(bytes, column, what);
}

/// Of words that are read and passed over in turn, every one that is read must be right.
void expect_parts(const Column& column, const trees::Plan& plan,
                  trees::Wanted wanted = trees::Wanted::parts) {
  trees::Scratch scratch;
  const trees::EncodedTree tree = trees::encode_tree(column.view(), plan, scratch);
  core::ByteReader body(tree.body.bytes());
  const auto source = trees::open_tree(tree.plan, body, column.type, column.count(), wanted);
  ASSERT_NE(source, nullptr);
  const std::size_t word_bytes = size_of(column.type);
  Random random(column.count());
  for (std::uint64_t first = 0, turn = 0; first < column.count(); ++turn) {
    const std::uint64_t left = column.count() - first,
                        count = std::min(1 + random.below(std::uint64_t{1} << random.below(13)), left);
    if (random.below(2) == 0) {
      ASSERT_TRUE(source->skip(count));
    } else {
      std::vector<std::uint64_t> aligned(count);
      ASSERT_TRUE(source->read(aligned.data(), static_cast<std::size_t>(count)));
      ASSERT_EQ(std::memcmp(aligned.data(), column.bytes.data() + first * word_bytes, count * word_bytes), 0)
          << first << " " << count;
    }
    first += count;
  }
}

class EncodingOfType : public testing::TestWithParam<DType> {};

/// Blocks of entropy are decoded two at a time, if enough words are asked for.
TEST_P(EncodingOfType, GivesPartsOfManyBlocks) {
  const auto plan = trees::plan_from_text("entropy", GetParam());
  if (!plan) return;
  for (const std::uint64_t count : {30'000, 150'000}) {
    for (const auto& [name, column] : sampled_columns(GetParam(), count)) {
      SCOPED_TRACE(name + " of " + std::to_string(count));
      expect_parts(column, *plan, trees::Wanted::parts);
      expect_parts(column, *plan, trees::Wanted::all);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(EncodingOfType, GivesPartsOfItsWords) {
  std::size_t number = 0;
  for (const trees::Encoding& encoding : trees::all_encodings()) {
    for (const trees::Parameters& parameters : parameters_of(encoding)) {
      if (!encoding.accepts(GetParam(), parameters) || !is_sampled(GetParam(), number++)) continue;
      const trees::Plan plan = plan_with_leaves(encoding, parameters, GetParam());
      for (const std::uint64_t count : {33, 5000}) {
        for (const auto& [name, column] : columns_in_turn(GetParam(), count)) {
          SCOPED_TRACE(text_of(plan) + " on " + name + " of " + std::to_string(count));
          expect_parts(column, plan);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_P(EncodingOfType, BringsBackEveryBit) {
  std::size_t number = 0;
  for (const trees::Encoding& encoding : trees::all_encodings()) {
    for (const trees::Parameters& parameters : parameters_of(encoding)) {
      if (!encoding.accepts(GetParam(), parameters) || !is_sampled(GetParam(), number++)) continue;
      const trees::Plan plan = plan_with_leaves(encoding, parameters, GetParam());
      ASSERT_TRUE(check_plan(plan, GetParam()).ok()) << text_of(plan);
      ColumnEncoder encoder(plan);
      for (const std::uint64_t count : test_counts) {
        for (const auto& [name, column] : columns_in_turn(GetParam(), count)) {
          expect_round_trip(encoder, column, text_of(plan) + " on " + name + " of " + std::to_string(count));
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_P(EncodingOfType, MakesNothingOfNoWords) {
  ColumnEncoder encoder;
  EXPECT_TRUE(encoder.encode({GetParam(), nullptr, 0}).empty());
}

TEST_P(EncodingOfType, ChoosesTreesByItself) {
  for (const std::uint64_t count : test_counts) {
    ColumnEncoder encoder;
    for (const auto& [name, column] : sampled_columns(GetParam(), count)) {
      expect_round_trip(encoder, column, "chosen on " + name + " of " + std::to_string(count));
      if (HasFatalFailure()) return;
    }
  }
}

TEST(IntMultEncoding, TakesWordsOfWhichALateOneHasASmallerDivisor) {
  ColumnEncoder encoder(trees::Plan{{{trees::EncodingId::int_mult, {}}, {trees::EncodingId::bitpack, {}}}});
  for (const std::size_t late : {511U, 512U, 513U, 4000U, 4999U}) {
    Column column(DType::i32, 5000);
    auto* const words = reinterpret_cast<std::int32_t*>(column.bytes.data());
    for (std::size_t i = 0; i < column.count(); ++i)
      words[i] = static_cast<std::int32_t>(i % 100) * 60 - 3000;
    words[late] += 15;
    expect_round_trip(encoder, column, "a late word at " + std::to_string(late));
  }
}

INSTANTIATE_TEST_SUITE_P(Types, EncodingOfType, testing::ValuesIn(word_types),
                         [](const auto& type) { return std::string(name_of(type.param)); });

}  // namespace
}  // namespace floe::test
