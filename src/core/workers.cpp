#include "core/workers.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <exception>

namespace floe {

std::uint32_t available_threads() noexcept {
  cpu_set_t allowed;
  const int count = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 0;
  const std::uint32_t cpus =
      count > 0 ? static_cast<std::uint32_t>(count) : std::max(1u, std::thread::hardware_concurrency());
  static const std::uint32_t limit =
      core::cpu_limit_of_groups("/");  // reading it takes longer than a small array
  return std::min(cpus, limit);
}

namespace core {
namespace {

/// Less than that costs a thread more than it brings.
constexpr std::uint64_t copied_bytes_of_task = std::uint64_t{2} << 20;

// A thread that has to be started first, on a CPU that may sleep, is there when a fast codec has done two
// megabytes; one that waits is there ten times as soon.
constexpr std::uint64_t smallest_share_bytes = std::uint64_t{3} << 20;
constexpr std::uint64_t smallest_share_of_waiting_thread_bytes = std::uint64_t{256} << 10;

// Calls of run() follow each other closely while streams are planned and coded in steps, and a thread that
// sleeps takes tens of microseconds to come back.
constexpr std::chrono::microseconds time_before_sleep{200};

/// Leaves the core to its other thread for a moment.
void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Looks until `is_so`, but not for long.
template <class IsSo>
void look(const IsSo& is_so) {
  constexpr int looks_per_clock = 16;
  const auto end = std::chrono::steady_clock::now() + time_before_sleep;
  do {
    for (int i = 0; i < looks_per_clock; ++i) {
      if (is_so()) return;
      pause();
    }
  } while (std::chrono::steady_clock::now() < end);
}

}  // namespace

Workers::Workers(std::uint32_t threads, const Executor* executor)
    : threads_(std::min(threads, max_threads)), executor_(executor) {}

Workers::~Workers() {
  if (own_threads_.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    given_count_.fetch_add(1, std::memory_order_release);
  }
  task_given_.notify_all();
}

std::uint32_t Workers::max_tasks() {
  if (threads_ == 0) threads_ = std::min(available_threads(), max_threads);
  return threads_;
}

std::uint32_t Workers::task_count(std::uint64_t content_bytes) {
  const bool waiting = executor_ != nullptr || !own_threads_.empty();
  const std::uint64_t shares =
      content_bytes / (waiting ? smallest_share_of_waiting_thread_bytes : smallest_share_bytes);
  if (shares <= 1) return 1;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(shares, max_tasks()));
}

void Workers::run(std::uint32_t count, const Task& task) {
  if (count <= 1) return task(0);
  if (executor_ == nullptr) return run_in_own_threads(count, task);
  // A task that ran twice at the same time would write to the same memory twice at the same time.
  std::vector<std::atomic<bool>> begun(count);
  (*executor_)(count, [&](std::uint32_t index) {
    if (index < count && !begun[index].exchange(true)) task(index);
  });
  if (!begun[0]) task(0);
}

void Workers::start_threads(std::uint32_t count) {
  if (own_threads_.size() < count) may_look_ = count < available_threads();
  while (own_threads_.size() < count) {
    try {
      own_threads_.emplace_back([this] { wait_for_tasks(); });
    } catch (const std::exception&) {  // no thread or no memory for it: the others do its share
      return;
    }
  }
}

void Workers::run_in_own_threads(std::uint32_t count, const Task& task) {
  own_threads_.reserve(count);
  {
    const std::lock_guard lock(mutex_);
    task_ = &task;
    next_index_ = 1;
    end_index_ = count;
    given_count_.fetch_add(1, std::memory_order_release);
  }
  task_given_.notify_all();
  start_threads(count - 1);
  task(0);
  {
    const std::lock_guard lock(mutex_);
    end_index_ = next_index_;  // whoever wakes up now is not needed any more
  }
  if (may_look_) look([this] { return busy_count_.load(std::memory_order_acquire) == 0; });
  std::unique_lock lock(mutex_);
  task_done_.wait(lock, [this] { return running_count_ == 0; });
}

void Workers::wait_for_tasks() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (may_look_ && !stopping_ && next_index_ >= end_index_) {
      const std::uint32_t seen = given_count_.load(std::memory_order_relaxed);
      lock.unlock();
      look([&] { return given_count_.load(std::memory_order_acquire) != seen; });
      lock.lock();
    }
    task_given_.wait(lock, [this] { return stopping_ || next_index_ < end_index_; });
    if (stopping_) return;
    const std::uint32_t index = next_index_++;
    begin_task();
    lock.unlock();
    (*task_)(index);
    lock.lock();
    end_task();
    if (running_count_ == 0) task_done_.notify_one();
  }
}

void run_copies(std::span<const HostCopy> copies, const Executor& executor) {
  std::uint64_t all_bytes = 0;
  for (const HostCopy& copy : copies) all_bytes += copy.bytes;
  if (all_bytes < 2 * copied_bytes_of_task) {
    for (const HostCopy& copy : copies) {
      if (copy.bytes != 0) std::memcpy(copy.to, copy.from, copy.bytes);
    }
    return;
  }
  std::vector<HostCopy> pieces;
  std::vector<std::size_t> first_pieces;            // of the tasks
  std::uint64_t open_bytes = copied_bytes_of_task;  // of the last task
  for (HostCopy rest : copies) {
    while (rest.bytes != 0) {
      if (open_bytes >= copied_bytes_of_task) {
        first_pieces.push_back(pieces.size());
        open_bytes = 0;
      }
      const std::uint64_t bytes = std::min(rest.bytes, copied_bytes_of_task - open_bytes);
      pieces.push_back({rest.to, rest.from, bytes});
      rest = {static_cast<char*>(rest.to) + bytes, static_cast<const char*>(rest.from) + bytes,
              rest.bytes - bytes};
      open_bytes += bytes;
    }
  }
  executor(static_cast<std::uint32_t>(first_pieces.size()), [&](std::uint32_t task) {
    const std::size_t end = task + 1 < first_pieces.size() ? first_pieces[task + 1] : pieces.size();
    for (std::size_t i = first_pieces[task]; i < end; ++i)
      std::memcpy(pieces[i].to, pieces[i].from, pieces[i].bytes);
  });
}

}  // namespace core
}  // namespace floe
