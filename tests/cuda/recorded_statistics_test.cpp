// Does the CPU still collect the statistics that a GPU collected? Guards the identity of both where there is
// no GPU.
#include "tests/cuda/recorded_statistics.hpp"

#include <gtest/gtest.h>

namespace floe::test {
namespace {

TEST(RecordedStatistics, AreThoseOfTheCpu) {
  EXPECT_EQ(
      hash_recorded_statistics([](const ColumnView& column) { return trees::collect_statistics(column); }),
      recorded_statistics_hash);
}

}  // namespace
}  // namespace floe::test
