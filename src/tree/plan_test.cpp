#include "tree/plan.hpp"

#include <gtest/gtest.h>

namespace floe::trees {
namespace {

TEST(PlanText, ComesBack) {
  for (const char* text : {"raw", "bitpack", "rle,bitpack,delta,bitpack", "delta(2,3),rle,bitpack,constant",
                           "delta(1,2),bitpack"}) {
    const Result<Plan> plan = plan_from_text(text, DType::i64);
    ASSERT_TRUE(plan) << text << ": " << plan.status().message();
    EXPECT_EQ(text_of(*plan), text);
  }
}

TEST(PlanText, MayHaveSpacesAndUsualParameters) {
  const Result<Plan> plan = plan_from_text(" delta( 1 , 1 ) , afl ", DType::i32);
  ASSERT_TRUE(plan);
  EXPECT_EQ(text_of(*plan), "delta,bitpack");
}

TEST(PlanText, SaysWhatIsWrong) {
  for (const char* text :
       {"", "nonsense", "rle", "rle,bitpack", "bitpack,bitpack", "rle,bitpack,bitpack,bitpack",
        "delta(0),bitpack", "delta(1,1048577),bitpack", "delta(1,1,1),bitpack", "delta(,afl", "delta(1,afl",
        "afl afl", "delta(4294967296),bitpack"}) {
    const Result<Plan> plan = plan_from_text(text, DType::i64);
    ASSERT_FALSE(plan) << text;
    EXPECT_EQ(plan.status().code, ErrorCode::invalid_argument);
    EXPECT_STRNE(plan.status().detail, "");
  }
}

TEST(PlanText, SaysWhereItIsWrong) {
  const auto position = [](const char* text) {
    return plan_from_text(text, DType::i64).status().byte_offset;
  };
  EXPECT_EQ(position("rle,nonsense,afl"), 4U);
  EXPECT_EQ(position("rle, delta(0),bitpack,bitpack"), 5U);  // the node whose parameter is out of range
  EXPECT_EQ(position("rle,delta(1,x),afl,afl"), 12U);        // the parameter
  EXPECT_EQ(position("rle,bitpack"), 11U);                   // what is missing is missing at the end
  EXPECT_EQ(position("rle,bitpack,bitpack,bitpack"), 20U);   // the first node too many
  EXPECT_EQ(position("rle,bitpack,decimal,bitpack,bitpack,raw"), 12U);  // floats only
  EXPECT_EQ(position("delta,,afl"), 6U);
}

TEST(PlanText, MayBeCheckedWithoutAType) {
  EXPECT_TRUE(check_plan_text("decimal,bitpack,bitpack,raw").ok());  // only floats
  EXPECT_TRUE(check_plan_text("delta,bitpack").ok());                // only integers
  // The position is that of the type which gets furthest.
  EXPECT_EQ(check_plan_text("decimal,bitpack,bitpack,bitpack").byte_offset, 24U);
  EXPECT_EQ(check_plan_text("delta,sortable,bitpack").byte_offset, 6U);
  EXPECT_EQ(check_plan_text("rle").byte_offset, 3U);
}

TEST(PlanText, ChecksTypes) {
  EXPECT_FALSE(plan_from_text("bitpack", DType::f64));
  EXPECT_FALSE(plan_from_text("rle,bitpack,bitpack", DType::f32));
  EXPECT_TRUE(plan_from_text("rle,bitpack,raw", DType::f32));
}

TEST(Plan, HasLimits) {
  Plan deep;
  for (std::size_t i = 0; i < max_plan_depth; ++i) deep.nodes.push_back({EncodingId::delta, {1, 1}});
  deep.nodes.push_back({EncodingId::raw, {}});
  EXPECT_FALSE(check_plan(deep, DType::i64).ok());
  deep.nodes.erase(deep.nodes.begin());
  EXPECT_TRUE(check_plan(deep, DType::i64).ok());
  // Splits in two, each of whose parts but the last ones is split again.
  const auto wide = [](std::size_t leaves) {
    Plan plan;
    const auto add = [&](const auto& self, std::size_t count) -> void {
      if (count == 1) return plan.nodes.push_back({EncodingId::raw, {}});
      plan.nodes.push_back({EncodingId::stride_split, {2, 0}});
      self(self, count / 2);
      self(self, count - count / 2);
    };
    add(add, leaves);
    return plan;
  };
  EXPECT_EQ(wide(128).nodes.size(), max_plan_nodes);
  EXPECT_TRUE(check_plan(wide(128), DType::i64).ok());
  EXPECT_FALSE(check_plan(wide(129), DType::i64).ok());
  EXPECT_TRUE(has_device_form(wide(32)));
  EXPECT_FALSE(has_device_form(wide(33)));
  EXPECT_FALSE(has_device_form(plan_from_text("narrow,raw,bitpack,raw", DType::f64).value()));
  for (const std::uint32_t parts : {8U, 9U}) {
    Plan split{{{EncodingId::stride_split, {parts, 0}}}};
    split.nodes.insert(split.nodes.end(), parts, {EncodingId::raw, {}});
    EXPECT_EQ(has_device_form(split), parts == 8);
  }
  EXPECT_FALSE(has_device_form(plan_from_text("stride_split(66),raw", DType::f64).value()));
  EXPECT_FALSE(plan_from_text("stride_split(65),raw", DType::f64));
}

TEST(Plan, SurvivesStorage) {
  const Plan plan = plan_from_text("rle,delta(1,5),bitpack,delta(2),raw", DType::i16).value();
  ByteWriter bytes;
  write_plan(plan, bytes);
  ByteReader reader(bytes.bytes());
  EXPECT_EQ(read_plan(reader, DType::i16).value(), plan);
  EXPECT_EQ(reader.remaining(), 0U);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    ByteReader shorter(bytes.bytes().first(length));
    EXPECT_EQ(read_plan(shorter, DType::i16).status().code, ErrorCode::corrupt_frame);
  }
}

TEST(Plan, EncodingsHaveDifferentNamesAndConsecutiveIds) {
  for (std::size_t i = 0; i < all_encodings().size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(all_encodings()[i].id), i);
    EXPECT_EQ(find_encoding(all_encodings()[i].name), &all_encodings()[i]);
  }
}

}  // namespace
}  // namespace floe::trees
