// Recovery through the C API.
#include <gtest/gtest.h>

#include "tests/api/c_api.hpp"

namespace floe::test {
namespace {

TEST(CApiRecovery, GivesWhatIsIntactAndAMap) {
  const Bytes content = make_bytes(32, 5, 8 * 16384, 1);
  Options options;
  options.tree = "spspeed";
  options.segment_bytes = 2 * 16384;
  const Bytes intact = frame_of(content, DType::f32, options);
  Bytes frame = intact;
  std::fill(frame.end() - 20, frame.end(), std::uint8_t{0});
  frame[Reader::open(view_of(intact)).value().segment(1).value().offset] = 0;
  floe_recovery_options recovery_options;
  floe_recovery_options_default(&recovery_options);
  for (const bool in_memory : {true, false}) {
    floe_recovery* recovery = nullptr;
    const floe_status opened =
        in_memory ? floe_recovery_open(&recovery, frame.data(), frame.size(), &recovery_options)
                  : floe_recovery_open_at(&recovery, read_bytes_at, &frame, frame.size(), nullptr);
    ASSERT_EQ(opened.code, FLOE_OK) << opened.detail;
    floe_frame_info info{};
    info.struct_size = sizeof info;
    ASSERT_EQ(floe_recovery_info(recovery, &info).code, FLOE_OK);
    EXPECT_EQ(info.element_count, content.size() / 4);
    floe_recovery_map map{};
    map.struct_size = sizeof map;
    Bytes restored;
    ASSERT_EQ(floe_recovery_restore(recovery, append_to_bytes, &restored, &map, nullptr).code, FLOE_OK);
    Bytes expected = content;
    std::fill(expected.begin() + 2 * 16384, expected.begin() + 4 * 16384, std::uint8_t{0});
    EXPECT_TRUE(restored == expected);
    EXPECT_EQ(map.is_complete + map.is_length_known, 0u);
    EXPECT_EQ(map.recovered, 6u * 4096);
    EXPECT_EQ(map.intact_segments, 3u);
    EXPECT_EQ(map.missing_segments, 1u);
    ASSERT_EQ(map.lost_ranges, 1u);
    floe_lost_range range{};
    ASSERT_EQ(floe_recovery_lost(recovery, 0, &range).code, FLOE_OK);
    EXPECT_EQ(range.what, FLOE_LOST_ELEMENTS);
    EXPECT_EQ(range.first, 2u * 4096);
    EXPECT_EQ(range.count, 2u * 4096);
    EXPECT_EQ(range.cause.code, FLOE_CORRUPT_FRAME);
    EXPECT_EQ(floe_recovery_lost(recovery, 1, &range).code, FLOE_INVALID_ARGUMENT);
    EXPECT_EQ(floe_recovery_unproven(recovery, 0, &range).code, FLOE_INVALID_ARGUMENT);
    EXPECT_EQ(floe_recovery_restore(recovery, refuse, nullptr, nullptr, nullptr).code, FLOE_IO_ERROR);
    floe_recovery_close(recovery);
  }
}

TEST(CApiRecovery, RefusesWrongArguments) {
  Bytes frame = table_of("a,b\n1,2\n");
  floe_recovery* recovery = nullptr;
  EXPECT_EQ(floe_recovery_open(nullptr, frame.data(), 1, nullptr).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_recovery_open(&recovery, nullptr, 1, nullptr).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_recovery_open_at(&recovery, nullptr, nullptr, 1, nullptr).code, FLOE_INVALID_ARGUMENT);
  floe_recovery_options options{};
  EXPECT_EQ(floe_recovery_open(&recovery, frame.data(), frame.size(), &options).code, FLOE_INVALID_ARGUMENT);
  floe_recovery_options_default(&options);
  options.similar_frame_bytes = 1;
  EXPECT_EQ(floe_recovery_open(&recovery, frame.data(), frame.size(), &options).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_recovery_open(&recovery, "no frame", 8, nullptr).code, FLOE_CORRUPT_FRAME);
  EXPECT_EQ(recovery, nullptr);
  ASSERT_EQ(floe_recovery_open(&recovery, frame.data(), frame.size(), nullptr).code, FLOE_OK);
  floe_column column{};
  EXPECT_EQ(floe_recovery_column(recovery, 1, &column).code, FLOE_OK);
  EXPECT_STREQ(column.name, "b");
  EXPECT_EQ(floe_recovery_column(recovery, 2, &column).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_recovery_prefix(recovery, nullptr, 0).code, FLOE_OK);
  floe_recovery_map map{};
  EXPECT_EQ(floe_recovery_restore(recovery, append_to_bytes, nullptr, &map, nullptr).code,
            FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_recovery_restore(recovery, nullptr, nullptr, nullptr, nullptr).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_recovery_info(nullptr, nullptr).code, FLOE_INVALID_ARGUMENT);
  floe_recovery_close(recovery);
  floe_recovery_close(nullptr);
}

}  // namespace
}  // namespace floe::test
