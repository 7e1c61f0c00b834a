// Do floats and their differences, which are made at once, take the bytes that they take one after the other?
// Is a tree never deeper than it may be, whatever a planner of children finds?
#include "tree/tree_encoder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "core/splitmix.hpp"
#include "encodings/encoding_memo.hpp"

namespace floe::trees {
namespace {

constexpr std::size_t count = 20000;

/// A wave of either sign with noise, and what is no number.
template <class F>
std::vector<F> wave() {
  std::vector<F> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = static_cast<F>(std::sin(static_cast<double>(i) / 700) +
                               static_cast<double>(core::splitmix(i) % 1024) / 65536);
  values[3] = F{0} * F{-1};
  values[70] = std::numeric_limits<F>::infinity();
  values[count / 2] = std::numeric_limits<F>::quiet_NaN();
  values[count - 1] = -std::numeric_limits<F>::denorm_min();
  return values;
}

template <class F>
std::vector<F> noise() {
  std::vector<F> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = core::splitmix(i);
    std::memcpy(&values[i], &bits, sizeof(F));
  }
  return values;
}

/// Where a memo has the integers, each encoding works by itself.
template <class F>
void expect_same_tree(const std::vector<F>& values, const std::string& text) {
  const DType type = sizeof(F) == 8 ? DType::f64 : DType::f32;
  const ColumnView column{type, values.data(), values.size()};
  const Plan plan = plan_from_text(text, type).value();
  Scratch scratch;
  const EncodedTree at_once = encode_tree(column, plan, scratch);
  EncodingMemo memo(column, scratch);
  ASSERT_NE(memo.encode(EncodingId::sortable, encoding_of(EncodingId::sortable).encode, column, {}), nullptr);
  const EncodedTree one_by_one = encode_tree(column, plan, scratch);
  EXPECT_EQ(at_once.plan, one_by_one.plan) << text;
  EXPECT_EQ(at_once.wanted, one_by_one.wanted) << text;
  EXPECT_TRUE(std::ranges::equal(at_once.body.bytes(), one_by_one.body.bytes())) << text;
  ASSERT_EQ(at_once.sizes.size(), one_by_one.sizes.size()) << text;
  for (std::size_t i = 0; i < at_once.sizes.size(); ++i) {
    EXPECT_EQ(at_once.sizes[i].words_bytes, one_by_one.sizes[i].words_bytes) << text << " " << i;
    EXPECT_EQ(at_once.sizes[i].encoded_bytes, one_by_one.sizes[i].encoded_bytes) << text << " " << i;
  }
}

TEST(TreeEncoder, MakesDifferencesOfFloatsAtOnce) {
  for (const char* const text : {"sortable,delta,entropy", "sortable,delta(2),entropy",
                                 "sortable,delta(1,3),bitpack", "sortable,delta(2,8),entropy",
                                 "sortable,delta(1,1018),entropy", "sortable,delta(2,500),delta,bitpack"}) {
    expect_same_tree(wave<float>(), text);
    expect_same_tree(wave<double>(), text);
  }
}

TEST(TreeEncoder, LeavesDifferencesThatSaveNothing) {
  for (const char* const text : {"sortable,delta,raw", "sortable,delta,delta,bitpack"}) {
    expect_same_tree(noise<float>(), text);
    expect_same_tree(noise<double>(), text);
  }
}

/// Finds deep trees whatever is asked for.
class DeepPlanner final : public ChildPlanner {
 public:
  Plan plan_for(const ColumnView& child, std::size_t, const Plan&) override {
    ++asked;
    return plan_from_text("delta,delta,delta,delta,delta,delta,delta,bitpack", child.type).value();
  }
  unsigned asked = 0;
};

TEST(TreeEncoder, DoesWithoutChildrenThatAreTooDeep) {
  std::vector<std::int32_t> runs(count);
  for (std::size_t i = 0; i < count; ++i) runs[i] = static_cast<std::int32_t>(core::splitmix(i / 50) % 5000);
  const ColumnView column{DType::i32, runs.data(), runs.size()};
  const Plan plan = plan_from_text("rle,bitpack,delta,bitpack", DType::i32).value();
  Scratch scratch;
  DeepPlanner planner;
  const EncodedTree tree = encode_tree(column, plan, scratch, &planner),
                    without = encode_tree(column, plan, scratch);
  EXPECT_GT(planner.asked, 0U);
  EXPECT_EQ(tree.plan, without.plan);
  EXPECT_EQ(tree.wanted, without.wanted);
  EXPECT_TRUE(std::ranges::equal(tree.body.bytes(), without.body.bytes()));
}

}  // namespace
}  // namespace floe::trees
