// Tests of shares: every vector of every segment is in exactly one.
#include "gpu/unpack/segment_shares.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace floe::gpu {
namespace {

void expect_all_once(std::uint32_t segments, std::uint32_t vectors, std::uint32_t coarse_segments,
                     ShareSizes coarse, ShareSizes fine) {
  std::vector<int> taken(std::size_t{segments} * vectors);
  const std::uint32_t shares = coarse_segments * coarse.shares + (segments - coarse_segments) * fine.shares;
  for (std::uint32_t index = 0; index < shares; ++index) {
    const ShareRange entry = ShareRange::of(index, coarse_segments, coarse, fine);
    ASSERT_LT(entry.segment, segments);
    for (std::uint32_t i = entry.first; i < std::min(vectors, entry.first + entry.vectors); ++i)
      ++taken[std::size_t{entry.segment} * vectors + i];
  }
  for (const int times : taken) ASSERT_EQ(times, 1) << segments << " segments of " << vectors;
}

TEST(SegmentShares, HoldEveryVectorOnce) {
  for (const std::uint32_t segments : {1u, 2u, 7u, 100u}) {
    for (const std::uint32_t vectors : {1u, 2u, 9u, 28u, 57u, 1024u}) {
      for (const std::uint32_t warps : {1u, 24u, 3168u}) {
        const SharePlan plan = SharePlan::of(std::uint64_t{segments} * vectors, segments, warps);
        ASSERT_LE(plan.first_fine, segments);
        ASSERT_LE(plan.fine, plan.coarse);
        expect_all_once(segments, vectors, plan.first_fine, ShareSizes::of(vectors, plan.coarse),
                        ShareSizes::of(vectors, plan.fine));
      }
    }
  }
}

TEST(SegmentShares, AreFineAtTheEnd) {
  const SharePlan plan = SharePlan::of(std::uint64_t{1} << 18, 4681, 3168);
  EXPECT_EQ(plan.coarse, 8u);
  EXPECT_EQ(plan.fine, 2u);
  EXPECT_NEAR(plan.first_fine, 4681 * 0.9, 50);
  EXPECT_EQ(SharePlan::of(100, 10, 3168).first_fine, 0u);
  EXPECT_EQ(SharePlan::of(0, 0, 3168).first_fine, 0u);
}

}  // namespace
}  // namespace floe::gpu
