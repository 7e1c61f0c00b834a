// Are arrays that a goal plans the same where an accelerator encodes what it can, batches at once?
#include <gtest/gtest.h>

#include "floe/floe.hpp"
#include "tests/accelerator/arrays.hpp"
#include "tests/support/fake_accelerator.hpp"
#include "tests/support/sanitized.hpp"

namespace floe {
namespace {

using test::AcceleratorCase;
using test::Elements;
using test::FakeAccelerator;

/// Trees of neighbours are tried beside those that an accelerator encoded with.
TEST(AcceleratedGoals, GoalsPlanAsOnTheCpu) {
  AcceleratorCase c = test::accelerator_case(test::sanitized ? 1'000'000 : 1'500'000, 0, "");
  c.elements = test::make_elements(c.elements.size(), c.elements.size());
  for (const Profile profile : {Profile::cpu, Profile::gpu}) {
    for (const Goal goal : {Goal::speed, Goal::balance, Goal::ratio}) {
      if (test::sanitized && (goal == Goal::balance) != (profile == Profile::gpu)) continue;
      c.options.profile = profile;
      c.options.goal = goal;
      FakeAccelerator accelerator;
      EXPECT_TRUE(test::compressed(c, c.with(accelerator)) == test::compressed(c, c.options));
      EXPECT_GT(accelerator.batches, 0u);
    }
  }
}

/// So an accelerator may take as much at once as it likes, and all of it in one round.
TEST(AcceleratedGoals, TreesOfGpusAreKnownAhead) {
  AcceleratorCase c = test::accelerator_case(test::sanitized ? 600'000 : 1'500'000, 0, "");
  c.elements = test::make_elements(c.elements.size(), c.elements.size());
  c.options.profile = Profile::gpu;
  for (const Goal goal : {Goal::speed, Goal::balance, Goal::ratio}) {
    c.options.goal = goal;
    c.options.threads = 1;
    const Elements frame = test::compressed(c, c.options);
    for (const std::uint32_t threads : {1u, 3u}) {
      for (const std::uint64_t batch_bytes : {std::uint64_t{1} << 20, std::uint64_t{64} << 20}) {
        FakeAccelerator accelerator;
        accelerator.bytes_of_batch = batch_bytes;
        AcceleratorShare share;
        Options options = c.with(accelerator);
        options.threads = threads;
        options.accelerator_share = &share;
        EXPECT_TRUE(test::compressed(c, options) == frame);
        EXPECT_LE(accelerator.batches, c.elements.size() / batch_bytes + 1);
        EXPECT_GT(share.accelerated_bytes, share.words_bytes / 4);  // but for segments that were searched
        EXPECT_EQ(accelerator.placed_bytes != 0, batch_bytes >= c.elements.size());
      }
    }
  }
}

/// Several groups are under way, each with its positions behind those of the ones before.
TEST(AcceleratedGoals, GroupsForGpusOverlap) {
  AcceleratorCase c = test::accelerator_case(test::sanitized ? 2'000'000 : 18'000'000, 0, "");
  c.options.profile = Profile::gpu;
  c.options.goal = Goal::speed;
  c.options.threads = 2;
  const Elements frame = test::compressed(c, c.options);
  for (const bool damages_trees : {false, true}) {
    FakeAccelerator accelerator;
    accelerator.damages_trees = damages_trees;
    EXPECT_TRUE(test::compressed(c, c.with(accelerator)) == frame);
    EXPECT_GE(accelerator.max_at_work, test::sanitized ? 1U : 2U);
    EXPECT_TRUE(accelerator.at_work.empty());
    EXPECT_GT(accelerator.placed_bytes, 0U);
  }
}

/// Other streams have their positions by then, which are no longer right.
TEST(AcceleratedGoals, WhatIsRefusedWhenSizesAreKnownTheCpuEncodes) {
  AcceleratorCase c = test::accelerator_case(1'000'000, 0, "");
  c.options.profile = Profile::gpu;
  for (const char* const tree : {"", "sortable,delta,entropy"}) {
    c.options.tree = tree;
    FakeAccelerator accelerator;
    accelerator.damages_trees = true;
    EXPECT_TRUE(test::compressed(c, c.with(accelerator)) == test::compressed(c, c.options));
    EXPECT_GT(accelerator.placed_bytes, 0U);
  }
}

TEST(AcceleratedGoals, DemandedSpeedIsKeptAsOnTheCpu) {
  AcceleratorCase c = test::accelerator_case(1'000'000, 0, "");
  for (const std::uint32_t megabytes_per_second : {100u, 3000u, 20'000u}) {
    c.options.decode_megabytes_per_second = megabytes_per_second;
    FakeAccelerator accelerator;
    EXPECT_TRUE(test::compressed(c, c.with(accelerator)) == test::compressed(c, c.options));
  }
}

}  // namespace
}  // namespace floe
