// Threads share work, start late, and never keep anybody waiting.
#include "core/workers.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <thread>

#include "core/ordered_offsets.hpp"

namespace floe::core {
namespace {

constexpr std::uint64_t much = std::uint64_t{1} << 40;

TEST(AvailableThreads, RespectTheAffinityMask) {
  EXPECT_GE(available_threads(), 1u);
  std::thread([] {
    cpu_set_t one;
    ASSERT_EQ(sched_getaffinity(0, sizeof one, &one), 0);
    int first = 0;
    while (!CPU_ISSET(first, &one)) ++first;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(available_threads(), 1u);
    EXPECT_EQ(Workers(0, nullptr).task_count(much), 1u);
  }).join();
}

TEST(Workers, TasksForTheWork) {
  EXPECT_EQ(Workers(8, nullptr).task_count(0), 1u);
  EXPECT_EQ(Workers(8, nullptr).task_count(100'000), 1u);
  EXPECT_EQ(Workers(8, nullptr).task_count(much), 8u);
  EXPECT_EQ(Workers(1, nullptr).task_count(much), 1u);
  EXPECT_EQ(Workers(100'000, nullptr).task_count(much), max_threads);
  EXPECT_LE(Workers(8, nullptr).task_count(3 << 20), 3u);
}

TEST(Workers, ShareWorkAgainAndAgain) {
  Workers workers(4, nullptr);
  for (int round = 0; round < 300; ++round) {
    std::atomic<unsigned> next{0}, sum{0};
    std::array<std::atomic<unsigned>, 4> begun{};
    workers.run(4, [&](std::uint32_t task) {
      ++begun[task];
      for (unsigned item = next++; item < 100; item = next++) sum += item;
    });
    ASSERT_EQ(sum, 4950u);
    ASSERT_EQ(begun[0], 1u);
    for (const auto& count : begun) ASSERT_LE(count, 1u);
  }
}

TEST(Workers, RunTasksAtTheSameTime) {
  Workers workers(2, nullptr);
  for (int round = 0; round < 20; ++round) {
    std::atomic<unsigned> begun{0};
    workers.run(2, [&](std::uint32_t task) {
      if (task == 0) {
        while (begun == 0) std::this_thread::yield();
      } else {
        ++begun;
      }
    });
    ASSERT_EQ(begun, 1u);
  }
}

TEST(Workers, UseTheExecutor) {
  unsigned calls = 0;
  const Executor executor = [&calls](std::uint32_t count, const Task& task) {
    ++calls;
    EXPECT_EQ(count, 5u);
    for (std::uint32_t index = count; index-- > 0;) task(index);
  };
  Workers workers(5, &executor);
  std::array<unsigned, 5> begun{};
  workers.run(5, [&](std::uint32_t task) { ++begun[task]; });
  EXPECT_EQ(begun, (std::array<unsigned, 5>{1, 1, 1, 1, 1}));
  workers.run(1, [&](std::uint32_t task) { ++begun[task]; });  // nothing to share
  EXPECT_EQ(begun[0], 2u);
  EXPECT_EQ(calls, 1u);
}

TEST(Workers, DoTheWorkThatAnExecutorForgets) {
  const Executor executor = [](std::uint32_t, const Task&) {};
  Workers workers(3, &executor);
  unsigned begun = 0;
  workers.run(3, [&](std::uint32_t task) {
    EXPECT_EQ(task, 0u);
    ++begun;
  });
  EXPECT_EQ(begun, 1u);
}

TEST(Workers, RunATaskOnceHoweverOftenAnExecutorDoes) {
  const Executor executor = [](std::uint32_t count, const Task& task) {
    const auto all = [&] {
      for (std::uint32_t index = 0; index <= count; ++index) task(index);
    };
    const std::jthread other(all);
    all();
  };
  Workers workers(50, &executor);
  std::array<std::atomic<unsigned>, 50> begun{};
  workers.run(50, [&](std::uint32_t task) { ++begun[task]; });
  for (const auto& count : begun) EXPECT_EQ(count, 1u);
}

TEST(OrderedOffsets, AreKnownWhenAllBeforeAreComplete) {
  OrderedOffsets offsets(4);
  for (std::size_t part = 0; part < 4; ++part) EXPECT_EQ(offsets.take(), part);
  EXPECT_EQ(offsets.take(), std::nullopt);
  EXPECT_EQ(offsets.offset(0), 0u);
  EXPECT_EQ(offsets.offset(1), std::nullopt);
  offsets.complete(2, 30);
  offsets.complete(1, 20);
  EXPECT_EQ(offsets.offset(1), std::nullopt);
  offsets.complete(0, 10);
  EXPECT_EQ(offsets.offset(1), 10u);
  EXPECT_EQ(offsets.offset(2), 30u);
  EXPECT_EQ(offsets.offset(3), 60u);
  offsets.complete(3, 40);
  EXPECT_EQ(offsets.all_bytes(), 100u);
}

TEST(OrderedOffsets, WakeWhoWaits) {
  for (int round = 0; round < 200; ++round) {
    OrderedOffsets offsets(3);
    std::thread waiting([&offsets] { EXPECT_EQ(offsets.wait_for_offset(2), 33u); });
    offsets.complete(1, 22);
    offsets.complete(0, 11);
    waiting.join();
  }
}

}  // namespace
}  // namespace floe::core
