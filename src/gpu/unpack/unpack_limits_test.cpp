// Tests of shared memory: blocks have as many groups of warps as it has room for.
#include "gpu/unpack/unpack_limits.hpp"

#include <gtest/gtest.h>

namespace floe::gpu {
namespace {

TEST(UnpackShape, GivesEveryKindOfDeviceTheGroupsThatFit) {
  EXPECT_EQ(unpack_shape(227 << 10).groups, 3u);  // compute capability 9.0 and 10.0
  EXPECT_EQ(unpack_shape(163 << 10).groups, 2u);  // 8.0
  EXPECT_EQ(unpack_shape(99 << 10).groups, 1u);   // 8.6, 8.9 and 12.0
  EXPECT_EQ(unpack_shape(64 << 10).groups, 0u);   // 7.5
  EXPECT_EQ(unpack_shape(0).groups, 0u);
}

TEST(UnpackShape, StaysWithinTheBlock) {
  for (std::uint32_t bytes = 0; bytes < 300 << 10; bytes += 1000) {
    const UnpackShape shape = unpack_shape(bytes);
    ASSERT_LE(shape.shared_bytes, bytes);
    ASSERT_EQ(shape.table_bytes, shape.groups * shape.small_table_bytes);
    ASSERT_EQ(shape.small_table_bytes % 16, 0u);
    ASSERT_GE(shape.shared_bytes, shape.groups * group_warps * sizeof(CodesMemory) + shape.table_bytes);
    ASSERT_GE(shape.shared_bytes, shape.groups * sizeof(UnpackGroup));
  }
}

}  // namespace
}  // namespace floe::gpu
