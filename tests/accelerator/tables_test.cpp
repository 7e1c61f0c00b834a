// Whatever an accelerator does of tables, their frames and values are those of the CPU.
#include "tests/accelerator/tables.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/accelerator/arrays.hpp"
#include "tests/support/fake_accelerator.hpp"

namespace floe {
namespace {

using test::compress_table;
using test::Elements;
using test::FakeAccelerator;
using test::table_text;

TEST(Pipeline, PlannedColumnsAreTheSame) {
  const std::string text = table_text(20'000);
  for (const std::uint32_t segment_rows : {1000u, 20'000u}) {
    FakeAccelerator accelerator;
    AcceleratorShare share;
    Options options;
    options.profile = Profile::gpu;
    TableOptions table;
    table.segment_rows = segment_rows;
    const auto compress = [&] {
      Elements frame;
      auto writer = Writer::create(test::append_to(frame), table, options).value();
      EXPECT_TRUE(writer.write(std::as_bytes(std::span(text))).ok() && writer.finish().ok());
      return frame;
    };
    const Elements expected = compress();
    options.accelerator = &accelerator;
    options.accelerator_share = &share;
    EXPECT_EQ(compress(), expected);
    EXPECT_GT(share.words_bytes, 0u);
    EXPECT_EQ(share.accelerated_bytes > 0, segment_rows == 1000u) << "a searched segment is encoded as it is";
  }
}

TEST(Pipeline, SmallTablesAreTheSame) {
  const std::string text = table_text(200);
  FakeAccelerator accelerator;
  Options options{.goal = Goal::ratio};
  const auto compress = [&] {
    Elements frame;
    auto writer = Writer::create(test::append_to(frame), TableOptions{}, options).value();
    EXPECT_TRUE(writer.write(std::as_bytes(std::span(text))).ok() && writer.finish().ok());
    return frame;
  };
  const Elements expected = compress();
  options.accelerator = &accelerator;
  EXPECT_EQ(compress(), expected);
}

TEST(Pipeline, TablesAreTheSame) {
  const std::string text = table_text(2000);
  for (const Profile profile : {Profile::cpu, Profile::gpu}) {
    for (const std::size_t takes_every : {1u, 2u}) {
      FakeAccelerator accelerator;
      accelerator.takes_every = takes_every;
      accelerator.bytes_of_batch = 500;
      AcceleratorShare share;
      Options options;
      options.profile = profile;
      Elements expected, frame, back;
      ASSERT_TRUE(compress_table(text, options, test::append_to(expected)).ok());
      options.accelerator = &accelerator;
      options.accelerator_share = &share;
      ASSERT_TRUE(compress_table(text, options, test::append_to(frame)).ok());
      EXPECT_EQ(frame, expected);
      EXPECT_GT(share.accelerated_bytes, 0u);
      EXPECT_LT(share.accelerated_bytes, share.words_bytes);
      ASSERT_TRUE(test::restore_in_pieces(frame, back, test::decode_with(accelerator)).ok());
      EXPECT_TRUE(std::ranges::equal(back, std::as_bytes(std::span(text))));
      const auto reader = Reader::open(frame).value();
      std::vector<std::int64_t> values(1000);
      ASSERT_TRUE(reader
                      .read_values(1, {500, 1000}, std::as_writable_bytes(std::span(values)), {},
                                   test::decode_with(accelerator))
                      .ok());
      for (std::int64_t i = 0; i < 1000; ++i)
        EXPECT_EQ(values[static_cast<std::size_t>(i)], (500 + i) * (500 + i) % 101);
    }
  }
}

}  // namespace
}  // namespace floe
