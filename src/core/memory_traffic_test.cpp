// Copies arrive whole wherever they begin and end, and nothing else is written.
#include "core/memory_traffic.hpp"

#include <gtest/gtest.h>

#include "tests/support/data.hpp"

namespace floe::test {
namespace {

TEST(MemoryTraffic, CopiesAtAnyPlaceInAnySteps) {
  Random random(1);
  const Bytes source = make_bytes(contents<std::uint64_t>()[7], 40000, 1);
  for (unsigned round = 0; round < 2000; ++round) {
    Bytes to(4000, 0x55), expected = to;
    core::MemoryTraffic traffic;
    std::size_t place = random.below(100);
    for (unsigned copies = 0; copies < 4; ++copies) {
      const std::size_t from = random.below(200), count = random.below(900);
      traffic.expect(std::span<const std::uint8_t>(source).first(random.below(source.size())));
      traffic.copy(source.data() + from, to.data() + place, count);
      std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(from), count,
                  expected.begin() + static_cast<std::ptrdiff_t>(place));
      place += count;
      for (std::uint64_t steps = random.below(4); steps > 0; --steps) traffic.advance(random.below(8));
    }
    traffic.finish();
    ASSERT_EQ(to, expected);
  }
}

TEST(MemoryTraffic, FetchesNothingThatWasNotExpected) {
  core::MemoryTraffic traffic;
  traffic.advance(100);
  traffic.finish();
}

}  // namespace
}  // namespace floe::test
