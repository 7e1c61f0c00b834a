#include <gtest/gtest.h>

#include "floe/floe.hpp"

namespace floe::rows {
namespace {

TEST(Schema, ReadsTheHeaderFilesOfTheThesis) {
  const Result<Schema> schema = parse_schema(
      "timestamp,time,0\nCORE VOLTAGE,float,6\nsymbol,char,0\nsize,unsigned,0\nflag,bool,0\nx,double,3\n"
      "n,short,0\nm,int,0\n");
  ASSERT_TRUE(schema);
  EXPECT_EQ(*schema, (Schema{{"timestamp", DType::time, 0},
                             {"CORE VOLTAGE", DType::f32, 6},
                             {"symbol", DType::i8, 0},
                             {"size", DType::u32, 0},
                             {"flag", DType::boolean, 0},
                             {"x", DType::f64, 3},
                             {"n", DType::i16, 0},
                             {"m", DType::i32, 0}}));
}

TEST(Schema, WhatIsWrittenCanBeRead) {
  Schema schema;
  for (unsigned type = 1; type <= static_cast<unsigned>(DType::text); ++type)
    schema.push_back(
        {"column, " + std::to_string(type), static_cast<DType>(type), static_cast<std::uint8_t>(type)});
  const Result<Schema> again = parse_schema(schema_text(schema));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, schema);
}

TEST(Schema, TakesCrLfCommentsAndTheNamesOfC) {
  const Result<Schema> schema = parse_schema("# sensors\r\n\r\na,time_t,0\r\nb , unsigned int , 2");
  ASSERT_TRUE(schema);
  EXPECT_EQ(*schema, (Schema{{"a", DType::time, 0}, {"b", DType::u32, 2}}));
}

TEST(Schema, NamesTheWrongLine) {
  for (const char* line : {"a", "a,int", "a,integer,0", "a,int,x", "a,int,41", "a,int,-1"}) {
    const Result<Schema> schema = parse_schema(std::string("ok,int,0\n") + line + "\n");
    ASSERT_FALSE(schema) << line;
    EXPECT_EQ(schema.status().code, ErrorCode::invalid_argument);
    EXPECT_EQ(schema.status().byte_offset, 2u);
  }
  EXPECT_FALSE(parse_schema("\n"));
}

}  // namespace
}  // namespace floe::rows
