// Does every encoding keep to its rules: which parameters and words it takes, how many children it has and
// what words these get?
#include <gtest/gtest.h>

#include "tests/series/columns.hpp"

namespace floe::test {
namespace {

using trees::Encoding;
using trees::Parameters;

/// All parameters within the limits; of long ranges the ends and some between.
std::vector<Parameters> all_parameters(const Encoding& encoding) {
  std::vector<Parameters> all = {{}};
  for (unsigned i = 0; i < encoding.parameter_count; ++i) {
    const auto [min, max, usual] = encoding.ranges[i];
    std::vector<Parameters> more;
    for (const Parameters& before : all) {
      for (std::uint64_t value = min; value < max; value += 1 + (max - min) / 7) {
        more.push_back(before);
        more.back()[i] = static_cast<std::uint32_t>(value);
      }
      more.push_back(before);
      more.back()[i] = max;
    }
    all = std::move(more);
  }
  return all;
}

/// A plan with raw leaves.
trees::Plan plan_of(const Encoding& encoding, const Parameters& parameters, unsigned children) {
  trees::Plan plan{{{encoding.id, parameters}}};
  plan.nodes.resize(1 + children, {trees::EncodingId::raw, {}});
  return plan;
}

std::string text_of(const Encoding& encoding, const Parameters& parameters, unsigned children) {
  std::string text(encoding.name);
  for (unsigned i = 0; i < encoding.parameter_count; ++i)
    text += (i == 0 ? '(' : ',') + std::to_string(parameters[i]);
  if (encoding.parameter_count != 0) text += ')';
  for (unsigned child = 0; child < children; ++child) text += ",raw";
  return text;
}

/// Encodes a column and holds the children against the rules.
void expect_children(const Encoding& encoding, const Parameters& parameters, const Column& column,
                     const std::string& what) {
  trees::Scratch scratch;  // outlives the children, whose memory it lends
  core::ByteWriter header;
  std::vector<trees::Stream> children;
  trees::Encoded encoded{header, children, scratch};
  if (!encoding.encode(column.view(), parameters, encoded)) return;  // the words do not fit
  ASSERT_EQ(children.size(), encoding.children_of(parameters)) << what;
  for (unsigned child = 0; child < children.size(); ++child) {
    ASSERT_EQ(children[child].view().type, encoding.child_type(column.type, parameters, child))
        << what << ", child " << child;
  }
}

TEST(EncodingRules, ChildrenAreThoseOfTheTable) {
  for (const Encoding& encoding : trees::all_encodings()) {
    for (const Parameters& parameters : all_parameters(encoding)) {
      ASSERT_TRUE(are_within_limits(encoding.id, parameters[0], parameters[1]));
      for (const DType type : word_types) {
        if (!encoding.accepts(type, parameters)) continue;
        const unsigned children = encoding.children_of(parameters);
        ASSERT_LE(children, std::max(trees::children_by_parameter, trees::StrideSplitRules::max_children));
        const trees::Plan plan = plan_of(encoding, parameters, children);
        ASSERT_TRUE(check_plan(plan, type).ok()) << trees::text_of(plan);
        for (const auto& [name, column] : columns_in_turn(type, 700))
          expect_children(encoding, parameters, column, trees::text_of(plan) + " on " + name);
        // One child less or more is no tree.
        if (children != 0) {
          EXPECT_FALSE(check_plan(plan_of(encoding, parameters, children - 1), type).ok());
        }
        EXPECT_FALSE(check_plan(plan_of(encoding, parameters, children + 1), type).ok());
      }
    }
  }
}

TEST(EncodingRules, OtherWordsAreRefused) {
  unsigned refused = 0;
  for (const Encoding& encoding : trees::all_encodings()) {
    for (const Parameters& parameters : all_parameters(encoding)) {
      for (const DType type : word_types) {
        if (encoding.accepts(type, parameters)) continue;
        const unsigned children = encoding.children_of(parameters);
        const trees::Plan plan = plan_of(encoding, parameters, children);
        EXPECT_FALSE(check_plan(plan, type).ok()) << trees::text_of(plan) << " of " << name_of(type);
        core::ByteWriter stored;
        trees::write_plan(plan, stored);
        const std::vector<std::uint8_t> bytes = stored.release();
        core::ByteReader reader(bytes);
        EXPECT_EQ(trees::read_plan(reader, type).status().code, ErrorCode::corrupt_frame)
            << trees::text_of(plan) << " of " << name_of(type);
        ++refused;
        // The name of a codec stands for the one of the words at hand.
        if (encoding.id == trees::EncodingId::codec) continue;
        EXPECT_FALSE(trees::plan_from_text(trees::text_of(plan), type)) << trees::text_of(plan);
      }
    }
  }
  EXPECT_GT(refused, 100u);
}

TEST(EncodingRules, ParametersBeyondTheLimitsAreRefused) {
  for (const Encoding& encoding : trees::all_encodings()) {
    if (encoding.id == trees::EncodingId::codec) continue;  // trees name codecs instead
    Parameters usual{};
    for (unsigned i = 0; i < encoding.parameter_count; ++i) usual[i] = encoding.ranges[i].usual;
    for (unsigned i = 0; i < encoding.parameter_count; ++i) {
      const auto [min, max, value] = encoding.ranges[i];
      for (const std::uint32_t beyond : {min - 1, max + 1}) {
        Parameters parameters = usual;
        parameters[i] = beyond;
        EXPECT_FALSE(are_within_limits(encoding.id, parameters[0], parameters[1])) << encoding.name;
        const unsigned children = encoding.children_of(usual);
        for (const DType type : word_types)
          EXPECT_FALSE(check_plan(plan_of(encoding, parameters, children), type).ok()) << encoding.name;
        EXPECT_FALSE(trees::check_plan_text(text_of(encoding, parameters, children)).ok())
            << text_of(encoding, parameters, children);
      }
    }
  }
}

}  // namespace
}  // namespace floe::test
