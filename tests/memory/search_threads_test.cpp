// Is every task called once, by whoever is awake?
#include "plan/search/search_threads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <new>
#include <optional>
#include <thread>

#include "tests/support/counted_new.hpp"

namespace floe::trees {
namespace {

/// Runs some tasks, and says whether each was called once.
bool runs_each_once(SearchThreads& threads, std::size_t count) {
  Scratch scratch;
  std::vector<std::atomic<int>> calls(count);
  threads.run(count, scratch, [&](std::size_t index, Scratch& own) {
    const Block block = own.take(1000);  // nobody else has it
    std::fill_n(block.data(), 1000, static_cast<std::uint8_t>(index));
    ++calls[index];
  });
  return std::all_of(calls.begin(), calls.end(), [](const std::atomic<int>& called) { return called == 1; });
}

TEST(SearchThreads, RunEachTaskOnce) {
  for (const std::uint32_t helpers : {0U, 1U, 2U, 7U}) {
    SearchThreads threads(helpers);
    EXPECT_TRUE(runs_each_once(threads, 20)) << "asleep";
    for (int round = 0; round < 50; ++round) {
      const Awake awake(&threads);
      for (const std::size_t count : {0U, 1U, 2U, 3U, 30U})
        ASSERT_TRUE(runs_each_once(threads, count)) << helpers << " " << count;
      const Awake more(&threads);
      ASSERT_TRUE(runs_each_once(threads, 5));
    }
  }
}

TEST(SearchThreads, TasksAreDoneWhenRunReturns) {
  SearchThreads threads(3);
  const Awake awake(&threads);
  Scratch scratch;
  for (int round = 0; round < 500; ++round) {
    std::vector<int> results(8, 0);
    threads.run(results.size(), scratch, [&](std::size_t index, Scratch&) { results[index] = round; });
    ASSERT_EQ(results, std::vector<int>(8, round));
  }
}

TEST(SearchThreads, AnExceptionComesBackAndTheNextTasksAreRun) {
  for (const std::uint32_t helpers : {0U, 3U}) {
    SearchThreads threads(helpers);
    const Awake awake(&threads);
    Scratch scratch;
    for (int round = 0; round < 20; ++round) {
      EXPECT_THROW(threads.run(10, scratch,
                               [](std::size_t index, Scratch&) {
                                 if (index == 4) throw std::bad_alloc();
                               }),
                   std::bad_alloc);
      EXPECT_TRUE(runs_each_once(threads, 10));
    }
  }
}

TEST(SearchThreads, AreFewerWithoutMemory) {
  for (const bool from_then_on : {false, true}) {
    bool has_failed = true;
    for (std::int64_t n = 1; has_failed; ++n) {
      test::Allocations::fail_at(n, from_then_on);
      std::optional<SearchThreads> threads;
      try {
        threads.emplace(3);
      } catch (const std::bad_alloc&) {  // no memory for any of them
      }
      has_failed = test::Allocations::failures() > 0;
      test::Allocations::fail_at(0);
      if (threads) {
        EXPECT_TRUE(runs_each_once(*threads, 20)) << n;
      }
    }
  }
}

}  // namespace
}  // namespace floe::trees
