// Are contexts tried where words are in rows, above the leaf that has most of the bytes?
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "core/splitmix.hpp"
#include "plan/context_plans.hpp"

namespace floe::trees {
namespace {

std::vector<std::string> plans_of(Preset preset, std::initializer_list<std::uint32_t> strides) {
  std::vector<std::int16_t> words(30000);
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = static_cast<std::int16_t>(core::splitmix(i) & 255);
  Objective objective = objective_of(preset);
  for (const std::uint32_t stride : strides) objective.strides.add(stride);
  Scratch scratch;
  const ColumnView view{DType::i16, words.data(), words.size()};
  const EncodedTree best = encode_tree(view, plan_from_text("delta(2),entropy", DType::i16).value(), scratch);
  std::vector<std::string> texts;
  for (const Plan& plan : context_plans(view, best, objective, scratch)) texts.push_back(text_of(plan));
  return texts;
}

bool has(const std::vector<std::string>& plans, const std::string& text) {
  return std::ranges::any_of(plans, [&](const std::string& plan) { return plan.find(text) != plan.npos; });
}

TEST(ContextPlans, AreOfRows) {
  EXPECT_TRUE(has(plans_of(Preset::max, {100}), "delta,delta(1,100),context(100),multi_entropy(3)"));
  EXPECT_TRUE(has(plans_of(Preset::max, {100, 6000}), "delta,delta(1,100),context(100),"));
  EXPECT_TRUE(plans_of(Preset::max, {}).empty());
  EXPECT_TRUE(plans_of(Preset::max, {20000}).empty());
  EXPECT_TRUE(plans_of(Preset::ratio, {100}).empty());
}

TEST(ContextPlans, StepsAreThePartsOfPoints) {
  EXPECT_TRUE(has(plans_of(Preset::max, {3, 300}), "delta(1,3),delta(1,300),context(300,3),"));
}

TEST(ContextPlans, TheLargestLeafHasOne) {
  EXPECT_TRUE(has(plans_of(Preset::max, {100}), "delta(2),context(100),multi_entropy(3)"));
}

}  // namespace
}  // namespace floe::trees
