// Copies arrive whole wherever they begin and end, and nothing else is written.
#include "core/memory_overlap.hpp"

#include <gtest/gtest.h>

#include "tests/support/data.hpp"

namespace floe::test {
namespace {

TEST(MemoryOverlap, CopiesAtAnyPlaceInAnySteps) {
  Random random(1);
  const Bytes source = make_bytes(contents<std::uint64_t>()[7], 40000, 1);
  for (unsigned round = 0; round < 2000; ++round) {
    Bytes to(4000, 0x55), expected = to;
    core::MemoryOverlap overlap;
    std::size_t position = random.below(100);
    for (unsigned copies = 0; copies < 4; ++copies) {
      const std::size_t from = random.below(200), count = random.below(900);
      overlap.expect(std::span<const std::uint8_t>(source).first(random.below(source.size())));
      overlap.copy(source.data() + from, to.data() + position, count);
      std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(from), count,
                  expected.begin() + static_cast<std::ptrdiff_t>(position));
      position += count;
      for (std::uint64_t steps = random.below(4); steps > 0; --steps) overlap.advance(random.below(8));
    }
    overlap.finish();
    ASSERT_EQ(to, expected);
  }
}

TEST(MemoryOverlap, FetchesNothingThatWasNotExpected) {
  core::MemoryOverlap overlap;
  overlap.advance(100);
  overlap.finish();
}

}  // namespace
}  // namespace floe::test
