// Do only those threads look ahead that have nothing to code?
#include "pipeline/tables/idle_threads.hpp"

#include <gtest/gtest.h>

#include <latch>
#include <set>

namespace floe::tables {
namespace {

class NoRows final : public SegmentRows {
 public:
  [[nodiscard]] std::uint32_t row_count() const override { return 0; }
  [[nodiscard]] ColumnContent column(std::uint32_t) const override { return {}; }
  [[nodiscard]] std::uint64_t source_bytes() const override { return 0; }
  [[nodiscard]] std::uint64_t source_bytes(std::uint32_t) const override { return 0; }
};

std::shared_ptr<NextSegment> segment(std::uint32_t columns) { return std::make_shared<NextSegment>(std::make_shared<NoRows>(), columns); }

TEST(IdleThreads, LookWhenThereAreFewerColumnsThanThreads) {
  std::latch looked(1);
  IdleThreads threads(2, 1, [&](NextSegment&, std::uint32_t column) {
    EXPECT_EQ(column, 0U);
    looked.count_down();
  });
  threads.expect_columns();
  const IdleThreads::Coding coding(threads, 0);
  threads.look_at(segment(1));
  looked.wait();
}

TEST(IdleThreads, WaitUntilAThreadIsIdle) {
  std::atomic<bool> may_look = false;
  std::vector<std::uint32_t> columns;
  std::latch looked(2);
  IdleThreads threads(2, 3, [&](NextSegment&, std::uint32_t column) {
    EXPECT_TRUE(may_look);
    columns.push_back(column);
    looked.count_down();
  });
  threads.expect_columns();
  threads.look_at(segment(3));
  std::optional<IdleThreads::Coding> first, third;
  first.emplace(threads, 0);
  const IdleThreads::Coding second(threads, 1);
  first.reset();
  third.emplace(threads, 2);
  may_look = true;
  third.reset();
  looked.wait();
  EXPECT_EQ(columns, (std::vector<std::uint32_t>{1, 0})) << "the one that is still coded first";
}

TEST(IdleThreads, AreAlsoThoseThatWait) {
  std::latch looked(2);
  IdleThreads threads(2, 2, [&](NextSegment&, std::uint32_t) { looked.count_down(); });
  threads.expect_columns();
  const IdleThreads::Coding first(threads, 0), second(threads, 1);
  threads.set_waiting(true);
  threads.look_at(segment(2));
  looked.wait();
  threads.set_waiting(false);
}

TEST(IdleThreads, LookAtNoMoreColumnsThanThereAreThreads) {
  std::mutex mutex;
  std::set<std::uint32_t> columns;
  {
    std::latch looked(3);
    IdleThreads threads(3, 10, [&](NextSegment&, std::uint32_t column) {
      const std::lock_guard lock(mutex);
      EXPECT_TRUE(columns.insert(column).second);
      looked.count_down();
    });
    threads.look_at(segment(10));
    looked.wait();
  }
  EXPECT_EQ(columns.size(), 3U);
}

TEST(IdleThreads, ForgetASegmentWhoseTurnHasCome) {
  const std::shared_ptr<NextSegment> at_hand = segment(1), next = segment(1);
  std::latch looked(1);
  IdleThreads threads(2, 1, [&](NextSegment& segment, std::uint32_t) {
    EXPECT_EQ(&segment, next.get());
    looked.count_down();
  });
  threads.expect_columns();
  {
    const IdleThreads::Coding coding(threads, 0), another(threads, 0);
    threads.look_at(at_hand);
    threads.forget(next.get());  // another one
    threads.forget(at_hand.get());
    EXPECT_EQ(at_hand.use_count(), 1);
  }
  threads.look_at(next);
  looked.wait();
}

}  // namespace
}  // namespace floe::tables
