// Tests of scans: warps with and without a scan of their own come to the same sums.
#include "gpu/warp/device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "core/splitmix.hpp"
#include "tests/support/emulated_warp.hpp"

namespace floe::gpu {
namespace {

template <class Number>
class Scans : public testing::Test {};

struct NameOfNumber {
  template <class Number>
  static std::string GetName(int) {
    return "u" + std::to_string(8 * sizeof(Number));
  }
};
using Numbers = testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(Scans, Numbers, NameOfNumber);

TYPED_TEST(Scans, ComeToTheSumsOfTheLanesBefore) {
  constexpr unsigned count = 3, rounds = 20;
  std::uint64_t seed = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    TypeParam numbers[warp_lanes][count], sums[warp_lanes][count];
    for (unsigned i = 0; i < count; ++i) {
      std::uint64_t sum = 0;
      for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        numbers[lane][i] = static_cast<TypeParam>(core::splitmix(++seed) >> (round * 3));
        sum += numbers[lane][i];
        sums[lane][i] = static_cast<TypeParam>(sum);
      }
    }
    test::EmulatedWarp::run([&](test::EmulatedWarp& warp) {
      const auto& own = numbers[warp.lane()];
      const auto& expected = sums[warp.lane()];
      EXPECT_EQ(scan_by_shuffles(warp, own[0]), expected[0]);
      EXPECT_EQ(inclusive_scan(warp, own[0]), expected[0]);
      TypeParam all[count], all_by_shuffles[count];
      std::copy(own, own + count, all);
      std::copy(own, own + count, all_by_shuffles);
      inclusive_scans(warp, all);
      scans_by_shuffles(warp, all_by_shuffles);
      for (unsigned i = 0; i < count; ++i) {
        EXPECT_EQ(all[i], expected[i]) << i;
        EXPECT_EQ(all_by_shuffles[i], expected[i]) << i;
      }
    });
  }
}

}  // namespace
}  // namespace floe::gpu
