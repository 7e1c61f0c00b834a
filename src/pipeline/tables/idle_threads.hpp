// Which threads look ahead, and when? Those that the columns of the segment at hand leave idle: because there are more threads than
// columns, or because the other columns are done.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "pipeline/tables/next_segment.hpp"

namespace floe::tables {

/// Thread-safe.
class IdleThreads {
 public:
  /// Looks at a column of a segment. Must not throw.
  using Look = std::function<void(NextSegment&, std::uint32_t column)>;

  /// No more than `threads` code and look ahead at the same time.
  IdleThreads(std::uint32_t threads, std::uint32_t column_count, Look look)
      : threads_(threads), look_(std::move(look)), columns_(column_count) {}
  IdleThreads(const IdleThreads&) = delete;
  IdleThreads& operator=(const IdleThreads&) = delete;
  /// Waits for those that look.
  ~IdleThreads();

  /// Lives while a thread codes a column.
  class Coding {
   public:
    Coding(IdleThreads& threads, std::uint32_t column) : threads_(threads), column_(column) { threads_.set_coding(column_, true); }
    Coding(const Coding&) = delete;
    Coding& operator=(const Coding&) = delete;
    ~Coding() { threads_.set_coding(column_, false); }

   private:
    IdleThreads& threads_;
    std::uint32_t column_;
  };

  /// Begins to look at a segment, at no more columns than there are threads, so that memory is bounded.
  void look_at(std::shared_ptr<NextSegment> next);
  /// If this is the segment, nobody begins with another column of it.
  void forget(const NextSegment* next);
  /// Says that a thread that codes begins to wait for one that looks, and ends to: meanwhile it is idle.
  void set_waiting(bool is_waiting);
  /// As many columns as there are will be coded at once: until they are begun, no thread is idle.
  void expect_columns();

 private:
  struct Column {
    bool is_coding = false;
    bool is_looked_at = false;
  };

  void set_coding(std::uint32_t column, bool is_coding);
  void look_while_idle();
  [[nodiscard]] bool is_work_left() const { return next_ != nullptr && looks_left_ > 0 && expected_ + busy_ < threads_; }
  std::uint32_t take_column();

  const std::uint32_t threads_;
  const Look look_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Column> columns_;
  std::shared_ptr<NextSegment> next_;
  std::uint32_t looks_left_ = 0;  ///< Columns of `next_` that may still be looked at.
  std::uint32_t busy_ = 0;        ///< Threads that code or look ahead.
  std::uint32_t expected_ = 0;    ///< Columns that wait for a thread.
  std::uint32_t sleeping_ = 0;    ///< Of `own_threads_`.
  bool is_ending_ = false;
  std::vector<std::jthread> own_threads_;
};

}  // namespace floe::tables
