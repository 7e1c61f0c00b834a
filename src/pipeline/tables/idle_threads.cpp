#include "pipeline/tables/idle_threads.hpp"

#include <algorithm>
#include <exception>

namespace floe::tables {

IdleThreads::~IdleThreads() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
}

void IdleThreads::look_at(std::shared_ptr<NextSegment> next) {
  const auto column_count = static_cast<std::uint32_t>(columns_.size());
  std::uint32_t wanted = 0;
  {
    const std::lock_guard lock(mutex_);
    next_ = std::move(next);
    for (Column& column : columns_) column.is_looked_at = false;
    looks_left_ = std::min(column_count, threads_);
    // One waits for others to become idle, too.
    const std::uint32_t most = std::min(column_count, std::max(threads_ - std::min(threads_, expected_ + busy_), 1U));
    wanted = most - std::min(most, sleeping_);
  }
  changed_.notify_all();
  try {
    for (; wanted > 0 && own_threads_.size() < threads_; --wanted) own_threads_.emplace_back([this] { look_while_idle(); });
  } catch (const std::exception&) {  // no thread or no memory for it: fewer look
  }
}

void IdleThreads::forget(const NextSegment* next) {
  const std::lock_guard lock(mutex_);
  if (next_.get() == next) next_ = nullptr;
}

void IdleThreads::expect_columns() {
  const std::lock_guard lock(mutex_);
  expected_ = static_cast<std::uint32_t>(columns_.size());
}

void IdleThreads::set_coding(std::uint32_t column, bool is_coding) {
  {
    const std::lock_guard lock(mutex_);
    columns_[column].is_coding = is_coding;
    is_coding ? ++busy_ : --busy_;
    if (is_coding && expected_ > 0) --expected_;
    if (!is_work_left()) return;
  }
  changed_.notify_one();
}

void IdleThreads::set_waiting(bool is_waiting) {
  {
    const std::lock_guard lock(mutex_);
    is_waiting ? --busy_ : ++busy_;
    if (!is_work_left()) return;
  }
  changed_.notify_one();
}

void IdleThreads::look_while_idle() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++sleeping_;
    changed_.wait(lock, [this] { return is_ending_ || is_work_left(); });
    --sleeping_;
    if (is_ending_) return;
    const std::uint32_t column = take_column();
    std::shared_ptr<NextSegment> next = next_;
    ++busy_;
    lock.unlock();
    look_(*next, column);
    next = nullptr;
    lock.lock();
    --busy_;
  }
}

/// Those that are still coded come first: for them the segment at hand takes longest.
std::uint32_t IdleThreads::take_column() {
  const auto is_new = [](const Column& column) { return !column.is_looked_at; };
  auto taken = std::find_if(columns_.begin(), columns_.end(), [&](const Column& column) { return is_new(column) && column.is_coding; });
  if (taken == columns_.end()) taken = std::find_if(columns_.begin(), columns_.end(), is_new);
  taken->is_looked_at = true;
  --looks_left_;
  return static_cast<std::uint32_t>(taken - columns_.begin());
}

}  // namespace floe::tables
