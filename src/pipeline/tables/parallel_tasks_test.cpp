// Is every task run once, whatever threads there are and whatever tasks throw?
#include "pipeline/tables/parallel_tasks.hpp"

#include <gtest/gtest.h>

#include <new>
#include <vector>

namespace floe::tables {
namespace {

TEST(ParallelTasks, AreRunOnceEach) {
  for (const std::uint32_t threads : {0U, 1U, 3U, 100U, 1000000U}) {
    api::Workers workers(threads, nullptr);
    for (const std::uint32_t count : {0U, 1U, 2U, 50U}) {
      std::vector<std::atomic<int>> calls(count);
      run_tasks(workers, count, threads, [&](std::uint32_t task) { ++calls[task]; });
      for (const auto& called : calls) EXPECT_EQ(called, 1);
    }
  }
}

TEST(ParallelTasks, ThrowWhatOneOfThemThrew) {
  api::Workers workers(3, nullptr);
  for (int round = 0; round < 100; ++round) {
    EXPECT_THROW(run_tasks(workers, 20, 3,
                           [](std::uint32_t task) {
                             if (task % 5 == 4) throw std::bad_alloc();
                           }),
                 std::bad_alloc);
    std::atomic<int> calls = 0;
    run_tasks(workers, 20, 3, [&](std::uint32_t) { ++calls; });
    EXPECT_EQ(calls, 20);
  }
}

TEST(ParallelTasks, NeedNoMoreThreadsThanAreUseful) {
  EXPECT_EQ(tasks_at_once(7), 7U);
  EXPECT_EQ(tasks_at_once(most_threads), most_threads);
  EXPECT_EQ(tasks_at_once(1000000), most_threads);
  EXPECT_GE(tasks_at_once(0), 1U);
}

}  // namespace
}  // namespace floe::tables
